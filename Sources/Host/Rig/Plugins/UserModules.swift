// UserModules.swift: modules that a user has added. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
package import PluginModel

/// The folder of a user's own modules.
package enum UserModules {
  /// The folder, whether it is there or not.
  ///
  /// - Throws: `UserModuleError.noHome`.
  package static func folder() throws(UserModuleError) -> String {
    guard let data = InstallPaths.userData else { throw .noHome }
    return data + "/modules"
  }

  /// Throws where a module cannot be added, whatever comes of checking it. [main]
  ///
  /// - Throws: `UserModuleError`.
  package static func check(
    _ plugin: PluginDescription, replaces: Bool
  ) throws(UserModuleError) {
    guard plugin.kind == .module else { throw .noModule(name: plugin.name) }
    let manifest = try "\(folder())/\(plugin.identifier).yaml"
    if !replaces, FileManager.default.fileExists(atPath: manifest) {
      throw .exists(name: plugin.name, id: plugin.identifier)
    }
  }

  /// Copies a module's library and manifest there, after which it is installed. [main]
  ///
  /// - Parameters:
  ///   - plugin: the module, wherever it is now.
  ///   - replaces: whether one of the same id that was added before gives way.
  /// - Returns: the module as it is installed.
  /// - Throws: `UserModuleError`, `ManifestError`.
  package static func add(
    _ plugin: PluginDescription, replaces: Bool
  ) throws -> PluginDescription {
    try check(plugin, replaces: replaces)
    let folder = try folder()
    let place = "\(folder)/\(plugin.identifier)"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw UserModuleError.notWritten(path: folder)
    }
    // The manifest comes last: without it there is no module, and with it a whole one.
    try copy(plugin.library, to: place + ".so")
    try copy(plugin.location, to: place + ".yaml")
    return try ModuleManifestReader.describe(manifest: place + ".yaml")
  }

  /// Takes away a module that was added. [main]
  ///
  /// - Parameter name: its id, or its name in any letter case.
  /// - Returns: the module that it was.
  /// - Throws: `UserModuleError`.
  package static func remove(_ name: String) throws(UserModuleError) -> PluginDescription {
    let folder = try folder()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let added = names.filter { $0.hasSuffix(".yaml") }.sorted().compactMap {
      try? ModuleManifestReader.describe(manifest: "\(folder)/\($0)")
    }
    let wanted = name.lowercased()
    let meant =
      added.filter { $0.identifier == name }.first.map { [$0] }
      ?? added.filter { $0.name.lowercased() == wanted }
    guard meant.count < 2 else {
      throw .ambiguous(name: name, ids: meant.map(\.identifier))
    }
    guard let plugin = meant.first else {
      throw .notAdded(name: name, added: added.map(\.identifier))
    }
    // In the opposite order: what is left, if anything is, is no module.
    for path in [plugin.location, plugin.library] where unlink(path) != 0 && errno != ENOENT {
      throw .notWritten(path: path)
    }
    return plugin
  }

  /// One that is loaded by a running program keeps what it has: the new file takes the place of the old.
  private static func copy(_ source: String, to target: String) throws(UserModuleError) {
    guard (try? WholeFile.check(target, replaces: true)) != nil else {
      throw .notWritten(path: target)
    }
    let fresh = "\(target).\(getpid())"
    unlink(fresh)
    do {
      try FileManager.default.copyItem(atPath: source, toPath: fresh)
    } catch {
      throw .notWritten(path: target)
    }
    guard rename(fresh, target) == 0 else {
      unlink(fresh)
      throw .notWritten(path: target)
    }
  }
}

/// Why a module was not added or removed.
package enum UserModuleError: Error, Equatable, CustomStringConvertible {
  /// There is no home to put it into.
  case noHome
  /// It is no native module.
  case noModule(name: String)
  /// One of that id was added before.
  case exists(name: String, id: String)
  /// No module of that name was added.
  case notAdded(name: String, added: [String])
  /// Several have the name.
  case ambiguous(name: String, ids: [String])
  /// A file cannot be written or removed.
  case notWritten(path: String)

  /// Whether what was asked for is wrong, rather than the work having failed. [any]
  package var isRequestWrong: Bool {
    if case .notWritten = self { return false }
    return true
  }

  /// One sentence for people.
  package var description: String {
    switch self {
    case .noHome:
      "No module directory: neither XDG_DATA_HOME nor HOME is set. Set one of them."
    case .noModule(let name):
      "\(name) is not a native module. Only sources and libraries with `process` can be installed."
    case .exists(let name, let id):
      "\(name) (\(id)) is already installed. Use --force to replace it, or set another `id:` to"
        + " keep both."
    case .notAdded(let name, let added):
      "No such installed module: \(name). "
        + (added.isEmpty
          ? "None is installed." : "Installed modules: \(added.joined(separator: ", ")).")
    case .ambiguous(let name, let ids):
      "\(name) is ambiguous. Use one of these ids: \(ids.joined(separator: ", "))."
    case .notWritten(let path):
      "\(path) cannot be written."
    }
  }
}
