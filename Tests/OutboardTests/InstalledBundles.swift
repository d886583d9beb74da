// InstalledBundles.swift: some of the machine's LV2 plugins, and no others. SPDX-License-Identifier: MIT

import Foundation

/// A directory with links to bundles of the distribution; removed with its last reference.
final class InstalledBundles {
  let path = NSTemporaryDirectory() + "outboard-installed-\(UUID().uuidString)"
  private static let installed = "/usr/lib/lv2"

  init(_ names: [String]) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/\(name)", withDestinationPath: "\(Self.installed)/\(name)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Whether the machine has them.
  static func exist(_ names: [String]) -> Bool {
    names.allSatisfy { FileManager.default.fileExists(atPath: "\(installed)/\($0)/manifest.ttl") }
  }
}
