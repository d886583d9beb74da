// TemporaryFolder.swift: a folder for a plugin's files, gone afterwards. SPDX-License-Identifier: MIT

internal import Glibc

/// A folder that nobody else can write to; removed, with all that is in it, with its last reference.
final class TemporaryFolder {
  let path: String

  /// Makes it; nil if it cannot be made.
  init?() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/outboard-state-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
  }

  deinit { Self.remove(path) }

  /// A folder in it.
  func folder(_ name: String) -> String {
    mkdir("\(path)/\(name)", 0o700)
    return "\(path)/\(name)"
  }

  /// The files of a folder with their sizes in bytes, by name; those of folders in it by their path.
  static func content(of folder: String) -> [(name: String, size: Int)] {
    names(folder).flatMap { name -> [(name: String, size: Int)] in
      var facts = stat()
      guard lstat("\(folder)/\(name)", &facts) == 0 else { return [] }
      guard facts.st_mode & S_IFMT == S_IFDIR else { return [(name, Int(facts.st_size))] }
      return content(of: "\(folder)/\(name)").map { ("\(name)/\($0.name)", $0.size) }
    }
  }

  private static func remove(_ path: String) {
    for name in names(path) {
      let inside = "\(path)/\(name)"
      if unlink(inside) != 0 { remove(inside) }
    }
    rmdir(path)
  }

  private static func names(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
