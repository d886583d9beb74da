// DriverGuarantees.swift: the guarantees of the driver for every run. SPDX-License-Identifier: MIT

/// The guarantees of the driver, and their violations in a run.
///
/// After any fault the stream continues, audio recovers within a second after the device is usable,
/// only the gap is lost, no old audio is repeated, audio after a gap fades in, and
/// interruptions are counted with their duration.
struct DriverGuarantees {
  /// The time in seconds at which all effects of the script on the devices have ended.
  var mendedAt = 0.0
  /// The card whose output is checked.
  var card = "Desk"
  /// The number of audible and counted interruptions, if the script defines it.
  var interruptions: Int?
  /// The maximum calls of alsa-lib per second; more mean a busy loop.
  var callsPerSecond = 20_000.0
  /// Whether the fault must be audible: otherwise the script may have had no effect.
  var isAudible = true

  private static let timeout = 1.0
  private static let longestFade = 0.02
  private static let steepestFade = 0.02

  /// The violations of a run, one message each.
  func complaints(_ outcome: Outcome) -> [String] {
    guard outcome.status == 0, let captured = outcome.captured, let last = outcome.last else {
      return ["It ended with status \(outcome.status): \(outcome.text)"]
    }
    var complaints: [String] = []
    if let failure = last.failure { complaints.append("It failed: \(failure)") }
    if last.clipped > 0 { complaints.append("\(last.clipped) samples were clipped.") }
    let calls = captured.calls.values.reduce(0) { $0 + $1.reduce(0, +) }
    if Double(calls) > callsPerSecond * max(1, captured.seconds) {
      complaints.append("It called alsa-lib \(calls) times in \(captured.seconds) s.")
    }
    complaints += sound(outcome, captured)
    complaints += joints(outcome.stretches(card), Double(last.rate))
    return complaints
  }

  // MARK: - The output

  private func sound(_ outcome: Outcome, _ captured: Outcome.Report) -> [String] {
    let exact = outcome.stretches(card).filter { $0.kind == .exact }
    guard let first = exact.first, let final = exact.last, let last = outcome.last,
      let stream = outcome.stream(card, "playback")
    else { return ["Nothing was heard."] }
    let rate = Double(last.rate)
    var complaints: [String] = []
    let latest = max(Self.timeout, 2.5 * Double(stream.buffer) / rate)
    if Double(first.at) / rate > mendedAt + latest {
      complaints.append("The first sound came after \(Double(first.at) / rate) s.")
    }
    if Double(final.end) / rate < captured.seconds - 0.1 - Double(stream.buffer) / rate {
      complaints.append("There was no sound from \(Double(final.end) / rate) s on.")
    }
    var gaps = 0
    var lostFrames = 0
    for (before, after) in zip(exact, exact.dropFirst()) {
      gaps += 1
      lostFrames += max(0, after.source - before.sourceEnd)
      complaints += gap(before, after, rate)
    }
    let latencies = Set(exact.map { $0.at - $0.source }).sorted()
    // Two streams that are not linked are started one after the other, sometimes on different sides of a frame
    // boundary.
    let slack = last.linked ? 0 : 1
    if let least = latencies.first, let most = latencies.last, most - least > slack {
      complaints.append("The latency changed: \(latencies).")
    }
    return complaints + count(gaps, lostFrames, last, stream)
  }

  private func gap(
    _ before: Outcome.Report.Stretch, _ after: Outcome.Report.Stretch, _ rate: Double
  ) -> [String] {
    var complaints: [String] = []
    let began = Double(before.end) / rate
    let ended = Double(after.at) / rate
    if ended > max(began, mendedAt) + Self.timeout {
      complaints.append("There was no sound from \(began) to \(ended) s.")
    }
    if after.source < before.sourceEnd {
      complaints.append("Old sound was repeated at \(ended) s.")
    }
    return complaints
  }

  /// Checks the counted frames, to a buffer for each gap: frames that were dropped from a buffer
  /// were rendered.
  private func count(
    _ gaps: Int, _ lostFrames: Int, _ last: Outcome.Event, _ stream: Outcome.Report.Stream
  ) -> [String] {
    if isAudible, gaps == 0 { return ["Nothing of what the script does was heard."] }
    if let interruptions, gaps != interruptions || last.xruns != interruptions {
      return ["\(interruptions) interruptions were heard as \(gaps), counted as \(last.xruns)."]
    }
    if gaps > last.xruns { return ["\(gaps) gaps were counted as \(last.xruns)."] }
    if gaps == 0 { return [] }
    let slack = Double(
      max(gaps, last.xruns) * (stream.buffer + 2 * stream.period) + last.rate / 100)
    let counted = last.lost * Double(last.rate)
    if abs(counted - Double(lostFrames)) > slack {
      return ["\(lostFrames) frames were lost, and counted as \(Int(counted))."]
    }
    return []
  }

  /// All output other than the source and silence must be a short, smooth fade.
  private func joints(_ stretches: [Outcome.Report.Stretch], _ rate: Double) -> [String] {
    var complaints: [String] = []
    for stretch in stretches where stretch.kind == .other {
      let isLong = Double(stretch.count) / rate > Self.longestFade
      if isLong || stretch.step > Self.steepestFade || stretch.high > 1.0001 {
        complaints.append(
          "What was heard at \(Double(stretch.at) / rate) s is no fade: \(stretch).")
      }
    }
    for (before, after) in zip(stretches, stretches.dropFirst())
    where after.kind == .exact && before != stretches.first && before.kind != .other {
      complaints.append("Sound set in at \(Double(after.at) / rate) s without a fade.")
    }
    return complaints
  }
}
