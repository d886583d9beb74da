// UnreadBundle.swift: whether an unreadable bundle may contain a plugin. SPDX-License-Identifier: MIT

internal import Glibc

/// Text search in bundles whose scan failed.
enum UnreadBundle {
  /// The maximum number of bytes read from a file.
  private static let maximumBytes = 1 << 20
  /// The maximum number of files read from a directory.
  private static let maximumFileCount = 64
  /// The minimum length of a name; a shorter one may occur in any text.
  private static let minimumNameLength = 3

  /// Whether the files or the path of a bundle contain a plugin's name or identifier. [main]
  static func canContain(_ name: String, at path: String) -> Bool {
    guard name.count >= minimumNameLength else { return false }
    let wanted = name.lowercased()
    let directoryName = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
    if directoryName.split(separator: ".").first.map(String.init) == wanted { return true }
    // As an identifier or as a quoted name.
    let spellings = ["<\(wanted)>", "\"\(wanted)\"", ": \(wanted)\n"]
    return texts(at: path).contains { text in
      let text = text.lowercased()
      return spellings.contains { text.contains($0) }
    }
  }

  /// Returns the Turtle files of a directory, or the file itself.
  private static func texts(at path: String) -> [String] {
    guard let directory = OpenDirectory(path) else {
      return [text(ofFile: path)].compactMap(\.self)
    }
    let texts = directory.names().filter { $0.hasSuffix(".ttl") }.lazy
      .compactMap { text(ofFile: "\(path)/\($0)") }
    return Array(texts.prefix(maximumFileCount))
  }

  private static func text(ofFile path: String) -> String? {
    // Without O_NONBLOCK, opening a pipe would block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: min(maximumBytes, Int(status.st_size)))
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
