// ManualDriver.swift: a driver whose blocks are rendered by a test. SPDX-License-Identifier: MIT

import AudioDriver
import RealtimeKit

/// Renders blocks on request, and stores the output, which does not depend on time.
final class ManualDriver: AudioDriver, RateFollowing {
  static let rateHz = 48_000.0
  static let blockFrames = 64

  var stream: StreamDescription
  var deviceRateHz: Int?
  private(set) var keptRateCount = 0
  var onStart: () -> Void = {}
  private var renderer: Renderer?

  init(rateHz: Double = ManualDriver.rateHz) {
    let side = DeviceStream(
      device: "hand", name: "A hand", channelCount: 2, format: "FLOAT", sampleRateHz: rateHz,
      periodFrames: Self.blockFrames, bufferFrames: Self.blockFrames)
    var stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: rateHz, periodFrames: Self.blockFrames,
      isLinked: true)
    stream.isRealTime = false
    self.stream = stream
  }

  func start(_ renderer: Renderer) {
    self.renderer = renderer
    onStart()
  }
  func stop() { renderer = nil }
  var rateFollowing: (any RateFollowing)? { self }
  func keepGraphRate() {
    deviceRateHz = nil
    keptRateCount += 1
  }
  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = renderer != nil
    return status
  }

  /// Returns the output of both channels for this input, one after the other in each block.
  func play(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> [Float] {
    guard let callback = renderer?.callback else { return [] }
    let (inputs, outputs) = (callback.inputs.channels, callback.outputs.channels)
    for (channel, sound) in [left, right].enumerated() {
      for (frame, sample) in sound.enumerated() { inputs[channel][frame] = sample }
    }
    callback.render(left.count)
    return (0 ..< 2).flatMap { Array(UnsafeBufferPointer(start: outputs[$0], count: left.count)) }
  }
}
