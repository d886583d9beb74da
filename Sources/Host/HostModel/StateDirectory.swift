// StateDirectory.swift: where a user or service keeps state. SPDX-License-Identifier: MIT

import FoundationEssentials

/// The directory for state that outlives a session.
package enum StateDirectory {
  /// Returns the directory of this user or service, which need not exist; nil if the environment names none. [any]
  ///
  /// A service manager sets `STATE_DIRECTORY`; otherwise it is `outboard` in `XDG_STATE_HOME` or `~/.local/state`.
  package static func path(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    func directory(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let service = directory("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
    let state = directory("XDG_STATE_HOME") ?? directory("HOME").map { $0 + "/.local/state" }
    return service ?? state.map { $0 + "/outboard" }
  }
}
