// FileProbe.swift: file access that can block, on a separate thread. SPDX-License-Identifier: MIT

import Glibc

/// Waits for a file that can be on a network file system whose server is down.
package enum FileProbe {
  /// Resolves a path and reads one byte if it is a regular file. [any thread that may wait for ever]
  ///
  /// When this returns, other threads can read the file without a long wait. Missing and unreadable files are
  /// ignored.
  package static func examine(_ path: String) {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    var byte: UInt8 = 0
    _ = unsafe read(file, &byte, 1)
  }
}
