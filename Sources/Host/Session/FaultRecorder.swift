// FaultRecorder.swift: remembers plugins that ended this process. SPDX-License-Identifier: MIT

import PluginCatalogue
import PluginLoading
import PluginModel
import Synchronization

/// The plugins of this process, in the form that a fault needs.
///
/// It is filled before a fault, because afterwards memory and plugins can be in any state.
enum FaultRecorder {
  private struct Suspect: Sendable {
    let node: String
    let library: String
    let subject: FaultSubject
  }

  private struct Suspects: Sendable {
    var memory: FaultMemory?
    var list: [Suspect] = []
  }

  private static let suspects = Mutex(Suspects())

  /// Replaces the plugins. [main]
  static func follow(_ nodes: [(name: String, plugin: PluginDescription)], _ library: PluginLibrary)
  {
    guard let memory = library.isolationPolicy?.faults else { return }
    let list = nodes.compactMap { name, plugin in
      library.faultSubject(of: plugin).map {
        Suspect(node: name, library: plugin.library, subject: $0)
      }
    }
    suspects.withLock { $0 = Suspects(memory: memory, list: list) }
  }

  /// Records a fault of a node, or of the plugins of a library if the node is unknown. [any but render]
  static func record(_ deed: String, node: String?, library: String) {
    let all = suspects.withLock { $0 }
    var recorded: Set<String> = []
    for suspect in all.list {
      let isCause =
        node.map { $0 == suspect.node } ?? (!library.isEmpty && library == suspect.library)
      guard isCause, recorded.insert(suspect.subject.identifier).inserted else { continue }
      all.memory?.record(suspect.subject, deed: deed)
    }
  }
}
