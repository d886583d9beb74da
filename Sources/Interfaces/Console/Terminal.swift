// Terminal.swift: what is known of where the output goes. SPDX-License-Identifier: MIT

import Glibc
import PluginModel
import Synchronization

/// Standard output or standard error as a place to write to.
package struct Terminal: Sendable {
  /// Standard output, which may have moved: see `keepOutput`.
  package static var output: Terminal { Terminal(descriptor: place.load(ordering: .relaxed)) }
  /// Standard error.
  package static let error = Terminal(descriptor: STDERR_FILENO)

  /// What it is written to.
  package let descriptor: Int32

  /// Where standard output is.
  private static let place = Atomic(STDOUT_FILENO)

  /// Has standard output to itself from now on: what libraries print to it goes to standard error.
  ///
  /// Plugins print what they like, and what stands there is for programs to read, or is sound. [main]
  package static func keepOutput() {
    // Beyond the numbers that children are handed something at.
    let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    guard own >= 0 else { return }
    guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      close(own)
      return
    }
    place.store(own, ordering: .relaxed)
  }

  /// Whatever a descriptor stands for.
  init(descriptor: Int32) { self.descriptor = descriptor }

  private static let firstFailure = Atomic<Int32>(0)

  /// The error number of the first write to standard output that failed; 0 if none did. [any]
  package static var outputFailure: Int32 { firstFailure.load(ordering: .relaxed) }

  /// Whether a person is looking, rather than a file or a program.
  package var isInteractive: Bool { isatty(descriptor) == 1 }

  /// Columns; 80 where the terminal does not say, nil where there is none.
  package var columns: Int? {
    guard isInteractive else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes text, whole, with everything spelled out that would steer the terminal.
  ///
  /// The text may have come from anywhere: names in rigs and plugins, answers of other programs.
  /// What cannot be written is given up: see `outputFailure`. [any]
  package func write(_ text: String) { writeRaw(text.visible) }

  /// Writes text as it is, for sequences of this program that steer the terminal.
  package func writeRaw(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        giveUp(errno)
        return
      }
      rest = rest.dropFirst(count)
    }
  }

  private func giveUp(_ code: Int32) {
    guard descriptor == Self.output.descriptor else { return }
    _ = Self.firstFailure.compareExchange(expected: 0, desired: code, ordering: .relaxed)
  }

  /// Writes text and ends the line. [any]
  package func writeLine(_ text: String) { write(text + "\n") }
}
