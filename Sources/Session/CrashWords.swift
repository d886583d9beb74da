// CrashWords.swift: whose code a run or a rendering ended in. SPDX-License-Identifier: MIT

import CWatch
import Glibc
import PluginModel
import Rig

/// Has a crash of this process say whose code it was in.
///
/// Plugins are tried in a child before they are let in; but code that crashes after a while, or at what comes in, takes
/// the process with it, and then it is to be known whose it was. [main]
package struct CrashWords {
  private var libraries: [String] = []

  init() {}

  /// A crash speaks from now on; once in a process.
  package static func begin() { cwatch_speak_of_crashes() }

  /// Says whose the libraries of a rig are, if they are others than before.
  mutating func follow(_ rig: PreparedRig, _ library: PluginLibrary) {
    let wanted = rig.plugins.map(\.library)
    guard wanted != libraries else { return }
    libraries = wanted
    var nodes: [String: [String]] = [:]
    var plugins: [String: String] = [:]
    for (node, plugin) in zip(rig.rig.nodes, rig.plugins) where !plugin.library.isEmpty {
      nodes[plugin.library, default: []].append(node.name)
      plugins[plugin.library] = library.source(of: plugin)?.path ?? plugin.identifier
    }
    let texts = plugins.sorted { $0.key < $1.key }.map { library, plugin in
      (strdup(library), strdup("\(plugin) (\((nodes[library] ?? []).joined(separator: ", ")))"))
    }
    defer {
      for (library, owner) in texts {
        free(library)
        free(owner)
      }
    }
    let known = texts.compactMap { library, owner in
      library.flatMap { library in owner.map { (UnsafePointer(library), UnsafePointer($0)) } }
    }
    cwatch_name_libraries(known.map(\.0), known.map(\.1), UInt32(known.count))
  }
}
