// BlockLengthTest.swift: blocks of many lengths. SPDX-License-Identifier: MIT

internal import PluginModel

/// Blocks of 0, 1, odd and the maximum number of frames.
///
/// Checks that the output does not depend on them.
enum BlockLengthTest: ValidationTestRunner {
  static let test = ValidationTest.blocks
  private static let lengths = [
    1, 2, 3, 5, 7, 13, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 441, 511, 512, 1_000,
    1_023, 1_024,
  ]
  private static let maximumBlockFrames = 8_192
  /// The length of the compared signal, in frames.
  private static let comparedFrames = 6_144
  /// 60 dB below the signal: different rounding is inaudible.
  private static let audibleFraction: Float = 1e-3

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    var faults = FaultCollector()
    try runUsual(testedPlugin, &faults)
    try runLong(testedPlugin, &faults)
    testedPlugin.begin("while it was destroyed after blocks of many lengths")
    return TestResult(
      test, remarks: faults.remarks + (try compare(testedPlugin).map { [$0] } ?? []))
  }

  private static func runUsual(_ testedPlugin: PluginUnderTest, _ faults: inout FaultCollector)
    throws
  {
    let bench = try testedPlugin.bench()
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    let none = testedPlugin.description.format.flags.contains(.acceptsEmptyBlocks) ? [0] : []
    for length in [256] + none + lengths + none + lengths.reversed() {
      run(bench, length, testedPlugin, &faults)
    }
  }

  private static func runLong(_ testedPlugin: PluginUnderTest, _ faults: inout FaultCollector)
    throws
  {
    let long = try testedPlugin.bench(maximumFrameCount: maximumBlockFrames)
    long.signal = .noise(level: 0.25)
    long.playNotes()
    for length in [maximumBlockFrames, 1, maximumBlockFrames - 1, maximumBlockFrames] {
      run(long, length, testedPlugin, &faults)
    }
  }

  private static func run(
    _ bench: TestBench, _ length: Int, _ testedPlugin: PluginUnderTest,
    _ faults: inout FaultCollector
  ) {
    let situation = "with a block of \(length) frame\(length == 1 ? "" : "s")"
    testedPlugin.begin(situation)
    bench.seen = OutputStatistics()
    bench.run(length)
    faults.add(bench.seen, testedPlugin, situation)
  }

  // MARK: - Equal output

  private static func compare(_ testedPlugin: PluginUnderTest) throws -> TestMessage? {
    testedPlugin.begin("with the same input in other block lengths")
    let even = try render(testedPlugin, [256])
    guard difference(even, try render(testedPlugin, [256])) <= audibleFraction else {
      return TestMessage(.note, "Its output differs between two runs with the same input.")
    }
    let odd = difference(even, try render(testedPlugin, [1, 255, 37, 219, 512, 64, 448]))
    guard odd > audibleFraction else { return nil }
    return TestMessage(.note, "Its output depends on the block length.")
  }

  private static func render(_ testedPlugin: PluginUnderTest, _ lengths: [Int]) throws -> [Float] {
    // Offline, because the worker then runs at a defined time.
    let bench = try testedPlugin.bench(isOffline: true)
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    var samples: [[Float]] = bench.outputs.map { _ in [] }
    var position = 0
    while bench.position < comparedFrames {
      let length = min(lengths[position % lengths.count], comparedFrames - bench.position)
      bench.run(length)
      for channel in samples.indices { samples[channel] += bench.output(channel, length) }
      position += 1
    }
    return samples.flatMap { $0 }
  }

  /// Returns the greatest difference, relative to the greatest sample.
  private static func difference(_ one: [Float], _ other: [Float]) -> Float {
    let peak = one.lazy.filter(\.isFinite).map { abs($0) }.max() ?? 0
    let difference = zip(one, other).lazy.map { abs($0 - $1) }.filter(\.isFinite).max() ?? 0
    return peak > 0 ? difference / peak : 0
  }
}
