// WholeFile.swift: a file written in one go, whole or not at all. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// Writes files that are short enough to be in memory.
///
/// Every command that writes a file uses it, or `OutputFile` itself.
package enum WholeFile {
  /// Returns whether a path can be written: it does not exist, or is a regular file and `replaces`
  /// is true.
  ///
  /// - Throws: `AudioFileError` for a directory, a device, a pipe or a socket, also behind a
  ///   symbolic link.
  package static func check(_ path: String, replaces: Bool) throws(AudioFileError) {
    guard !path.utf8.contains(0) else {
      throw .notWritable(path: path, reason: "its path contains a NUL character")
    }
    switch unsafe cfiles_kind_at(path) {
    case CFILES_DIRECTORY: throw .isDirectory(path: path)
    case CFILES_PIPE, CFILES_SOCKET, CFILES_DEVICE:
      throw unsafe .notReplaceable(
        path: path, kind: String(cString: cfiles_kind_name(cfiles_kind_at(path))))
    case CFILES_REGULAR: if !replaces { throw .outputExists(path: path) }
    default: break
    }
  }

  /// Writes bytes to a new file, or instead of a regular file if `replaces` is true. [any]
  ///
  /// A symbolic link is followed; the file that is replaced keeps its mode.
  /// - Throws: `AudioFileError`; the old file is untouched then.
  package static func write(
    _ bytes: [UInt8], to path: String, replaces: Bool
  ) throws(AudioFileError) {
    try check(path, replaces: replaces)
    let file = try OutputFile(path: path, replaces: replaces)
    _ = unsafe bytes.withUnsafeBytes { buffer in
      unsafe buffer.baseAddress.map { unsafe file.put($0, buffer.count) }
    }
    guard file.failure == 0 else {
      throw .notWritable(path: path, reason: errorMessage(file.failure))
    }
    try file.commit()
  }

  /// Writes a text in UTF-8; see above. [any]
  package static func write(
    _ text: String, to path: String, replaces: Bool
  ) throws(AudioFileError) {
    try write(Array(text.utf8), to: path, replaces: replaces)
  }
}
