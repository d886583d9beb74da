// TimingTest.swift: CPU time. SPDX-License-Identifier: MIT

internal import PluginModel

/// Measures the time per frame, of the first block, and of a block after a parameter change.
enum TimingTest: ValidationTestRunner {
  static let test = ValidationTest.timing
  /// The block lengths in frames.
  private static let lengths = [64, 256, 1_024]
  /// A plugin above this fraction of real time leaves too little time for others.
  private static let slowLoad = 0.5
  /// A single block longer than this, in ms, causes a dropout with any usual period.
  private static let audibleMilliseconds = 20.0
  private static let parameterLimit = 64

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("while it was timed")
    let begun = BlockTimer.now
    let bench = try testedPlugin.bench()
    let making = BlockTimer.now - begun
    let first = single(bench)
    var measurements: [Measurement] = []
    var loads: [Measurement] = []
    var remarks: [TestMessage] = []
    for length in lengths {
      let timing = BlockTimer.measure(bench, frameCount: length)
      measurements.append(
        Measurement("per frame in blocks of \(length)", timing.nanosecondsPerFrame, "ns"))
      loads += [
        Measurement("load in blocks of \(length)", timing.load * 100, "%"),
        Measurement("slow load in blocks of \(length)", timing.slowLoad * 100, "%"),
      ]
      if timing.slowLoad > slowLoad {
        let load = timing.load > slowLoad ? timing.load : timing.slowLoad
        let whose = timing.load > slowLoad ? "It takes" : "One block in a hundred takes"
        remarks.append(
          TestMessage(
            .slow,
            "\(whose) \(Int((load * 100).rounded())) % of real time in blocks of \(length)"
              + " frames."))
      }
    }
    remarks += dropoutRemarks(first, "Its first block takes")
    let changed = change(bench, testedPlugin)
    measurements += loads
    measurements += [
      Measurement("instantiation", making / 1e6, "ms"),
      Measurement("first block", first / 1e6, "ms"),
      Measurement("block with a change", changed / 1e6, "ms"),
    ]
    remarks += dropoutRemarks(changed, "A block in which a parameter has changed takes")
    return TestResult(test, remarks: remarks, measurements: measurements)
  }

  private static func dropoutRemarks(_ nanoseconds: Double, _ what: String) -> [TestMessage] {
    let milliseconds = nanoseconds / 1e6
    guard milliseconds > audibleMilliseconds else { return [] }
    return [TestMessage(.slow, "\(what) \(Int(milliseconds.rounded())) ms.")]
  }

  private static func single(_ bench: TestBench) -> Double {
    bench.fillInputs(lengths[0])
    let begun = BlockTimer.now
    bench.callProcess(lengths[0])
    return BlockTimer.now - begun
  }

  /// Returns the time of the slowest block after a change of one parameter, in ns.
  private static func change(_ bench: TestBench, _ testedPlugin: PluginUnderTest) -> Double {
    var slowest = 0.0
    for (index, parameter) in testedPlugin.description.parameters.prefix(parameterLimit)
      .enumerated()
    {
      for value in [parameter.minimum, parameter.maximum, parameter.defaultValue] {
        testedPlugin.begin("with \(parameter.symbol) changed to \(value)")
        bench.node.setParameter(index, to: value)
        slowest = max(slowest, single(bench))
      }
    }
    return slowest
  }
}
