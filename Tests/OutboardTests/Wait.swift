// Wait.swift: waiting for a running program. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

/// Waits until a condition is true.
///
/// - Parameters:
///   - what: the condition, for the message, e.g. "the session answers".
///   - running: the program on which it depends; the wait fails when that ends.
///   - isTrue: the condition.
/// - Throws: `WaitError` when the time is over, or the error of the condition.
func wait(
  until what: String, of running: Program.Running, _ isTrue: () throws -> Bool
) throws {
  let deadline = Deadline()
  while try !isTrue() {
    // It may have become true just before the end.
    if !running.process.isRunning, try isTrue() { return }
    try #require(
      running.process.isRunning, "It ended before this: \(what). \(running.errorText)")
    try deadline.rest(0.02)
  }
}
