// SourceLine.swift: source lines of addresses in libraries. SPDX-License-Identifier: MIT

internal import CRealtimeSafety
internal import Glibc

/// Finds source lines with the debug information of a library.
package enum SourceLine {
  /// Finds the line of an address.
  ///
  /// A system tool searches for it, which takes up to some seconds. [any but render]
  ///
  /// - Parameters:
  ///   - library: the path of the library; empty if unknown.
  ///   - offset: the offset of the address in the library, in bytes.
  /// - Returns: the line, as in `late.c:7`; nil if it is not known.
  package static func text(_ library: String, offset: UInt) -> String? {
    guard !library.isEmpty else { return nil }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { text in
      guard let start = text.baseAddress,
        unsafe crts_line_of(library, offset, start, UInt32(text.count))
      else { return nil }
      return unsafe relative(String(cString: start))
    }
  }

  /// Returns a path relative to the working directory.
  private static func relative(_ path: String) -> String {
    guard let directory = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(directory) }
    let prefix = unsafe String(cString: directory) + "/"
    for start in [prefix, "./"] where path.hasPrefix(start) {
      return String(path.dropFirst(start.count))
    }
    return path
  }
}
