// Terminal.swift: standard output and standard error. SPDX-License-Identifier: MIT

import Glibc
import PluginModel
import Synchronization

/// Standard output or standard error.
package struct Terminal: Sendable {
  /// Standard output, which can have another descriptor: see `redirectStandardOutput`.
  package static var output: Terminal {
    Terminal(descriptor: outputDescriptor.load(ordering: .relaxed))
  }
  /// Standard error.
  package static let error = Terminal(descriptor: STDERR_FILENO)

  /// The file descriptor.
  package let descriptor: Int32

  /// The file descriptor of standard output.
  private static let outputDescriptor = Atomic(STDOUT_FILENO)

  /// Reserves standard output for this program; output of libraries goes to standard error. [main]
  ///
  /// Plugins can print, but standard output is read by programs or contains audio.
  package static func redirectStandardOutput() {
    // Above the descriptors that helper processes inherit.
    let duplicate = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    guard duplicate >= 0 else { return }
    guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      close(duplicate)
      return
    }
    outputDescriptor.store(duplicate, ordering: .relaxed)
  }

  /// Gives standard output its own descriptor again, for a program that replaces this one. [any]
  package static func returnOutput() {
    dup2(outputDescriptor.load(ordering: .relaxed), STDOUT_FILENO)
  }

  /// Creates a terminal for a descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  private static let firstFailure = Atomic<Int32>(0)

  /// The errno value of the first failed write to standard output; 0 if none failed. [any]
  package static var outputFailure: Int32 { firstFailure.load(ordering: .relaxed) }

  /// Whether the output is a terminal.
  package var isInteractive: Bool { isatty(descriptor) == 1 }

  /// The number of columns; 80 if the terminal does not report it, nil if there is no terminal.
  package var columns: Int? {
    guard isInteractive else { return nil }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes text with control characters escaped. [any]
  ///
  /// The text can contain names from rigs and plugins, and answers of other programs. Write errors are stored in
  /// `outputFailure`.
  package func write(_ text: String) { writeRaw(text.visible) }

  /// Writes text unchanged, for control sequences of this program.
  package func writeRaw(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
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

  /// Writes text and a line feed. [any]
  package func writeLine(_ text: String) { write(text + "\n") }
}
