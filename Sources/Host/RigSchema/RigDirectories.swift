// RigDirectories.swift: finds rigs by name. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
package import Manifests
package import PluginCatalogue
import PluginModel

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

  /// The directories, by precedence: the user's, the system's, those of the program.
  private static var directories: [String] {
    let tree = InstallPaths.sourceTree.map { $0 + "/manifests/rigs" }
    return [
      InstallPaths.userData.map { $0 + "/rigs" }, "/etc/outboard/rigs",
      InstallPaths.prefix + "/share/outboard/rigs",
      tree,
    ].compactMap { $0 }
  }
}

extension RigReader {
  /// Reads a rig, given its path, or its name if it is installed. [any]
  ///
  /// - Parameters:
  ///   - name: the path or name.
  ///   - formats: the plugin formats, whose sources are reported as such.
  /// - Returns: the rig.
  /// - Throws: every error in it; if there is no such rig, with the most similar installed one.
  package static func read(
    named name: String, _ formats: FormatRegistry
  ) throws(ManifestError) -> RigDescription {
    if formats.isSource(name) {
      throw ManifestError([
        Diagnostic(
          file: name, position: nil, keyPath: "",
          fault: .reported(
            message:
              "this is the source of a plugin, not a rig. Check it with `outboard validate \(name)`, or"
              + " play it with `outboard run \(name)`."))
      ])
    }
    do throws(ManifestError) {
      return try read(path: RigDirectories.path(of: name))
    } catch {
      guard error.findings.first?.fault == .fileMissing, !name.contains("/") else { throw error }
      let bare = name.hasSuffix(".yaml") ? String(name.dropLast(5)) : name
      guard let near = nearest(to: bare, among: RigDirectories.names) else { throw error }
      throw ManifestError([
        Diagnostic(
          file: name, position: nil, keyPath: "",
          fault: .reported(
            message: "no such file or installed rig; did you mean \(near)?"))
      ])
    }
  }
}
