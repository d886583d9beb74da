// FileProbe.swift: files examined where waiting for them does no harm. SPDX-License-Identifier: MIT

import Glibc

/// Waits for a file that may be on a network file system whose server is away.
package enum FileProbe {
  /// Looks a path up, and reads a byte if it is a regular file. [any thread that may wait for ever]
  ///
  /// Once this returns, other threads can read the file without a long wait. A file that is missing or
  /// unreadable is no concern of this function.
  package static func examine(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    var byte: UInt8 = 0
    _ = read(file, &byte, 1)
  }
}
