// ParameterTest.swift: every parameter over its range. SPDX-License-Identifier: MIT

internal import PluginModel

/// Tests every parameter at its minimum, default and maximum, alone and all together.
enum ParameterTest: ValidationTestRunner {
  static let test = ValidationTest.parameters
  private static let blockFrames = 256
  /// The time at each extreme, in frames.
  private static let settleFrames = 24_000
  private static let randomCount = 16
  /// 60 dB above full scale.
  private static let runawayPeak: Float = 1_000

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    let parameters = testedPlugin.description.parameters
    guard !parameters.isEmpty else { return .notApplicable(test) }
    var faults = FaultCollector()
    var table = try ReplaceableBench(testedPlugin)
    for (name, value) in ends {
      try table.applyAndRestore("with all parameters at their \(name)", settleFrames, &faults) {
        node in
        for (index, parameter) in parameters.enumerated() {
          node.setParameter(index, to: value(parameter))
        }
      }
    }
    for (index, parameter) in parameters.enumerated() {
      for (name, value) in ends {
        let number = value(parameter)
        let situation = "with \(parameter.symbol) at its \(name) (\(number))"
        try table.applyAndRestore(situation, 4 * blockFrames, &faults) {
          $0.setParameter(index, to: number)
        }
      }
    }
    var generator = SplitMix64(state: 1)
    for _ in 0 ..< randomCount {
      try table.applyAndRestore("with parameters at random", 8 * blockFrames, &faults) { node in
        for (index, parameter) in parameters.enumerated() {
          let part = Float(generator.next() >> 40) / Float(1 << 24)
          node.setParameter(
            index, to: parameter.minimum + part * (parameter.maximum - parameter.minimum))
        }
      }
    }
    return TestResult(
      test, remarks: faults.remarks,
      measurements: [Measurement("parameters", Double(parameters.count), "")])
  }

  private static let ends: [(String, @Sendable (Parameter) -> Float)] = [
    ("minimum", { $0.minimum }), ("default", { $0.defaultValue }), ("maximum", { $0.maximum }),
  ]

  /// A bench whose instance is re-created if it keeps outputting NaN.
  private struct ReplaceableBench {
    let testedPlugin: PluginUnderTest
    private var current: TestBench?

    init(_ testedPlugin: PluginUnderTest) throws {
      self.testedPlugin = testedPlugin
      current = try testedPlugin.bench()
    }

    /// Sets values, renders, and resets every parameter.
    mutating func applyAndRestore(
      _ situation: String, _ frames: Int, _ faults: inout FaultCollector,
      _ set: (any Node) -> Void
    ) throws {
      testedPlugin.begin(situation)
      let bench = try current ?? testedPlugin.bench()
      current = bench
      set(bench.node)
      bench.seen = OutputStatistics()
      bench.signal = .noise(level: 0.25)
      bench.playNotes()
      bench.run(frames: frames, blocks: blockFrames)
      faults.add(bench.seen, testedPlugin, situation)
      if bench.seen.peak > runawayPeak {
        faults.add(.note, "Its output is more than 60 dB above full scale", situation)
      }
      // The old one is destroyed first, because some plugins support only one instance.
      if !bench.seen.isFinite || bench.seen.peak > runawayPeak {
        current = nil
        return
      }
      for (index, parameter) in testedPlugin.description.parameters.enumerated() {
        bench.node.setParameter(index, to: parameter.defaultValue)
      }
    }
  }
}
