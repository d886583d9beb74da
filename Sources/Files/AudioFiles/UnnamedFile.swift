// UnnamedFile.swift: a temporary file without a name. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// A temporary file that disappears with its last reference, also if the program is killed.
package final class UnnamedFile: Sendable {
  /// The descriptor, for reading and writing.
  package let descriptor: Int32

  /// A path that opens the file again, with a separate position. [any]
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Creates an empty file in `TMPDIR`, otherwise in `/var/tmp` or `/tmp`. [any]
  ///
  /// - Throws: `AudioFileError.notWritable` if no directory accepts a file.
  package init() throws(AudioFileError) {
    let chosen = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }.flatMap {
      $0.isEmpty ? nil : $0
    }
    var code: Int32 = 0
    for directory in [chosen, "/var/tmp", "/tmp"].compactMap(\.self) {
      let number = Self.open(directory)
      guard number < 0 else {
        descriptor = number
        return
      }
      code = errno
    }
    throw .notWritable(
      path: "A temporary file in \(chosen ?? "/var/tmp")",
      reason: unsafe String(cString: strerror(code)))
  }

  deinit { close(descriptor) }

  /// Not every file system has unnamed files.
  private static func open(_ directory: String) -> Int32 {
    let number = unsafe cfiles_unnamed_file(directory)
    guard number < 0 else { return number }
    var template = Array("\(directory)/outboard-XXXXXX".utf8CString)
    let named = unsafe mkstemp(&template)
    guard named >= 0 else { return named }
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    unsafe unlink(template)
    return named
  }

  /// Moves the position to the start, for a process that receives the descriptor. [any]
  package func rewind() { lseek(descriptor, 0, SEEK_SET) }
}
