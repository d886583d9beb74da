// SilenceTest.swift: CPU time after the end of audio, when numbers become denormal. SPDX-License-Identifier: MIT

internal import CRealtime
internal import PluginModel

/// Tests that silence after audio does not use more CPU time than audio.
///
/// Denormals can take a processor a hundred times as long. The drivers of this host flush them to zero. Their
/// effect in other hosts is a note.
enum SilenceTest: ValidationTestRunner {
  static let test = ValidationTest.silence
  private static let blockFrames = 256
  private static let signalFrames = 24_000
  /// Long enough for feedback to fall from full scale to denormals.
  private static let silentBlocks = 2_000
  private static let windowBlocks = 20
  /// Smaller ratios may be accidental.
  private static let slowRatio = 4.0
  /// The fraction of real time below which ratios do not matter.
  private static let negligibleLoad = 0.02
  private static let longestNanoseconds: UInt64 = 2_000_000_000

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    testedPlugin.begin("with silence")
    let flushed = try measure(testedPlugin, flushes: true)
    testedPlugin.begin("with silence, without flushing denormals to zero")
    let denormal = try measure(testedPlugin, flushes: false)
    var remarks: [TestMessage] = []
    if flushed.ratio > slowRatio, flushed.silentLoad > negligibleLoad {
      remarks.append(
        TestMessage(.slow, "Silence takes \(times(flushed.ratio)) as long as audio."))
    } else if denormal.ratio > slowRatio * max(flushed.ratio, 1),
      denormal.silentLoad > negligibleLoad
    {
      remarks.append(
        TestMessage(
          .note,
          "Silence takes \(times(denormal.ratio)) as long as audio in hosts that do not flush"
            + " denormals to zero."))
    }
    if denormal.denormalCount > 0 {
      remarks.append(
        TestMessage(
          .note, "It outputs denormals in hosts that do not flush them to zero."))
    }
    return TestResult(
      test, remarks: remarks,
      measurements: [
        Measurement("time of silence to time of audio", flushed.ratio, ""),
        Measurement("with denormals", denormal.ratio, ""),
      ])
  }

  private static func times(_ ratio: Double) -> String { "\(Int(ratio.rounded())) times" }

  private struct Cost {
    /// The slowest part of silence, relative to audio.
    var ratio: Double
    var silentLoad: Double
    var denormalCount: Int
  }

  private static func measure(_ testedPlugin: PluginUnderTest, flushes: Bool) throws -> Cost {
    let bench = try testedPlugin.bench()
    bench.flushesDenormals = flushes
    bench.signal = .noise(level: 0.5)
    bench.playNotes()
    bench.run(frames: signalFrames, blocks: blockFrames)
    let sound = window(bench)
    for note in [48, 60, 64, 67] as [UInt8] { bench.send([0x80, note, 0]) }
    bench.signal = .silence
    bench.seen = OutputStatistics()
    var longest = 0.0
    let end = crealtime_nanoseconds() + longestNanoseconds
    var blocks = 0
    while blocks < silentBlocks, crealtime_nanoseconds() < end {
      // Checked occasionally: the inputs stay silent in between.
      bench.run(blockFrames)
      let time = window(bench)
      longest = max(longest, time)
      blocks += windowBlocks + 1
    }
    let timing = BlockTiming(
      frameCount: blockFrames, medianNanoseconds: longest, slowNanoseconds: longest, blockCount: 1)
    return Cost(
      ratio: longest / max(sound, 1), silentLoad: timing.load,
      denormalCount: bench.seen.denormalCount)
  }

  /// Returns the median time of a few blocks, in ns.
  private static func window(_ bench: TestBench) -> Double {
    bench.fillInputs(blockFrames)
    return (0 ..< windowBlocks).map { _ in
      let begun = BlockTimer.now
      bench.callProcess(blockFrames)
      return BlockTimer.now - begun
    }.sorted()[windowBlocks / 2]
  }
}
