// Deadline.swift: time limits for loops that wait. SPDX-License-Identifier: MIT

package import Dispatch
import Glibc

/// The limit in seconds for a wait that normally ends at once, beside two thousand other tests on a
/// busy machine.
package let patienceSeconds = 240.0

/// A condition did not become true in time.
package struct WaitError: Error, CustomStringConvertible {
  /// The location of the wait, and its time limit.
  package let description: String
}

/// A time limit for a loop that waits for a condition, so that the test fails and does not hang.
package struct Deadline: Sendable {
  private let seconds: Double
  private let end: ContinuousClock.Instant

  /// Starts the time, with a limit that is long enough for a busy machine. [any]
  package init(seconds: Double = patienceSeconds) {
    self.seconds = seconds
    end = ContinuousClock.now + .seconds(seconds)
  }

  /// Waits before the next check of the condition. [any]
  ///
  /// - Parameters:
  ///   - pause: seconds, short.
  ///   - file: the caller's file, for the message.
  ///   - line: the caller's line.
  /// - Throws: `WaitError` when the time is over.
  package func rest(
    _ pause: Double = 0.005, file: StaticString = #fileID, line: UInt = #line
  ) throws(WaitError) {
    guard ContinuousClock.now < end else { throw WaitError(description: words(file, line)) }
    usleep(UInt32(pause * 1e6))
  }

  /// The same if nothing can be thrown: ends the test run after the time limit. [any]
  package func restOrTrap(
    _ pause: Double = 0.005, file: StaticString = #fileID, line: UInt = #line
  ) {
    guard ContinuousClock.now < end else { fatalError(words(file, line)) }
    usleep(UInt32(pause * 1e6))
  }

  private func words(_ file: StaticString, _ line: UInt) -> String {
    "\(file):\(line): the condition was not true within \(seconds) s."
  }
}

extension DispatchSemaphore {
  /// Waits; ends the test run with a message after the time limit. [any]
  package func waitOrTrap(
    seconds: Double = patienceSeconds, file: StaticString = #fileID, line: UInt = #line
  ) {
    guard wait(timeout: .now() + seconds) != .success else { return }
    fatalError("\(file):\(line): the semaphore was not signalled within \(seconds) s.")
  }
}
