// SystemCheck.swift: one thing about the machine that matters to sound. SPDX-License-Identifier: MIT

/// What was looked at, what was found, and what mends it.
package struct SystemCheck: Sendable, Equatable {
  /// How it stands, the best first.
  package enum State: String, Sendable, CaseIterable, Comparable {
    /// Nothing to be done.
    case good = "ok"
    /// It could not be found out.
    case unknown
    /// Sound runs, but breaks off sooner than it had to.
    case improvable = "warning"
    /// Sound does not run at all, or breaks off before long.
    case bad = "error"

    /// Whether one is better than the other.
    package static func < (one: State, other: State) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// A short name that stays the same, for programs.
  package let id: String
  /// What was looked at, in a word or two.
  package let title: String
  /// How it stands.
  package let state: State
  /// What was found, as sentences.
  package let found: String
  /// Why it matters, as one sentence.
  package let reason: String
  /// What to type to mend it, one command a line; empty where nothing is to be mended or no command
  /// can do it.
  package let commands: [String]
  /// What else there is to know of the remedy, as sentences; nil where the commands say it all.
  package let advice: String?
}

/// What a check is about, whatever it finds.
struct CheckDescription {
  let id: String
  let title: String
  let reason: String

  /// The check's outcome.
  func finds(
    _ state: SystemCheck.State, _ found: String, commands: [String] = [], advice: String? = nil
  ) -> SystemCheck {
    SystemCheck(
      id: id, title: title, state: state, found: found, reason: reason, commands: commands,
      advice: advice)
  }
}
