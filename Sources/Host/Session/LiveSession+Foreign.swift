// LiveSession+Foreign.swift: what plugins change of the process they run in. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// Restores what plugins have changed of the process while they ran, and names them.
  func seeToForeignChanges() {
    let names = graph.members.map(\.plugin.name)
    ForeignChanges.noteModes(in: graph.editor.contexts, of: graph.members)
    ForeignChanges.note(processState.restore(), among: names)
    notices += ForeignChanges.takeRemarks(on: graph.members)
  }
}

/// Finds out which plugin of a rig changed something. [main]
enum ForeignChanges {
  /// Stands for a plugin that is not known.
  private static let unknown = "A plugin"

  /// Records the plugins whose steps changed the floating-point mode.
  static func noteModes(
    in contexts: [(node: any Node, context: UnsafeRawPointer)], of members: [BuiltRig.BuiltNode]
  ) {
    for (node, context) in contexts where crealtime_take_mode_change(context) {
      let member = members.first { member in member.nodes.contains { $0 === node } }
      ForeignCode.note(.floatingPoint, by: member?.plugin.name ?? unknown)
    }
  }

  /// What there is to say of these plugins, one sentence each.
  static func takeRemarks(on members: [BuiltRig.BuiltNode]) -> [String] {
    let names = members.flatMap { [$0.plugin.name, $0.plugin.library] }
    return ForeignCode.takeRemarks(by: Set(names + [unknown]))
  }

  /// Records what was changed, by a plugin of these that did so before, or by the only one.
  static func note(_ changes: ForeignCode.Changes, among names: [String]) {
    guard !changes.isEmpty else { return }
    let suspects = names.filter { !ForeignCode.changes(by: $0).isDisjoint(with: changes) }
    // Who is known was named.
    guard suspects.isEmpty else { return }
    ForeignCode.note(changes, by: Set(names).count == 1 ? names[0] : unknown)
  }
}
