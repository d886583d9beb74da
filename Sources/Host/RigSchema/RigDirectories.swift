// RigDirectories.swift: finds rigs by name. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation

/// The directories of installed rigs.
package enum RigDirectories {
  /// Returns the path of a rig: the argument if that file exists, otherwise the installed rig with that name,
  /// with or without `.yaml`; the argument if there is none. [any]
  package static func path(of name: String) -> String {
    let files = FileManager.default
    // A directory with that name is not a rig.
    let isFile = files.fileExists(atPath: name) && !InstallPaths.isDirectory(name)
    guard !name.contains("/"), !isFile else { return name }
    let names = name.hasSuffix(".yaml") ? [name] : [name + ".yaml"]
    let candidates = directories.flatMap { directory in names.map { "\(directory)/\($0)" } }
    return candidates.first { files.fileExists(atPath: $0) } ?? name
  }

  /// The names of the installed rigs, sorted. [any]
  package static var names: [String] {
    let files = directories.flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []
    }
    return Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }).sorted()
  }

  /// Returns whether a file belongs to the program, so that an update replaces it. [any]
  package static func isPartOfProgram(_ path: String) -> Bool {
    programDirectories.contains { path.hasPrefix($0 + "/") }
  }

  private static var programDirectories: [String] {
    [InstallPaths.prefix + "/share/outboard/rigs"]
      + (InstallPaths.sourceTree.map { [$0 + "/manifests/rigs"] } ?? [])
  }

  /// The directories, by precedence: the user's, the system's, those of the program.
  private static var directories: [String] {
    (InstallPaths.userData.map { [$0 + "/rigs"] } ?? []) + ["/etc/outboard/rigs"]
      + programDirectories
  }
}
