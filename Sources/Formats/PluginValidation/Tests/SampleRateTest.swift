// SampleRateTest.swift: all usual sample rates. SPDX-License-Identifier: MIT

internal import PluginModel

/// Tests instances at rates from 22,050 to 192,000 Hz.
enum SampleRateTest: ValidationTestRunner {
  static let test = ValidationTest.sampleRates
  private static let ratesHz = [22_050.0, 32_000, 44_100, 88_200, 96_000, 176_400, 192_000]

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    var faults = FaultCollector()
    for rate in ratesHz {
      let situation = "at \(Int(rate)) Hz"
      testedPlugin.begin(situation)
      do {
        let bench = try testedPlugin.bench(sampleRateHz: rate)
        bench.signal = .noise(level: 0.25)
        bench.playNotes()
        bench.run([256, 1_024, 1, 37] + [Int](repeating: 256, count: 32))
        faults.add(bench.seen, testedPlugin, situation)
      } catch {
        faults.add(.note, "It cannot be created", "\(situation) (\(error))")
      }
    }
    return TestResult(test, remarks: faults.remarks)
  }
}
