// LatencyTest.swift: the delay of an impulse beside what is reported. SPDX-License-Identifier: MIT

internal import PluginModel

/// An impulse goes in; when it comes out is compared with the latency that the plugin reports.
///
/// A late sound is what a delay is for, so only a plugin that reports more than it delays is at fault:
/// a host that believes it puts everything else out of time.
enum LatencyTest: ValidationTestRunner {
  static let examination = ValidationTest.latency
  private static let blockFrames = 256
  /// Silence before the impulse, in frames, in which it is heard whether the plugin makes sound by itself.
  private static let waitingFrames = 9_600
  /// How long is listened beyond the reported latency, in frames.
  private static let listeningFrames = 24_000
  private static let longestFrames = 480_000
  /// The first sound is that which reaches this part of the greatest.
  private static let onsetPart: Float = 0.01
  /// Filters that lie between two frames may be rounded either way.
  private static let toleranceFrames = 2
  /// A delay of fewer frames is not worth a word.
  private static let negligibleFrames = 16

  static func examine(_ specimen: PluginUnderTest) throws -> TestResult {
    guard !specimen.description.audioInputs.isEmpty, !specimen.description.audioOutputs.isEmpty
    else { return .notApplicable(examination) }
    specimen.begin("with an impulse")
    let bench = try specimen.bench(isOffline: true)
    let reported = bench.node.latencyFrames
    let reportedMeasurement = Measurement("reported latency", Double(reported), "frames")
    bench.signal = .silence
    bench.run(frames: waitingFrames, blocks: blockFrames)
    let noise = loudest(bench)
    bench.signal = .impulse
    guard reported <= longestFrames, let response = Response(bench, reported + listeningFrames),
      response.peak > max(1e-5, noise * 10)
    else { return TestResult(examination, measurements: [reportedMeasurement]) }
    return TestResult(
      examination, remarks: remark(reported, response).map { [$0] } ?? [],
      measurements: [
        reportedMeasurement, Measurement("first sound", Double(response.onset), "frames"),
        Measurement("greatest sound", Double(response.peakFrame), "frames"),
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
      .noted,
      "It delays an impulse by \(response.onset) frames but reports \(what). This is correct only for"
        + " a delay effect.")
  }

  /// The loudest of the last block.
  private static func loudest(_ bench: TestBench) -> Float {
    bench.seen = OutputStatistics()
    bench.run(blockFrames)
    return bench.seen.peak
  }

  /// What comes out after an impulse at frame 0, of the output where it is the loudest.
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
