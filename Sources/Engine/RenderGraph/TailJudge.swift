// TailJudge.swift: decides whether a removed node renders a tail, and when it is over.
// SPDX-License-Identifier: MIT

/// Follows the level of a node that receives only silence.
///
/// A tail decays. Sound that the node generates (an oscillator, noise, hum, a DC offset, a loop)
/// does not decay, and must not continue after the node was removed. So after one second a tail
/// must fall by at least 3 dB a second, and it may never become louder again.
struct TailJudge {
  /// The level below which a tail is over, linear: -90 dBFS.
  private static let quiet: Float = 3.16e-5
  /// How long a tail must stay below that level, in seconds, because echoes have pauses.
  private static let quietSeconds = 3.0
  /// The time after which a tail that has not decayed is faded out, in seconds.
  private static let longestSeconds = 20.0
  /// How long the first level is measured, in seconds: about the longest delay between two echoes.
  private static let firstSeconds = 1.0
  /// The factor per second by which a tail must fall: 3 dB, as a reverb of 20 s does.
  private static let decayPerSecond = 0.708

  private let since: Double
  private var lastAudible: Double
  /// The highest peak of the first second, linear.
  private var first: Float = 0
  private var isTooLoud = false

  /// Begins at a time in seconds.
  init(at seconds: Double) { (since, lastAudible) = (seconds, seconds) }

  /// Takes the highest peak since the last call. [main]
  mutating func take(peak: Float, at seconds: Double) {
    if peak > Self.quiet { lastAudible = seconds }
    let silentSeconds = seconds - since
    if silentSeconds <= Self.firstSeconds {
      first = max(first, peak)
    } else if peak > Self.quiet, peak > first * Float(Self.limit(at: silentSeconds)) {
      isTooLoud = true
    }
  }

  /// Returns whether the tail has ended or must be ended. [main]
  func isOver(at seconds: Double) -> Bool {
    isTooLoud || seconds - lastAudible >= Self.quietSeconds
      || seconds - since >= Self.longestSeconds
  }

  /// Returns the highest level that a tail may have after `silentSeconds`, relative to its first
  /// level.
  private static func limit(at silentSeconds: Double) -> Double {
    // A peak may be as old as the previous call, and the first level may belong to the end of the
    // first second.
    let seconds = max(0, silentSeconds - firstSeconds - 0.3)
    var limit = 1.0
    for _ in 0 ..< Int(seconds) { limit *= decayPerSecond }
    return limit * (1 - (1 - decayPerSecond) * (seconds - Double(Int(seconds))))
  }
}
