// FullDisk.swift: a file system with little room. SPDX-License-Identifier: MIT

import Foundation

/// Half a megabyte in memory, mounted at a path; taken away with its last reference.
final class FullDisk {
  let path: String

  /// Mounting takes the superuser, and in a container a privilege beyond that.
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
