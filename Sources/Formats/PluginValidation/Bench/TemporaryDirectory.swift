// TemporaryDirectory.swift: a temporary directory for a plugin's files. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginCatalogue

/// A private directory, removed with its contents when the last reference is released.
final class TemporaryDirectory {
  let path: String

  /// Creates the directory; nil on failure.
  init?() {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/outboard-state-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { return nil }
    path = unsafe String(cString: made)
  }

  deinit { Self.remove(path) }

  /// Creates a subdirectory.
  func directory(_ name: String) -> String {
    unsafe mkdir("\(path)/\(name)", 0o700)
    return "\(path)/\(name)"
  }

  /// A file with its size and checksum.
  struct File: Equatable {
    let name: String
    /// The size in bytes.
    let size: Int
    let digest: UInt64
  }

  /// Returns the files of a directory by relative path, including subdirectories.
  static func content(of directory: String) -> [File] {
    OpenDirectory.names(in: directory).flatMap { name -> [File] in
      var facts = stat()
      guard unsafe lstat("\(directory)/\(name)", &facts) == 0 else { return [] }
      guard facts.st_mode & S_IFMT == S_IFDIR else {
        let digest = digest("\(directory)/\(name)")
        return [File(name: name, size: Int(facts.st_size), digest: digest)]
      }
      return content(of: "\(directory)/\(name)").map {
        File(name: "\(name)/\($0.name)", size: $0.size, digest: $0.digest)
      }
    }
  }

  /// Returns the checksum of a file; an unreadable file counts as empty.
  private static func digest(_ path: String) -> UInt64 {
    var digest: UInt64 = 0
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return digest }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return digest }
      for byte in bytes.prefix(count) { digest = SplitMix64.mixed(digest &+ UInt64(byte) &+ 1) }
    }
  }

  private static func remove(_ path: String) {
    for name in OpenDirectory.names(in: path) {
      let inside = "\(path)/\(name)"
      if unsafe unlink(inside) != 0 { remove(inside) }
    }
    unsafe rmdir(path)
  }
}
