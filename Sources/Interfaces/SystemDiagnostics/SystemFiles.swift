// SystemFiles.swift: /proc, /sys, /dev and /etc, or a tree that looks like them. SPDX-License-Identifier: MIT

import Glibc

/// Reads the kernel's and the system's small files below a root folder.
package struct SystemFiles: Sendable {
  private let root: String

  /// The files below a folder; those of this machine where none is named.
  package init(root: String = "") { self.root = root }

  /// The most that is read of one file, in bytes: more than any interrupt table.
  private static let longestFileBytes = 1 << 20

  /// A file's text without the line ends behind it; nil where it cannot be read.
  ///
  /// Files of the kernel tell no size, and may fail in the middle. [any]
  func text(_ path: String) -> String? {
    let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < Self.longestFileBytes {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, bytes.isEmpty { return nil }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    // Device trees end their texts with a zero.
    while let last = bytes.last, last == 0 || last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A file's number; nil where it holds none.
  func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.trimmed) }
  }

  /// A file's lines; none where it cannot be read.
  func lines(_ path: String) -> [Substring] {
    text(path)?.split(separator: "\n") ?? []
  }

  /// Whether there is such a file or folder.
  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// The names in a folder, sorted; none where it cannot be read.
  func names(in folder: String) -> [String] {
    guard let stream = opendir(root + folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The last part of a path once its links are followed, for instance the name of a device on its
  /// bus; nil where it leads nowhere.
  func resolvedName(_ path: String) -> String? {
    guard let resolved = realpath(root + path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved).split(separator: "/").last.map(String.init)
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without the blanks around it.
  var trimmed: String {
    let head = drop(while: \.isWhitespace)
    return String(head.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Its words.
  var words: [String] { split { $0.isWhitespace }.map(String.init) }
}

extension [String] {
  /// `a`, `a and b`, `a, b and c`.
  var enumeration: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
