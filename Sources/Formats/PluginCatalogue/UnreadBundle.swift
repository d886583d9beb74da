// UnreadBundle.swift: whether a plugin may be in a bundle that could not be read. SPDX-License-Identifier: MIT

internal import Glibc

/// Bundles whose scan crashed, or took too long, still have data on the disk.
enum UnreadBundle {
  /// Of a file no more is looked at, in bytes.
  private static let mostBytes = 1 << 20
  /// Of a folder no more files are looked at.
  private static let mostFiles = 64
  /// A name of fewer letters may be part of any text.
  private static let fewestLetters = 3

  /// Whether the files of a bundle or a manifest, or its path, have a plugin's name or identifier. [main]
  static func mayHold(_ name: String, at path: String) -> Bool {
    guard name.count >= fewestLetters else { return false }
    let wanted = name.lowercased()
    let folderName = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
    if folderName.split(separator: ".").first.map(String.init) == wanted { return true }
    // As an identifier, or as a name in quotes.
    let spellings = ["<\(wanted)>", "\"\(wanted)\"", ": \(wanted)\n"]
    return texts(at: path).contains { text in
      let text = text.lowercased()
      return spellings.contains { text.contains($0) }
    }
  }

  /// The Turtle files of a folder; the file itself where it is one.
  private static func texts(at path: String) -> [String] {
    guard let folder = opendir(path) else { return [text(ofFile: path)].compactMap(\.self) }
    defer { closedir(folder) }
    var texts: [String] = []
    while texts.count < mostFiles, let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".ttl"), let text = text(ofFile: "\(path)/\(name)") else { continue }
      texts.append(text)
    }
    return texts
  }

  private static func text(ofFile path: String) -> String? {
    // A pipe would be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(mostBytes, Int(status.st_size)))
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
