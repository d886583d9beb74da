// IOMeters.swift: meters of what comes in and of what goes out. SPDX-License-Identifier: MIT

import Metering
import RenderGraph
import Synchronization

/// A meter of an engine's inputs and one of its outputs, as far as it has any. [main]
final class IOMeters {
  private let engine: Engine
  private let input: SignalMeter?
  private let output: SignalMeter?

  /// Begins to measure both.
  init(_ engine: Engine) {
    self.engine = engine
    func meter(_ channelCount: Int) -> SignalMeter? {
      guard channelCount > 0 else { return nil }
      let meter = SignalMeter(
        channelCount: channelCount, sampleRateHz: engine.settings.sampleRateHz,
        maximumFrameCount: engine.settings.maximumFrameCount)
      // It writes nothing, so nothing can be in its way.
      try? meter.start()
      return meter
    }
    input = meter(engine.settings.inputChannelCount)
    output = meter(engine.settings.outputChannelCount)
    // Pairs with the acquiring load of the render thread.
    engine.pointer.pointee.inputTap.store(input?.ring, ordering: .releasing)
    engine.pointer.pointee.outputTap.store(output?.ring, ordering: .releasing)
  }

  /// Whether it measures this engine.
  func measures(_ other: Engine) -> Bool { engine === other }

  /// Each meter with the name of its place, the input first.
  var meters: [(name: String, meter: SignalMeter)] {
    [("input", input), ("output", output)].compactMap { name, meter in meter.map { (name, $0) } }
  }

  /// Measures no more; nothing renders any longer.
  func end() {
    engine.pointer.pointee.inputTap.store(nil, ordering: .releasing)
    engine.pointer.pointee.outputTap.store(nil, ordering: .releasing)
    for (_, meter) in meters { meter.stop() }
  }
}
