// ManualDriver.swift: a driver that a test turns by hand. SPDX-License-Identifier: MIT

import AudioDriver
import RealtimeKit
import RenderGraph

/// Renders blocks when it is told to, and keeps what comes out: what is heard does not hang on time.
final class ManualDriver: Driver {
  static let rateHz = 48_000.0
  static let blockFrames = 64

  var stream: StreamDescription
  var demandedRateHz: Int?
  private(set) var keptRateCount = 0
  var onStart: () -> Void = {}
  private var engine: Engine?

  init(rateHz: Double = ManualDriver.rateHz) {
    let side = DeviceStream(
      device: "hand", name: "A hand", channelCount: 2, format: "FLOAT", sampleRateHz: rateHz,
      periodFrames: Self.blockFrames, bufferFrames: Self.blockFrames)
    var stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: rateHz, periodFrames: Self.blockFrames,
      isLinked: true)
    stream.keepsPace = false
    self.stream = stream
  }

  func start(_ engine: Engine) {
    self.engine = engine
    onStart()
  }
  func stop() { engine = nil }
  func attend() {}
  func keepRate() {
    demandedRateHz = nil
    keptRateCount += 1
  }
  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = engine != nil
    status.demandedRateHz = demandedRateHz
    return status
  }

  /// What comes out of both channels, one behind the other in each block, when this goes in.
  func play(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> [Float] {
    guard let engine = engine?.pointer else { return [] }
    let (inputs, outputs) = (engine.pointee.inputs.channels, engine.pointee.outputs.channels)
    for (channel, sound) in [left, right].enumerated() {
      for (frame, sample) in sound.enumerated() { inputs[channel][frame] = sample }
    }
    renderBlock(engine, left.count)
    return (0 ..< 2).flatMap { Array(UnsafeBufferPointer(start: outputs[$0], count: left.count)) }
  }
}
