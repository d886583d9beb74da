// FullDisk.swift: a file system with little room. SPDX-License-Identifier: MIT

import Foundation

/// A file system of half a megabyte in memory, mounted at a path, and removed with its last reference.
final class FullDisk {
  let path: String

  /// Mounting needs root, and in a container an additional privilege.
  static let isPossible: Bool = {
    let path = NSTemporaryDirectory() + "outboard-mount-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    return (try? FullDisk(at: path)) != nil
  }()

  init(at path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("tmpfs", path, "tmpfs", 0, "size=512k") == 0 else {
      throw CocoaError(.fileWriteNoPermission)
    }
  }

  deinit { umount2(path, 0) }
}
