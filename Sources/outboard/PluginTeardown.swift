// PluginTeardown.swift: plugins taken down once the work is done. SPDX-License-Identifier: MIT

import CProcess

/// What becomes of plugins at the end of a command that has its result.
enum PluginTeardown {
  /// As long as a stage of a trial may take.
  private static let seconds: UInt32 = 20

  /// Has a plugin that crashes, or never comes back, from here on end the program as if all were well.
  ///
  /// Plugins are taken down all the same, and not left to the kernel: one that writes files of its own
  /// may finish them only then. But the result is there, and what is wrong with a plugin that
  /// nobody needs any more is a remark. [main, once]
  static func begin(afterWriting result: String) {
    cprocess_exit_on_teardown_failure(
      "outboard: A plugin crashed during cleanup. \(result) is complete.\n",
      "outboard: A plugin timed out after \(seconds) s during cleanup. \(result) is complete.\n",
      seconds)
  }

  private static let secondsAfterRun: UInt32 = 5

  /// Likewise for a run that has ended well, whose plugins may have registered functions with `atexit`. [main, once]
  static func beginAfterRun() {
    cprocess_exit_on_teardown_failure(
      "outboard: A plugin crashed after the session ended.\n",
      "outboard: A plugin timed out \(secondsAfterRun) s after the session ended.\n",
      secondsAfterRun)
  }
}
