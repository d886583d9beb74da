// UserModules.swift: modules that a user has installed. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Installation
import ModuleHost
package import PluginModel

/// The directory of the user's modules.
package enum UserModules {
  /// Returns the directory, which may not exist.
  ///
  /// - Throws: `UserModuleError.noHome`.
  package static func directory() throws(UserModuleError) -> String {
    guard let data = InstallPaths.userData else { throw .noHome }
    return data + "/modules"
  }

  /// Checks that a module can be installed, independent of its tests. [main]
  ///
  /// - Throws: `UserModuleError`.
  package static func check(
    _ plugin: PluginDescription, replaces: Bool
  ) throws(UserModuleError) {
    guard plugin.kind == .module else { throw .noModule(name: plugin.name) }
    let manifest = try "\(directory())/\(plugin.identifier).yaml"
    if !replaces, FileManager.default.fileExists(atPath: manifest) {
      throw .exists(name: plugin.name, id: plugin.identifier)
    }
  }

  /// Installs the library and manifest of a module. [main]
  ///
  /// - Parameters:
  ///   - plugin: the module at its current location.
  ///   - replaces: whether an installed module with the same id is replaced.
  /// - Returns: the installed module.
  /// - Throws: `UserModuleError`, `ManifestError`.
  package static func add(
    _ plugin: PluginDescription, replaces: Bool
  ) throws -> PluginDescription {
    try check(plugin, replaces: replaces)
    let directory = try directory()
    let destination = "\(directory)/\(plugin.identifier)"
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw UserModuleError.notWritten(path: directory)
    }
    // Write the manifest last, so that the module is never incomplete.
    try copy(plugin.library, to: destination + ".so")
    try copy(plugin.location, to: destination + ".yaml")
    return try ModuleManifestReader.describe(manifest: destination + ".yaml")
  }

  /// Uninstalls a module. [main]
  ///
  /// - Parameter name: its id, or its name ignoring case.
  /// - Returns: the removed module.
  /// - Throws: `UserModuleError`.
  package static func remove(_ name: String) throws(UserModuleError) -> PluginDescription {
    let directory = try directory()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let added = names.filter { $0.hasSuffix(".yaml") }.sorted().compactMap {
      try? ModuleManifestReader.describe(manifest: "\(directory)/\($0)")
    }
    let wanted = name.lowercased()
    let suggestion =
      added.filter { $0.identifier == name }.first.map { [$0] }
      ?? added.filter { $0.name.lowercased() == wanted }
    guard suggestion.count < 2 else {
      throw .ambiguous(name: name, ids: suggestion.map(\.identifier))
    }
    guard let plugin = suggestion.first else {
      throw .notAdded(name: name, added: added.map(\.identifier))
    }
    // Remove the manifest first, so that the rest is not a module.
    for path in [plugin.location, plugin.library] where unsafe unlink(path) != 0 && errno != ENOENT
    {
      throw .notWritten(path: path)
    }
    return plugin
  }

  /// A running program keeps the old file, because the new file replaces the directory entry.
  private static func copy(_ source: String, to target: String) throws(UserModuleError) {
    guard (try? WholeFile.check(target, replaces: true)) != nil else {
      throw .notWritten(path: target)
    }
    let temporary = "\(target).\(getpid())"
    unsafe unlink(temporary)
    do {
      try FileManager.default.copyItem(atPath: source, toPath: temporary)
    } catch {
      throw .notWritten(path: target)
    }
    guard unsafe rename(temporary, target) == 0 else {
      unsafe unlink(temporary)
      throw .notWritten(path: target)
    }
  }
}
