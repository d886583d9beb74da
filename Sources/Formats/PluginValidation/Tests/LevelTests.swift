// LevelTests.swift: full-scale and invalid input. SPDX-License-Identifier: MIT

internal import PluginModel

/// Tests full-scale input.
enum FullScaleTest: ValidationTestRunner {
  static let examination = ValidationTest.fullScale
  private static let frames = 9_600

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    guard !specimen.description.audioInputs.isEmpty else { return .notApplicable(examination) }
    var findings = FaultCollector()
    var peak: Float = 0
    let signals: [(String, TestSignal)] = [
      ("a square wave", .square(periodFrames: 96)),
      ("the highest square wave", .square(periodFrames: 2)),
      ("noise", .noise(level: 1)), ("a constant 1", .constant(1)), ("a constant -1", .constant(-1)),
    ]
    let bench = try specimen.bench()
    for (name, signal) in signals {
      let situation = "with \(name) at full scale"
      specimen.begin(situation)
      bench.seen = OutputStatistics()
      bench.signal = signal
      bench.run(frames: frames, blocks: 256)
      findings.add(bench.seen, specimen, situation)
      peak = max(peak, bench.seen.peak)
    }
    return TestResult(
      examination, remarks: findings.remarks, measurements: [Measurement("peak", Double(peak), "")])
  }
}

/// Tests NaN and infinity in the input.
enum NaNInputTest: ValidationTestRunner {
  static let examination = ValidationTest.notANumber
  private static let blockFrames = 256
  /// The maximum recovery time, in frames.
  private static let timeoutFrames = 48_000

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    guard !specimen.description.audioInputs.isEmpty else { return .notApplicable(examination) }
    var remarks: [TestMessage] = []
    for (name, value) in [("NaN", Float.nan), ("Infinity", .infinity)] {
      if let remark = try examine(specimen, name, value) { remarks.append(remark) }
    }
    return TestResult(examination, remarks: remarks)
  }

  /// Returns a message about the effect of a value in the input; nil if the plugin recovers.
  private static func examine(
    _ specimen: PluginUnderTest, _ name: String, _ value: Float
  ) throws -> TestMessage? {
    specimen.begin("with \(name) in its input")
    var bench: TestBench? = try specimen.bench()
    if let bench {
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      feed(bench, .constant(value), frames: blockFrames)
      feed(bench, .noise(level: 0.25), frames: timeoutFrames)
      guard !isFinite(bench) else { return nil }
      specimen.begin("while it was reset after \(name) in its input")
      bench.node.reset()
      feed(bench, .noise(level: 0.25), frames: 4 * blockFrames)
      if isFinite(bench) {
        return TestMessage(
          .note,
          "\(name) in its input makes its output invalid for more than a second, until a reset.")
      }
    }
    // The host re-creates such a node.
    specimen.begin("while it was re-created after \(name) in its input")
    bench = nil
    let fresh = try specimen.bench()
    feed(fresh, .noise(level: 0.25), frames: 4 * blockFrames)
    guard isFinite(fresh) else {
      return TestMessage(
        .faulty, "\(name) in its input makes the output of later instances invalid, too.")
    }
    return TestMessage(
      .note,
      "\(name) in its input makes its output invalid until the host re-creates it."
        + " Clear all filters and delays in \(specimen.description.format.clearingFunction).")
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
