// BlockLengthTest.swift: blocks of many lengths. SPDX-License-Identifier: MIT

internal import PluginModel

/// Blocks of 0, 1, odd and the maximum number of frames.
///
/// Checks that the output does not depend on them.
enum BlockLengthTest: ValidationTestRunner {
  static let examination = ValidationTest.blocks
  private static let lengths = [
    1, 2, 3, 5, 7, 13, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 441, 511, 512, 1_000,
    1_023, 1_024,
  ]
  private static let maximumBlockFrames = 8_192
  /// The length of the compared signal, in frames.
  private static let comparedFrames = 6_144
  /// 60 dB below the signal: different rounding is inaudible.
  private static let audibleFraction: Float = 1e-3

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    var findings = FaultCollector()
    try runUsual(specimen, &findings)
    try runLong(specimen, &findings)
    specimen.begin("while it was destroyed after blocks of many lengths")
    return TestResult(
      examination, remarks: findings.remarks + (try compare(specimen).map { [$0] } ?? []))
  }

  private static func runUsual(_ specimen: PluginUnderTest, _ findings: inout FaultCollector) throws
  {
    let bench = try specimen.bench()
    bench.signal = .noise(level: 0.25)
    bench.playNotes()
    let none = specimen.description.format.flags.contains(.acceptsEmptyBlocks) ? [0] : []
    for length in [256] + none + lengths + none + lengths.reversed() {
      run(bench, length, specimen, &findings)
    }
  }

  private static func runLong(_ specimen: PluginUnderTest, _ findings: inout FaultCollector) throws
  {
    let long = try specimen.bench(maximumFrameCount: maximumBlockFrames)
    long.signal = .noise(level: 0.25)
    long.playNotes()
    for length in [maximumBlockFrames, 1, maximumBlockFrames - 1, maximumBlockFrames] {
      run(long, length, specimen, &findings)
    }
  }

  private static func run(
    _ bench: TestBench, _ length: Int, _ specimen: PluginUnderTest, _ findings: inout FaultCollector
  ) {
    let situation = "with a block of \(length) frame\(length == 1 ? "" : "s")"
    specimen.begin(situation)
    bench.seen = OutputStatistics()
    bench.run(length)
    findings.add(bench.seen, specimen, situation)
  }

  // MARK: - Equal output

  private static func compare(_ specimen: PluginUnderTest) throws -> TestMessage? {
    specimen.begin("with the same input in other block lengths")
    let even = try render(specimen, [256])
    guard difference(even, try render(specimen, [256])) <= audibleFraction else {
      return TestMessage(.note, "Its output differs between two runs with the same input.")
    }
    let odd = difference(even, try render(specimen, [1, 255, 37, 219, 512, 64, 448]))
    guard odd > audibleFraction else { return nil }
    return TestMessage(.note, "Its output depends on the block length.")
  }

  private static func render(_ specimen: PluginUnderTest, _ lengths: [Int]) throws -> [Float] {
    // Offline, because the worker then runs at a defined time.
    let bench = try specimen.bench(isOffline: true)
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
