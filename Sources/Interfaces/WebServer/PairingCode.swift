// PairingCode.swift: the code that pairs a new device. SPDX-License-Identifier: MIT

/// A code of six digits that pairs one device. [any one thread at a time]
///
/// A wrong code can be tried five times; then there is a new code, after a pause that doubles up to an hour. Whoever
/// guesses has five tries an hour at a million codes.
struct PairingCode {
  /// Wrong codes until there is a new one.
  static let maximumFailureCount = 5
  /// The first pause in seconds.
  static let firstPauseSeconds = 60.0
  /// The longest pause in seconds.
  static let longestPauseSeconds = 3_600.0

  /// The result of a code that a device has sent.
  enum Outcome: Equatable {
    /// The code is right, and was replaced.
    case paired
    /// The code is wrong.
    case wrong
    /// The code is wrong, and a new code is valid from now on.
    case replaced
    /// No code is accepted for this many seconds.
    case paused(seconds: Int)
  }

  /// The six digits.
  private(set) var digits = Self.random()
  private var failureCount = 0
  private var pauseSeconds = Self.firstPauseSeconds
  private var pausedUntil: ContinuousClock.Instant?

  private static func random() -> String {
    var source = SystemRandomNumberGenerator()
    return String("\(1_000_000 + Int.random(in: 0 ..< 1_000_000, using: &source))".dropFirst())
  }

  /// Tries a code.
  mutating func attempt(_ code: String, at now: ContinuousClock.Instant = .now) -> Outcome {
    if let pausedUntil, now < pausedUntil {
      return .paused(seconds: Int((pausedUntil - now).components.seconds) + 1)
    }
    pausedUntil = nil
    if AccessToken.digest(of: code) == AccessToken.digest(of: digits) {
      (digits, failureCount, pauseSeconds) = (Self.random(), 0, Self.firstPauseSeconds)
      return .paired
    }
    failureCount += 1
    guard failureCount >= Self.maximumFailureCount else { return .wrong }
    (digits, failureCount) = (Self.random(), 0)
    pausedUntil = now + .seconds(pauseSeconds)
    pauseSeconds = min(pauseSeconds * 2, Self.longestPauseSeconds)
    return .replaced
  }
}
