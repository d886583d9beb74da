// OpenDirectory.swift: the names in a directory. SPDX-License-Identifier: MIT

internal import Glibc

/// A directory that is open until its value is destroyed.
@safe package struct OpenDirectory: ~Copyable {
  private let stream: OpaquePointer
  /// The descriptor, for functions such as `fstatat`.
  package var descriptor: Int32 { unsafe dirfd(stream) }

  /// Opens a directory; nil with the reason in `errno` if that fails.
  ///
  /// May block if a network is down. [any]
  package init?(_ path: String) {
    guard let stream = unsafe opendir(path) else { return nil }
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  /// Reads the names that have not been read yet, without `.` and `..`. [any]
  ///
  /// They are sorted, because the order of `readdir` may change without any other change.
  package func names() -> [String] {
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the sorted names in a directory; none if it cannot be read. [any]
  package static func names(in path: String) -> [String] { OpenDirectory(path)?.names() ?? [] }
}
