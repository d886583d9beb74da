// TailJudge.swift: whether what a given-up node puts out is a tail, and when it is over. SPDX-License-Identifier: MIT

/// Follows the level of a node that gets silence alone.
///
/// A tail dies away. Sound that the node makes by itself (an oscillator, noise, hum, an offset, a loop) does not, and
/// must not play on beside what took its place. So after a second a tail has to fall by 3 dB a second at least, and may
/// never become louder again.
struct TailJudge {
  /// Below this a tail is over, linear: -90 dB, as it stays inaudible then.
  private static let quiet: Float = 3.16e-5
  /// So long a tail has to be quiet, as echoes have pauses.
  private static let quietSeconds = 3.0
  /// A tail that has not died away is faded out then.
  private static let longestSeconds = 20.0
  /// How long the first level is measured: about the longest delay between two echoes.
  private static let firstSeconds = 1.0
  /// How much a tail falls at least, as a factor per second: 3 dB, as a reverb of 20 s does.
  private static let fallPerSecond = 0.708

  private let since: Double
  private var lastHeard: Double
  /// The highest peak of the first second, linear.
  private var first: Float = 0
  private var isTooLoud = false

  /// Begins at a time in seconds.
  init(at seconds: Double) { (since, lastHeard) = (seconds, seconds) }

  /// Takes the highest peak since the last call. [main]
  mutating func take(peak: Float, at seconds: Double) {
    if peak > Self.quiet { lastHeard = seconds }
    let age = seconds - since
    if age <= Self.firstSeconds {
      first = max(first, peak)
    } else if peak > Self.quiet, peak > first * Float(Self.limit(at: age)) {
      isTooLoud = true
    }
  }

  /// Whether it has ended, or is to be ended. [main]
  func isOver(at seconds: Double) -> Bool {
    isTooLoud || seconds - lastHeard >= Self.quietSeconds || seconds - since >= Self.longestSeconds
  }

  /// How loud a tail of some age may be, as a part of its first level.
  private static func limit(at age: Double) -> Double {
    // A peak is as old as the look before, and the first level is that of the first second's end at best.
    let seconds = max(0, age - firstSeconds - 0.3)
    var limit = 1.0
    for _ in 0 ..< Int(seconds) { limit *= fallPerSecond }
    return limit * (1 - (1 - fallPerSecond) * (seconds - Double(Int(seconds))))
  }
}
