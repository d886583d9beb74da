// PrivateFile.swift: files that only their owner can read. SPDX-License-Identifier: MIT

import Glibc

/// A file that only its owner can read, and that is replaced as a whole and keeps its owner.
package enum PrivateFile {
  /// Writes a file. [any]
  ///
  /// - Parameters:
  ///   - bytes: the content.
  ///   - path: the file, in an existing directory.
  ///   - isFlushed: whether the content must survive a power failure, which takes the time of a disk access.
  /// - Returns: false with the error number in `errno` if the file cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, isFlushed: Bool = true) -> Bool {
    let temporary = "\(path).\(getpid())"
    unsafe unlink(temporary)
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    var former = stat()
    // Root may change the file of a service.
    if unsafe lstat(path, &former) == 0 { _ = fchown(descriptor, former.st_uid, former.st_gid) }
    let isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    guard !isFlushed || fsync(descriptor) == 0, close(descriptor) == 0, isWritten,
      unsafe rename(temporary, path) == 0
    else {
      let number = errno
      unsafe unlink(temporary)
      errno = number
      return false
    }
    return true
  }
}
