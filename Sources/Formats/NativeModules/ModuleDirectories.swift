// ModuleDirectories.swift: directories of native modules. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation

/// The directories of installed modules, and the mapping of manifests to libraries.
enum ModuleDirectories {
  /// The existing directories, by precedence: `OUTBOARD_MODULE_PATH`, that of the user, those of this program, and
  /// those of its source tree.
  static var all: [String] {
    existing(
      path: InstallPaths.variable("OUTBOARD_MODULE_PATH"), userData: InstallPaths.userData,
      prefix: InstallPaths.prefix, sourceTree: InstallPaths.sourceTree)
  }

  /// Returns the directories for an environment and a program location.
  static func existing(
    path: String?, userData: String?, prefix: String, sourceTree: String?
  ) -> [String] {
    // Absolute, because the catalogue can be read from another working directory.
    var directories =
      path?.split(separator: ":").map { URL(fileURLWithPath: String($0)).path } ?? []
    if let userData { directories.append(userData + "/modules") }
    directories.append(prefix + "/lib/outboard/modules")
    if let sourceTree { directories.append(sourceTree + "/manifests/modules") }
    var seen: Set<String> = []
    return directories.filter { seen.insert($0).inserted && InstallPaths.isDirectory($0) }
  }

  /// Returns the manifests in these directories, sorted by name.
  static var manifests: [String] {
    all.flatMap { directory in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(directory)/\($0)" }
    }
  }

  /// Returns the library of a manifest: of the same name, in its directory or among the build products.
  static func library(forManifest path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    let directory = path.contains("/") ? url.deletingLastPathComponent().path : "."
    var candidates = ["\(directory)/\(name).so", "\(directory)/lib\(name).so"]
    if InstallPaths.sourceTree.map({ directory == $0 + "/manifests/modules" }) == true {
      candidates.append("\(InstallPaths.programDirectory)/lib\(name).so")
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// Returns the manifest of a library: of the same name, in its directory.
  static func manifest(forLibrary path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    let directory = path.contains("/") ? url.deletingLastPathComponent().path : "."
    var names = [name]
    if name.hasPrefix("lib") { names.append(String(name.dropFirst(3))) }
    return names.map { "\(directory)/\($0).yaml" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }
}
