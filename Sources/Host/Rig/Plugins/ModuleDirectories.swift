// ModuleDirectories.swift: where native modules are looked for. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The folders in which modules are installed, and how a manifest's library is found.
enum ModuleDirectories {
  /// Folders that exist, those that take precedence first: `OUTBOARD_MODULE_PATH`, the user's, the
  /// ones beside this program, and those of a source tree in which it was built.
  static var all: [String] {
    existing(
      path: InstallPaths.variable("OUTBOARD_MODULE_PATH"), userData: InstallPaths.userData,
      prefix: InstallPaths.prefix, sourceTree: InstallPaths.sourceTree)
  }

  /// The same for an environment and a place of the program that are given.
  static func existing(
    path: String?, userData: String?, prefix: String, sourceTree: String?
  ) -> [String] {
    // Seen from here, wherever the catalogue is read next.
    var folders = path?.split(separator: ":").map { URL(fileURLWithPath: String($0)).path } ?? []
    if let userData { folders.append(userData + "/modules") }
    folders.append(prefix + "/lib/outboard/modules")
    if let sourceTree { folders.append(sourceTree + "/manifests/modules") }
    var seen: Set<String> = []
    return folders.filter { seen.insert($0).inserted && InstallPaths.isFolder($0) }
  }

  /// Manifests in those folders, by name within each.
  static var manifests: [String] {
    all.flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(folder)/\($0)" }
    }
  }

  /// The library that belongs to a manifest: of the same name, beside it or among the build's products.
  static func library(forManifest path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    let folder = path.contains("/") ? url.deletingLastPathComponent().path : "."
    var candidates = ["\(folder)/\(name).so", "\(folder)/lib\(name).so"]
    if InstallPaths.sourceTree.map({ folder == $0 + "/manifests/modules" }) == true {
      candidates.append("\(InstallPaths.programFolder)/lib\(name).so")
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The manifest that belongs to a library: of the same name, beside it.
  static func manifest(forLibrary path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    let folder = path.contains("/") ? url.deletingLastPathComponent().path : "."
    var names = [name]
    if name.hasPrefix("lib") { names.append(String(name.dropFirst(3))) }
    return names.map { "\(folder)/\($0).yaml" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }
}
