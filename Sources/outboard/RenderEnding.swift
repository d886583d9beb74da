// RenderEnding.swift: the state of the output when a plugin fault ends `render`. SPDX-License-Identifier: MIT

import Glibc
import Session
import Synchronization

/// The progress of rendering a file, which decides how the program may end.
enum RenderEnding {
  /// Whether the output is complete under its name.
  private static let isComplete = Atomic<Bool>(false)
  /// Whether all results of the command are complete.
  private static let isDone = Atomic<Bool>(false)
  /// How long to wait for a rendering to complete the output, in polls of 10 ms.
  private static let pollCount = 50

  /// The output of the current rendering; nil if there is none yet.
  private static let output = Mutex<String?>(nil)

  /// Records that the rendering of an output begins. [main]
  static func begin(_ output: String) {
    Self.output.withLock { $0 = output }
    isComplete.store(false, ordering: .releasing)
  }

  /// Records that the output is complete under its name. [main]
  static func noteComplete() { isComplete.store(true, ordering: .releasing) }

  /// Records that nothing is left but to destroy the plugins. [main]
  static func noteDone() { isDone.store(true, ordering: .releasing) }

  /// Returns the exit status after a fault: 0 for a crash or a hang after the result, nil for that of the fault.
  static func status(after fault: FatalFault) -> Int32? {
    let isAcceptable = fault.kind == .crashed || fault.kind == .hung
    return isDone.load(ordering: .acquiring) && isAcceptable ? 0 : nil
  }

  /// Returns what happened to the output, as the end of a message. [not main, unless it has the fault]
  static func words(_ fault: FatalFault) -> String {
    let output = output.withLock { $0 } ?? ""
    if output == "-" { return "" }
    // The main thread still renders if another thread called `exit`.
    if fault.kind == .exited, fault.node == nil {
      for _ in 0 ..< pollCount where !isComplete.load(ordering: .acquiring) { usleep(10_000) }
    }
    return isComplete.load(ordering: .acquiring)
      ? " \(output) is complete." : " No file was written."
  }
}
