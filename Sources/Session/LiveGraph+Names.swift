// LiveGraph+Names.swift: who is at work on the audio thread. SPDX-License-Identifier: MIT

import Builtins
import PluginModel
import RenderGraph
import Rig

extension LiveGraph {
  /// Names by what the steps of nodes work on, of the program that was made last. [main]
  var contextNames: [(context: UnsafeRawPointer, name: String)] {
    var names: [ObjectIdentifier: String] = [:]
    for member in members {
      for node in member.nodes { names[ObjectIdentifier(node)] = member.name }
    }
    if let howlGuard { names[ObjectIdentifier(howlGuard)] = "howl guard" }
    return editor.contexts.compactMap { node, context in
      names[ObjectIdentifier(node)].map { (context, $0) }
    }
  }
}
