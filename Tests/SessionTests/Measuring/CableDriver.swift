// CableDriver.swift: a driver whose output is its input again, some frames later. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import RenderGraph
import Synchronization

/// A device with a cable from its output to its input, as fast as the machine can.
///
/// What it does to the sound and to its own counters is up to the test.
final class CableDriver: Driver, @unchecked Sendable {
  // The thread and the main thread share the atomics alone; all else is set before the start.

  let stream: StreamDescription
  /// Frames from output to input.
  private let delayFrames: Int
  /// What the cable does to a sample; called with the frame's number.
  private let cable: @Sendable (Float, Int) -> Float
  private let stopping = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)
  private var engine: Engine?
  private let xruns = Atomic<Int>(0)
  /// Frames after which each of the xruns happens.
  private let xrunFrames: [Int]
  /// The frame at which the device is lost; nil for never.
  private let lostFrame: Int?
  private let isLost = Atomic<Bool>(false)

  init(
    periodFrames: Int = 64, impliedFrames: Int = 192, delayFrames: Int, sampleRateHz: Double = 8_000,
    xrunFrames: [Int] = [], lostFrame: Int? = nil,
    cable: @escaping @Sendable (Float, Int) -> Float = { sample, _ in sample }
  ) {
    let side = DeviceStream(
      device: "hw:Cable", name: "", channelCount: 2, format: "FLOAT", sampleRateHz: sampleRateHz,
      periodFrames: periodFrames, bufferFrames: impliedFrames)
    stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: sampleRateHz, periodFrames: periodFrames,
      isLinked: true, roundTripFrames: impliedFrames)
    self.delayFrames = delayFrames
    self.cable = cable
    self.xrunFrames = xrunFrames
    self.lostFrame = lostFrame
  }

  func start(_ engine: Engine) {
    self.engine = engine
    Thread.detachNewThread { [self] in pull(engine.pointer) }
  }

  func stop() {
    guard engine.take() != nil else { return }
    stopping.store(true, ordering: .relaxed)
    ended.wait()
  }

  func attend() {}

  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = engine != nil
    status.xrunCount = xruns.load(ordering: .relaxed)
    if isLost.load(ordering: .relaxed) {
      status.devices = [
        DeviceStatus(device: "hw:Cable", isInput: true, state: .missing, reason: "It is gone.")
      ]
    }
    return status
  }

  private func pull(_ engine: UnsafeMutablePointer<RenderEngine>) {
    var line = [Float](repeating: 0, count: delayFrames + 1)
    var frame = 0
    while !stopping.load(ordering: .relaxed) {
      let count = stream.periodFrames
      // A block's outputs are not there yet: no delay below a block is possible.
      for index in 0 ..< count {
        let sample = line[(frame + index + line.count - delayFrames) % line.count]
        engine.pointee.inputs[0][index] = cable(sample, frame + index)
      }
      renderBlock(engine, count)
      for index in 0 ..< count {
        line[(frame + index) % line.count] = engine.pointee.outputs[0][index]
      }
      for xrun in xrunFrames where frame ..< frame + count ~= xrun {
        xruns.add(1, ordering: .relaxed)
      }
      if let lostFrame, frame >= lostFrame { isLost.store(true, ordering: .relaxed) }
      frame += count
    }
    ended.signal()
  }
}
