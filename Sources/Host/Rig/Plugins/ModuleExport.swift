// ModuleExport.swift: a module as an LV2 bundle for other hosts. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Export
import ModuleHost
package import PluginModel

/// Writes LV2 bundles of native modules.
package enum ModuleExport {
  /// A bundle that was written.
  package struct Product: Sendable, Equatable {
    /// The bundle's folder.
    package let bundle: String
    /// What names the plugin.
    package let uri: String
  }

  /// Throws where a plugin is not to be exported, or not under that name. [main]
  ///
  /// - Throws: `ModuleExportError.noModule`, `ModuleExportError.noURI`.
  package static func check(
    _ plugin: PluginDescription, uri: String?
  ) throws(ModuleExportError) {
    guard plugin.kind == .module else { throw .noModule(name: plugin.name, kind: plugin.kind) }
    if let uri, !LV2Bundle.isLegal(uri: uri) { throw .noURI(text: uri) }
  }

  /// What a user has to know of the rate of a module, as one sentence; nil if it works at any. [any]
  package static func rateNote(of plugin: PluginDescription) -> String? {
    guard let rates = plugin.module?.ratesHz, !rates.isEmpty else { return nil }
    let list = rates.map { "\($0) Hz" }.joined(separator: " or ")
    return
      "\(plugin.name) works only at \(list). The exported plugin does not resample and rejects"
      + " other rates with a log message."
  }

  /// Writes the bundle of a module whole, or nothing. [main]
  ///
  /// - Parameters:
  ///   - plugin: the module, which has come through its trial.
  ///   - folder: where the bundle goes; made if need be.
  ///   - uri: what names the plugin; nil for one made of the module's id.
  ///   - replaces: whether a bundle that was exported before gives way.
  ///   - shim: the library that hosts load; nil for the one that is installed with this program.
  /// - Returns: what was written.
  /// - Throws: `ModuleExportError`, `ModuleError`.
  package static func writeLV2(
    _ plugin: PluginDescription, to folder: String, uri: String?, replaces: Bool,
    shim: String? = nil
  ) throws -> Product {
    try check(plugin, uri: uri)
    guard let shim = shim ?? InstallPaths.lv2Shim else { throw ModuleExportError.noShim }
    let library = try ModuleLibrary(path: plugin.library)
    let bundle = LV2Bundle(
      plugin, uri: uri,
      exports: LV2Bundle.Exports(
        latency: library.tellsLatency, state: library.hasState, globals: library.keepsGlobals))
    let place = "\(folder)/\(bundle.name).lv2"
    try check(place, of: bundle, replaces: replaces)
    let fresh = "\(folder)/.\(bundle.name).lv2.\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    try? FileManager.default.removeItem(atPath: fresh)
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard mkdir(fresh, 0o755) == 0 else {
      throw ModuleExportError.notWritten(path: place, reason: String(cString: strerror(errno)))
    }
    do {
      try fill(fresh, bundle, shim: shim, library: plugin.library)
    } catch {
      throw ModuleExportError.notWritten(path: place, reason: SystemReason.text(error))
    }
    try putInPlace(fresh, place)
    return Product(bundle: place, uri: bundle.pluginURI)
  }

  // MARK: - Files

  private static func fill(
    _ folder: String, _ bundle: LV2Bundle, shim: String, library: String
  ) throws {
    for (file, name) in [(shim, "\(bundle.name).so"), (library, LV2Bundle.moduleFile)] {
      // Not what a link leads to by name, but what is in it: the bundle may go anywhere.
      let source = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
      try FileManager.default.copyItem(atPath: source, toPath: "\(folder)/\(name)")
    }
    // The manifest comes last: hosts that look into the folder meanwhile see no bundle.
    for (text, name) in [
      (bundle.facts, LV2Bundle.factsFile), (bundle.presets, LV2Bundle.presetsFile),
      (bundle.description, "\(bundle.name).ttl"), (bundle.manifest, "manifest.ttl"),
    ] {
      try text?.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
  }

  /// Throws where something stands that is not to be replaced.
  private static func check(
    _ place: String, of bundle: LV2Bundle, replaces: Bool
  ) throws(ModuleExportError) {
    guard let facts = try? FileManager.default.attributesOfItem(atPath: place) else { return }
    guard facts[.type] as? FileAttributeType == .typeDirectory,
      let head = FileManager.default.contents(atPath: "\(place)/\(LV2Bundle.factsFile)"),
      head.starts(with: Data("\(LV2Bundle.factsHeading) ".utf8))
    else { throw .foreign(path: place) }
    let own: Set = [
      "manifest.ttl", "\(bundle.name).ttl", "\(bundle.name).so", LV2Bundle.factsFile,
      LV2Bundle.moduleFile, LV2Bundle.presetsFile,
    ]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    if let other = names.sorted().first(where: { !own.contains($0) }) {
      throw .holdsMore(path: place, file: other)
    }
    guard replaces else { throw .exists(path: place) }
  }

  /// A host that has loaded the old bundle keeps its files until it lets them go.
  private static func putInPlace(_ fresh: String, _ place: String) throws(ModuleExportError) {
    let old = fresh + ".old"
    let isReplaced = rename(place, old) == 0
    guard rename(fresh, place) == 0 else {
      let reason = String(cString: strerror(errno))
      if isReplaced { rename(old, place) }
      throw .notWritten(path: place, reason: reason)
    }
    if isReplaced { try? FileManager.default.removeItem(atPath: old) }
  }
}

/// Why a module was not exported.
package enum ModuleExportError: Error, Equatable, CustomStringConvertible {
  /// It is no native module.
  case noModule(name: String, kind: PluginKind)
  /// What should name the plugin is no URI.
  case noURI(text: String)
  /// Part of the installation is missing.
  case noShim
  /// It was exported to there before.
  case exists(path: String)
  /// Something else stands there.
  case foreign(path: String)
  /// There is a file in it that was not exported.
  case holdsMore(path: String, file: String)
  /// A file cannot be written.
  case notWritten(path: String, reason: String)

  /// Whether what was asked for is wrong, rather than the work having failed. [any]
  package var isRequestWrong: Bool {
    switch self {
    case .noShim, .notWritten: false
    case .noModule, .noURI, .exists, .foreign, .holdsMore: true
    }
  }

  /// One sentence for people.
  package var description: String {
    switch self {
    case .noModule(let name, .lv2):
      "\(name) is already an LV2 plugin. Other hosts can use it directly."
    case .noModule(let name, _):
      "\(name) is built in. Only native modules and sources can be exported."
    case .noURI(let text):
      "\"\(text)\" is not a URI. Use ASCII without spaces, e.g. https://example.org/echo or"
        + " urn:example:echo."
    case .noShim:
      "lv2-shim.so, the library that LV2 hosts load, is not installed. Run `make install`."
    case .exists(let path):
      "\(path) already exists. Use --force to replace it."
    case .foreign(let path):
      "\(path) already exists and was not exported by this program. Choose another directory."
    case .holdsMore(let path, let file):
      "\(path) contains \(file), which was not exported. Remove that file or choose another"
        + " directory."
    case .notWritten(let path, let reason):
      "\(path) cannot be written: \(reason)."
    }
  }
}
