// ProcessState.swift: whether a process is stopped. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The kernel's state of another process.
enum ProcessState {
  /// Whether a signal (SIGSTOP, Ctrl-Z) or a debugger has stopped a process. [any]
  static func isStopped(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return false }
    let state = text[text.index(after: end)...].first { $0 != " " }
    return state == "T" || state == "t"
  }
}
