// DebuggerWait.swift: waits for a debugger. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// Stops a program before it loads code of others, so that a debugger can be attached.
package enum DebuggerWait {
  /// The ID of this process. [any]
  package static var process: Int32 { getpid() }

  /// Waits until a debugger is attached, or until the user continues without one; returns whether one is attached.
  ///
  /// SIGCONT continues, and so does a line on standard input if that is a terminal. [main, without other threads]
  package static func wait() -> Bool { cprocess_wait_for_debugger() != 0 }
}
