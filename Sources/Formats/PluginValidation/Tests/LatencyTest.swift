// LatencyTest.swift: measured and reported latency. SPDX-License-Identifier: MIT

internal import PluginModel

/// Sends an impulse and compares the measured delay with the reported latency.
///
/// A delay effect may respond late. So only a plugin that reports more latency than it has is at fault: a host
/// would compensate too much.
enum LatencyTest: ValidationTestRunner {
  static let test = ValidationTest.latency
  private static let blockFrames = 256
  /// The silence before the impulse, in frames, to detect sound without input.
  private static let waitingFrames = 9_600
  /// The recording time after the reported latency, in frames.
  private static let observationFrames = 24_000
  private static let longestFrames = 480_000
  /// The response starts where it reaches this fraction of its peak.
  private static let onsetPart: Float = 0.01
  /// Tolerance for filters with a fractional delay.
  private static let toleranceFrames = 2
  /// A shorter delay is not reported.
  private static let negligibleFrames = 16

  static func runTest(_ testedPlugin: PluginUnderTest) throws -> TestResult {
    guard !testedPlugin.description.audioInputs.isEmpty,
      !testedPlugin.description.audioOutputs.isEmpty
    else { return .notApplicable(test) }
    testedPlugin.begin("with an impulse")
    let bench = try testedPlugin.bench(isOffline: true)
    let reported = bench.node.latencyFrames
    let reportedMeasurement = Measurement("reported latency", Double(reported), "frames")
    bench.signal = .silence
    bench.run(frames: waitingFrames, blocks: blockFrames)
    let noise = peak(bench)
    bench.signal = .impulse
    guard reported <= longestFrames, let response = Response(bench, reported + observationFrames),
      response.peak > max(1e-5, noise * 10)
    else { return TestResult(test, measurements: [reportedMeasurement]) }
    return TestResult(
      test, remarks: remark(reported, response).map { [$0] } ?? [],
      measurements: [
        reportedMeasurement, Measurement("first sound", Double(response.onset), "frames"),
        Measurement("peak", Double(response.peakFrame), "frames"),
      ])
  }

  private static func remark(_ reported: Int, _ response: Response) -> TestMessage? {
    if reported > 0, response.peakFrame + toleranceFrames < reported {
      return TestMessage(
        .faulty,
        "It reports a latency of \(reported) frames, but the measured latency is"
          + " \(response.peakFrame) frames.")
    }
    guard response.onset > reported + max(toleranceFrames, negligibleFrames) else { return nil }
    let what = reported == 0 ? "no latency" : "a latency of \(reported) frames"
    return TestMessage(
      .note,
      "It delays an impulse by \(response.onset) frames but reports \(what). This is correct only for"
        + " a delay effect.")
  }

  /// The peak of the last block.
  private static func peak(_ bench: TestBench) -> Float {
    bench.seen = OutputStatistics()
    bench.run(blockFrames)
    return bench.seen.peak
  }

  /// The response to an impulse at frame 0, of the loudest output.
  private struct Response {
    private(set) var peak: Float = 0
    private(set) var peakFrame = 0
    private(set) var onset = 0

    init?(_ bench: TestBench, _ frames: Int) {
      var loudest: [Float] = []
      var rows: [[Float]] = bench.outputs.map { _ in [] }
      while bench.position < frames {
        bench.run(blockFrames)
        for channel in rows.indices { rows[channel] += bench.output(channel, blockFrames) }
      }
      for row in rows {
        let frame = row.indices.max { abs(row[$0]) < abs(row[$1]) } ?? 0
        guard !row.isEmpty, abs(row[frame]) > peak else { continue }
        (peak, peakFrame, loudest) = (abs(row[frame]), frame, row)
      }
      guard peak > 0, peak.isFinite else { return nil }
      onset = loudest.firstIndex { abs($0) >= peak * onsetPart } ?? peakFrame
    }
  }
}
