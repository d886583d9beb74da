// RigFolders.swift: where rigs are looked for by name. SPDX-License-Identifier: MIT

import Foundation

/// The folders in which rigs are installed.
package enum RigFolders {
  /// The path of a rig: what was given if there is such a file, else the installed rig of that name,
  /// with or without `.yaml`; what was given if there is none. [any]
  package static func path(of name: String) -> String {
    let files = FileManager.default
    // A folder that happens to bear the name is no rig.
    let isFile = files.fileExists(atPath: name) && !Installation.isFolder(name)
    guard !name.contains("/"), !isFile else { return name }
    let names = name.hasSuffix(".yaml") ? [name] : [name + ".yaml"]
    let candidates = folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    return candidates.first { files.fileExists(atPath: $0) } ?? name
  }

  /// The user's own go before those that came with the program.
  private static var folders: [String] {
    let tree = Installation.sourceTree.map { $0 + "/manifests/rigs" }
    return [
      Installation.userData.map { $0 + "/rigs" }, Installation.prefix + "/share/outboard/rigs",
      tree,
    ].compactMap { $0 }
  }
}
