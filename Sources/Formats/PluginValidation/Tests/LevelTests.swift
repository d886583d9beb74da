// LevelTests.swift: full-scale and invalid input. SPDX-License-Identifier: MIT

internal import PluginModel

/// Tests full-scale input.
enum FullScaleTest: ValidationTestRunner {
  static let test = ValidationTest.fullScale
  private static let frames = 9_600

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    guard !testedPlugin.description.audioInputs.isEmpty else { return .notApplicable(test) }
    var faults = FaultCollector()
    var peak: Float = 0
    let signals: [(String, TestSignal)] = [
      ("a square wave", .square(periodFrames: 96)),
      ("the highest square wave", .square(periodFrames: 2)),
      ("noise", .noise(level: 1)), ("a constant 1", .constant(1)), ("a constant -1", .constant(-1)),
    ]
    let bench = try testedPlugin.bench()
    for (name, signal) in signals {
      let situation = "with \(name) at full scale"
      testedPlugin.begin(situation)
      bench.seen = OutputStatistics()
      bench.signal = signal
      bench.run(frames: frames, blocks: 256)
      faults.add(bench.seen, testedPlugin, situation)
      peak = max(peak, bench.seen.peak)
    }
    return TestResult(
      test, remarks: faults.remarks, measurements: [Measurement("peak", Double(peak), "")])
  }
}

/// Tests NaN and infinity in the input.
enum NaNInputTest: ValidationTestRunner {
  static let test = ValidationTest.notANumber
  private static let blockFrames = 256
  /// The maximum recovery time, in frames.
  private static let timeoutFrames = 48_000

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    guard !testedPlugin.description.audioInputs.isEmpty else { return .notApplicable(test) }
    var remarks: [TestMessage] = []
    for (name, value) in [("NaN", Float.nan), ("Infinity", .infinity)] {
      if let remark = try runTest(testedPlugin, name, value) { remarks.append(remark) }
    }
    return TestResult(test, remarks: remarks)
  }

  /// Returns a message about the effect of a value in the input; nil if the plugin recovers.
  private static func runTest(
    _ testedPlugin: PluginUnderTest, _ name: String, _ value: Float
  ) throws -> TestMessage? {
    testedPlugin.begin("with \(name) in its input")
    var bench: TestBench? = try testedPlugin.bench()
    if let bench {
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      feed(bench, .constant(value), frames: blockFrames)
      feed(bench, .noise(level: 0.25), frames: timeoutFrames)
      guard !isFinite(bench) else { return nil }
      testedPlugin.begin("while it was reset after \(name) in its input")
      bench.node.reset()
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      if isFinite(bench) {
        return TestMessage(
          .note,
          "\(name) in its input makes its output invalid for more than a second, until a reset.")
      }
    }
    // The host re-creates such a node.
    testedPlugin.begin("while it was re-created after \(name) in its input")
    bench = nil
    let otherBench = try testedPlugin.bench()
    feed(otherBench, .noise(level: 0.25), frames: 4 * blockFrames)
    guard isFinite(otherBench) else {
      return TestMessage(
        .faulty, "\(name) in its input makes the output of later instances invalid, too.")
    }
    return TestMessage(
      .note,
      "\(name) in its input makes its output invalid until the host re-creates it."
        + " Clear all filters and delays in \(testedPlugin.description.format.clearingFunction).")
  }

  /// Whether one more block is finite.
  private static func isFinite(_ bench: TestBench) -> Bool {
    bench.seen = OutputStatistics()
    bench.run(blockFrames)
    return bench.seen.isFinite
  }

  private static func feed(_ bench: TestBench, _ signal: TestSignal, frames: Int) {
    bench.signal = signal
    bench.run(frames: frames, blocks: blockFrames)
  }
}
