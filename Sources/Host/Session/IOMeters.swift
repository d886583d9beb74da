// IOMeters.swift: meters of the input and output. SPDX-License-Identifier: MIT

import Metering
import RenderGraph
import Synchronization

/// The input meter and output meter of an engine, if it has inputs and outputs. [main]
final class IOMeters {
  private let engine: Engine
  private let input: SignalMeter?
  private let output: SignalMeter?

  /// Starts both meters.
  init(_ engine: Engine) {
    self.engine = engine
    func meter(_ channelCount: Int) -> SignalMeter? {
      guard channelCount > 0 else { return nil }
      let meter = SignalMeter(
        channelCount: channelCount, sampleRateHz: engine.settings.sampleRateHz,
        maximumFrameCount: engine.settings.maximumFrameCount)
      // The meter writes no output, so it has no side effects.
      try? meter.start()
      return meter
    }
    input = meter(engine.settings.inputChannelCount)
    output = meter(engine.settings.outputChannelCount)
    // Pairs with the acquiring load of the render thread.
    unsafe engine.pointer.pointee.inputTap.store(input?.ring, ordering: .releasing)
    unsafe engine.pointer.pointee.outputTap.store(output?.ring, ordering: .releasing)
  }

  /// Whether the meters belong to this engine.
  func measures(_ other: Engine) -> Bool { engine === other }

  /// The meters with their names, the input first.
  var meters: [(name: String, meter: SignalMeter)] {
    [("input", input), ("output", output)].compactMap { name, meter in meter.map { (name, $0) } }
  }

  /// Stops the meters after rendering has ended.
  func end() {
    unsafe engine.pointer.pointee.inputTap.store(nil, ordering: .releasing)
    unsafe engine.pointer.pointee.outputTap.store(nil, ordering: .releasing)
    for (_, meter) in meters { meter.stop() }
  }
}
