// PluginTeardown.swift: cleanup of plugins after the result is complete. SPDX-License-Identifier: MIT

import CProcess
import CRealtimeSafety

/// Handles plugins that crash or hang during the cleanup of a command.
enum PluginTeardown {
  /// The time limit, which equals that of one preflight stage.
  private static let seconds: UInt32 = 20

  private static let end: @convention(c) (Int32) -> Void = { crts_end_now($0) }

  /// From now on, a plugin that crashes or hangs ends the program with success.
  ///
  /// Plugins are still destroyed, because some write files only then. The result is complete, so a failure is
  /// reported as a note. [main, once]
  static func begin(afterWriting result: String) {
    cprocess_exit_on_teardown_failure(
      "outboard: A plugin crashed during cleanup. \(result) is complete.\n",
      "outboard: A plugin timed out after \(seconds) s during cleanup. \(result) is complete.\n",
      seconds, end)
  }

  private static let secondsAfterRun: UInt32 = 5

  /// Does the same after a session, whose plugins may have registered functions with `atexit`. [main, once]
  static func beginAfterRun() {
    cprocess_exit_on_teardown_failure(
      "outboard: A plugin crashed after the session ended.\n",
      "outboard: A plugin did not return within \(secondsAfterRun) s after the session ended.\n",
      secondsAfterRun, end)
  }
}
