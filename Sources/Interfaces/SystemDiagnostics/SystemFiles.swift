// SystemFiles.swift: access to /proc, /sys, /dev and /etc, or to a test tree. SPDX-License-Identifier: MIT

import Glibc

/// Reads small files of the kernel and the system below a root directory.
package struct SystemFiles: Sendable {
  private let root: String

  /// Creates access to a directory; the default is the root of this system.
  package init(root: String = "") { self.root = root }

  /// The maximum size to read, in bytes, which exceeds any interrupt table.
  private static let longestFileBytes = 1 << 20

  /// Returns the text of a file without line ends at the end; nil if it cannot be read. [any]
  ///
  /// Kernel files report no size, and reading can fail in the middle.
  func text(_ path: String) -> String? {
    let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < Self.longestFileBytes {
      let count = unsafe read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, bytes.isEmpty { return nil }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    // Device tree files end with a zero byte.
    while let last = bytes.last, last == 0 || last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the number in a file; nil if there is none.
  func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.trimmed) }
  }

  /// Returns the lines of a file; none if it cannot be read.
  func lines(_ path: String) -> [Substring] {
    text(path)?.split(separator: "\n") ?? []
  }

  /// Whether a file or directory exists.
  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  /// Returns the sorted names in a directory; none if it cannot be read.
  func names(in directory: String) -> [String] {
    guard let stream = unsafe opendir(root + directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the last component of the resolved path, such as the bus name of a device; nil if the link is broken.
  func resolvedName(_ path: String) -> String? {
    guard let resolved = unsafe realpath(root + path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved).split(separator: "/").last.map(String.init)
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text without surrounding spaces.
  var trimmed: String {
    let head = drop(while: \.isWhitespace)
    return String(head.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The words of the text.
  var fields: [String] { split { $0.isWhitespace }.map(String.init) }
}

extension [String] {
  /// The list as `a`, `a and b` or `a, b and c`.
  var enumeration: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
