// RenderEnding.swift: the state of the output when a plugin fault ends `render`. SPDX-License-Identifier: MIT

import Glibc
import Session
import Synchronization

/// What is left of a rendering of one file.
enum RenderEnding {
  /// Whether the output is complete under its name.
  private static let isComplete = Atomic<Bool>(false)
  /// How long to wait for a rendering to complete the output, in polls of 10 ms.
  private static let pollCount = 50

  /// Records that the output is complete under its name. [main]
  static func noteComplete() { isComplete.store(true, ordering: .releasing) }

  /// Returns what happened to the output, as the end of a message. [not main, unless it has the fault]
  static func words(_ fault: FatalFault, _ output: String) -> String {
    // The main thread still renders if another thread called `exit`.
    if fault.kind == .exited, fault.node == nil {
      for _ in 0 ..< pollCount where !isComplete.load(ordering: .acquiring) { usleep(10_000) }
    }
    return isComplete.load(ordering: .acquiring)
      ? " \(output) is complete." : " No file was written."
  }
}
