// LoopbackDriver.swift: a driver whose delayed output is its input. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import RealtimeKit
import Synchronization
import TestWaits

/// A device with a cable from its output to its input, without a clock.
///
/// The test defines its effect on the signal and on its counters.
final class LoopbackDriver: AudioDriver, @unchecked Sendable {
  // The render thread and the main thread share only the atomics. Everything else is set before the start.

  let stream: StreamDescription
  /// Frames from output to input, in each round.
  private let delayFrames: @Sendable (Int) -> Int
  /// The effect of the cable on a sample.
  private let cable: @Sendable (Float) -> Float
  private let stopping = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)
  private var renderer: Renderer?
  private let xruns = Atomic<Int>(0)
  /// The number of rounds with an xrun.
  private let spoiltRounds: Int
  /// The frame at which the device is lost; nil for never.
  private let lostFrame: Int?
  private let isLost = Atomic<Bool>(false)

  init(
    periodFrames: Int = 64, impliedFrames: Int = 192, sampleRateHz: Double = 8_000,
    spoiltRounds: Int = 0, lostFrame: Int? = nil,
    cable: @escaping @Sendable (Float) -> Float = { $0 },
    delayFrames: @escaping @Sendable (_ round: Int) -> Int
  ) {
    let side = DeviceStream(
      device: "hw:Cable", name: "", channelCount: 2, format: "FLOAT", sampleRateHz: sampleRateHz,
      periodFrames: periodFrames, bufferFrames: impliedFrames)
    stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: sampleRateHz, periodFrames: periodFrames,
      isLinked: true, roundTripFrames: impliedFrames)
    self.delayFrames = delayFrames
    self.cable = cable
    self.spoiltRounds = spoiltRounds
    self.lostFrame = lostFrame
  }

  func start(_ renderer: Renderer) {
    self.renderer = renderer
    Thread.detachNewThread { [self] in pull() }
  }

  func stop() {
    guard renderer != nil else { return }
    stopping.store(true, ordering: .relaxed)
    ended.waitOrTrap()
    renderer = nil
  }

  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = renderer != nil
    status.xrunCount = xruns.load(ordering: .relaxed)
    if isLost.load(ordering: .relaxed) {
      status.devices = [
        DeviceStatus(device: "hw:Cable", isInput: true, state: .missing, reason: "It is gone.")
      ]
    }
    return status
  }

  private func pull() {
    guard let callback = renderer?.callback else { return }
    let length = 10_000
    var line = [Float](repeating: 0, count: length)
    var frame = 0
    var round = 0
    var silentFrames = length
    while !stopping.load(ordering: .relaxed) {
      let count = stream.periodFrames
      for index in 0 ..< count {
        let delay = delayFrames(round)
        // A block's own outputs do not exist yet, so a signal cannot return within one block.
        precondition(delay >= count && delay < length)
        callback.inputs[0][index] = cable(line[(frame + index + length - delay) % length])
      }
      callback.render(count)
      let output = UnsafeBufferPointer(start: callback.outputs[0], count: count)
      for index in 0 ..< count { line[(frame + index) % length] = output[index] }
      let isSilent = output.allSatisfy { $0 == 0 }
      if !isSilent, silentFrames > 1_000 {
        round += 1
        if round <= spoiltRounds { xruns.add(1, ordering: .relaxed) }
      }
      silentFrames = isSilent ? silentFrames + count : 0
      if let lostFrame, frame >= lostFrame { isLost.store(true, ordering: .relaxed) }
      frame += count
    }
    ended.signal()
  }
}
