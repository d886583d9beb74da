// SystemCheck.swift: the result of one system check. SPDX-License-Identifier: MIT

/// The subject of a check, its result and its remedy.
package struct SystemCheck: Sendable, Equatable {
  /// The result, the best first.
  package enum State: String, Sendable, CaseIterable, Comparable {
    /// No problem.
    case ok = "ok"
    /// The result is unknown.
    case unknown
    /// Audio works, but dropouts are more likely than necessary.
    case warning = "warning"
    /// Audio does not work, or has dropouts.
    case error = "error"

    /// Returns whether one result is better than another.
    package static func < (one: State, other: State) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// A stable short name for programs.
  package let id: String
  /// The subject.
  package let title: String
  /// The result.
  package let state: State
  /// The message about what was found.
  package let found: String
  /// Why the check matters.
  package let reason: String
  /// The commands that fix the problem; empty if there is no problem or no command.
  package let commands: [String]
  /// Further advice; nil if the commands are sufficient.
  package let advice: String?
}

/// The subject of a check.
struct CheckDescription {
  let id: String
  let title: String
  let reason: String

  /// Creates the result of the check.
  func result(
    _ state: SystemCheck.State, _ found: String, commands: [String] = [], advice: String? = nil
  ) -> SystemCheck {
    SystemCheck(
      id: id, title: title, state: state, found: found, reason: reason, commands: commands,
      advice: advice)
  }
}
