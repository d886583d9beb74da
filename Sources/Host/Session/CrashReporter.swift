// CrashReporter.swift: crash reports with the name of the faulty plugin. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Glibc
import PluginCatalogue
import PluginLoading
import PluginModel
import RigSchema

/// Names the plugin and node in which this process crashed. [main]
///
/// Plugins pass preflight in a helper process. A plugin that crashes later ends this process, and the user must know
/// which one it was.
@safe package struct CrashReporter {
  private var libraries: [String] = []
  private var contexts: [UnsafeRawPointer] = unsafe []

  init() {}

  /// Installs the crash reporter; called once per process.
  package static func begin() { crts_tell_of_faults() }

  /// Stores the names of the plugin libraries and node steps of a rig for crash reports, if they have changed.
  mutating func follow(
    _ rig: PreparedRig, _ library: PluginLibrary,
    _ steps: [(context: UnsafeRawPointer, name: String)] = unsafe []
  ) {
    let wanted = rig.plugins.map(\.library)
    let isOther = wanted != libraries
    if isOther {
      nameLibraries(rig, library)
      FaultRecorder.follow(zip(rig.rig.nodes, rig.plugins).map { ($0.name, $1) }, library)
    }
    libraries = wanted
    let found = unsafe steps.map(\.context)
    guard unsafe isOther || found != contexts else { return }
    unsafe contexts = found
    let plugins = Dictionary(
      zip(rig.rig.nodes, rig.plugins).map { ($0.name, $1) }
    ) { first, _ in first }
    unsafe StepNames.note(
      steps.map { context, name in
        let plugin = plugins[name]
        let identifier = plugin.map { Self.name(of: $0, library) } ?? "outboard"
        return unsafe (
          context, .init(node: name, plugin: identifier, library: plugin?.library ?? "")
        )
      })
  }

  private static func name(of plugin: PluginDescription, _ library: PluginLibrary) -> String {
    library.build(of: plugin)?.path ?? plugin.identifier
  }

  private func nameLibraries(_ rig: PreparedRig, _ library: PluginLibrary) {
    var nodes: [String: [String]] = [:]
    var plugins: [String: String] = [:]
    for (node, plugin) in zip(rig.rig.nodes, rig.plugins) where !plugin.library.isEmpty {
      nodes[plugin.library, default: []].append(node.name)
      plugins[plugin.library] = Self.name(of: plugin, library)
    }
    let texts = unsafe plugins.sorted { $0.key < $1.key }.map { library, plugin in
      let names = (nodes[library] ?? []).joined(separator: ", ")
      return unsafe (strdup(library), strdup("\(plugin) (\(names))".visible))
    }
    defer {
      unsafe texts.forEach { library, owner in
        unsafe free(library)
        unsafe free(owner)
      }
    }
    let known = unsafe texts.compactMap { library, owner in
      unsafe library.flatMap { library in
        unsafe owner.map { unsafe (UnsafePointer(library), UnsafePointer($0)) }
      }
    }
    unsafe crts_register_libraries(known.map(\.0), known.map(\.1), UInt32(known.count))
  }
}
