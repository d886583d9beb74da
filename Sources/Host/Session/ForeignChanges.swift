// ForeignChanges.swift: process settings that plugins change. SPDX-License-Identifier: MIT

import CRealtime
import ErrorModel
import PluginModel
import RigPlanning

/// Finds the plugin of a rig that changed a process setting. [main]
enum ForeignChanges {
  /// The name of an unknown plugin.
  private static let unknown = "A plugin"

  /// Records the plugins whose steps changed the floating-point mode.
  static func recordModes(
    in contexts: [(node: any Node, context: UnsafeRawPointer)], of members: [BuiltRig.BuiltNode]
  ) {
    unsafe contexts.forEach { node, context in
      guard unsafe crealtime_take_mode_change(context) else { return }
      let member = members.first { member in member.nodes.contains { $0 === node } }
      ForeignCode.report(.floatingPoint, by: member?.plugin.name ?? unknown)
    }
  }

  /// Returns a notice for each of these plugins that made a change.
  static func takeNotices(on members: [BuiltRig.BuiltNode]) -> [HostNotice] {
    let names = members.flatMap { [$0.plugin.name, $0.plugin.library] }
    return ForeignCode.takeNotices(by: Set(names + [unknown]))
  }

  /// Attributes changes to a plugin that made such a change before, or to the only plugin.
  ///
  /// Built-in nodes, such as recorders, change nothing.
  static func report(_ changes: ForeignCode.Changes, among members: [BuiltRig.BuiltNode]) {
    guard !changes.isEmpty else { return }
    let names = members.map(\.plugin).filter { $0.kind != .builtin }.map(\.name)
    let suspects = names.filter { !ForeignCode.changes(by: $0).isDisjoint(with: changes) }
    // The known plugin was reported.
    guard suspects.isEmpty else { return }
    ForeignCode.report(changes, by: Set(names).count == 1 ? names[0] : unknown)
  }
}
