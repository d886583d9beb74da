// ModuleExport.swift: export of a module as an LV2 bundle. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
import LV2Host
import ModuleHost
package import PluginModel

/// Exports native modules as LV2 bundles.
package enum ModuleExport {
  /// An exported bundle.
  package struct Product: Sendable, Equatable {
    /// The directory of the bundle.
    package let bundle: String
    /// The URI of the plugin.
    package let uri: String
  }

  /// Checks that a plugin can be exported under a URI. [main]
  ///
  /// - Throws: `ModuleExportError.noModule`, `ModuleExportError.noURI`.
  package static func check(
    _ plugin: PluginDescription, uri: String?
  ) throws(ModuleExportError) {
    guard plugin.kind == .module else { throw .noModule(name: plugin.name, kind: plugin.kind) }
    if let uri, !LV2Bundle.isLegal(uri: uri) { throw .noURI(text: uri) }
  }

  /// Returns a note about the sample rates of a module; nil if it supports all. [any]
  package static func rateNote(of plugin: PluginDescription) -> String? {
    guard let rates = plugin.module?.ratesHz, !rates.isEmpty else { return nil }
    let list = rates.map { "\($0) Hz" }.joined(separator: " or ")
    return
      "\(plugin.name) works only at \(list). The exported plugin does not resample and rejects"
      + " other rates with a log message."
  }

  /// Writes the complete bundle of a module, or nothing. [main]
  ///
  /// - Parameters:
  ///   - plugin: the module, which has passed preflight.
  ///   - directory: the output directory; created if it does not exist.
  ///   - uri: the URI of the plugin; nil to derive one from the module id.
  ///   - replaces: whether an exported bundle is replaced.
  ///   - shim: the library that hosts load; nil for the installed one.
  /// - Returns: the exported bundle.
  /// - Throws: `ModuleExportError`, `ModuleError`.
  package static func writeLV2(
    _ plugin: PluginDescription, to directory: String, uri: String?, replaces: Bool,
    shim: String? = nil
  ) throws -> Product {
    try check(plugin, uri: uri)
    guard let shim = shim ?? InstallPaths.lv2Shim else { throw ModuleExportError.noShim }
    let library = try ModuleLibrary(path: plugin.library)
    let bundle = LV2Bundle(
      plugin, uri: uri,
      exports: LV2Bundle.Exports(
        latency: library.exportsLatency, state: library.hasState, globals: library.keepsGlobals))
    let destination = "\(directory)/\(bundle.name).lv2"
    try check(destination, of: bundle, replaces: replaces)
    let temporary = "\(directory)/.\(bundle.name).lv2.\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    try? FileManager.default.removeItem(atPath: temporary)
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard unsafe mkdir(temporary, 0o755) == 0 else {
      throw unsafe ModuleExportError.notWritten(
        path: destination, reason: String(cString: strerror(errno)))
    }
    do {
      try fill(temporary, bundle, shim: shim, library: plugin.library)
    } catch {
      throw ModuleExportError.notWritten(path: destination, reason: SystemReason.text(error))
    }
    try moveIntoPlace(temporary, destination)
    return Product(bundle: destination, uri: bundle.pluginURI)
  }

  // MARK: - Files

  private static func fill(
    _ directory: String, _ bundle: LV2Bundle, shim: String, library: String
  ) throws {
    for (file, name) in [(shim, "\(bundle.name).so"), (library, LV2Bundle.moduleFile)] {
      // Copy the target of a link, because the bundle can be moved.
      let source = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
      try FileManager.default.copyItem(atPath: source, toPath: "\(directory)/\(name)")
    }
    // Write the manifest last: until then, hosts see no bundle.
    for (text, name) in [
      (bundle.facts, LV2Bundle.metadataFile), (bundle.presets, LV2Bundle.presetsFile),
      (bundle.description, "\(bundle.name).ttl"), (bundle.manifest, "manifest.ttl"),
    ] {
      try text?.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
    }
  }

  /// Throws if the destination may not be replaced.
  private static func check(
    _ destination: String, of bundle: LV2Bundle, replaces: Bool
  ) throws(ModuleExportError) {
    guard let facts = try? FileManager.default.attributesOfItem(atPath: destination) else { return }
    guard facts[.type] as? FileAttributeType == .typeDirectory,
      let head = FileManager.default.contents(atPath: "\(destination)/\(LV2Bundle.metadataFile)"),
      head.starts(with: Data("\(LV2Bundle.metadataHeading) ".utf8))
    else { throw .foreign(path: destination) }
    let bundleFiles: Set = [
      "manifest.ttl", "\(bundle.name).ttl", "\(bundle.name).so", LV2Bundle.metadataFile,
      LV2Bundle.moduleFile, LV2Bundle.presetsFile,
    ]
    let names = (try? FileManager.default.contentsOfDirectory(atPath: destination)) ?? []
    if let other = names.sorted().first(where: { !bundleFiles.contains($0) }) {
      throw .holdsMore(path: destination, file: other)
    }
    guard replaces else { throw .exists(path: destination) }
  }

  /// A host with the old bundle keeps its files open.
  private static func moveIntoPlace(_ temporary: String, _ destination: String)
    throws(ModuleExportError)
  {
    let old = temporary + ".old"
    let isReplaced = unsafe rename(destination, old) == 0
    guard unsafe rename(temporary, destination) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      if isReplaced { unsafe rename(old, destination) }
      throw .notWritten(path: destination, reason: reason)
    }
    if isReplaced { try? FileManager.default.removeItem(atPath: old) }
  }
}
