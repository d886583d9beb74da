// RigDescription+Editing.swift: inserts, removes, moves and replaces nodes of a rig. SPDX-License-Identifier: MIT

package import PluginModel

extension RigDescription {
  /// Returns the rig after a change. [any]
  ///
  /// - Parameters:
  ///   - edit: the change.
  ///   - describe: finds a plugin by its name, id, URI or path.
  /// - Returns: the changed rig, with messages.
  /// - Throws: `RigEditError`, or an error of `describe`.
  package func applying(
    _ edit: RigEdit, describe: (String) throws -> PluginDescription
  ) throws -> EditedRig {
    var editor = RigEditor(self)
    switch edit {
    case .insert(let new, let name, let position):
      let plugin = try describe(new.link.plugin)
      let name = try editor.newName(name, for: plugin)
      try editor.connect(name, at: position ?? .before("out"))
      editor.rig.nodes.append(
        RigNode(new.resolved(for: plugin), named: name, parameters: plugin.parameters))
      editor.notes.append("\(name) is inserted: \(editor.neighbours(of: name)).")
    case .remove(let name):
      let name = try editor.ownName(name)
      editor.bridge(name)
      editor.removeNodes(name)
    case .move(let name, let position):
      let name = try editor.ownName(name)
      guard try editor.names(position, name) == false else { throw RigEditError.sameNode(name) }
      editor.bridge(name)
      try editor.connect(name, at: position)
      editor.notes.append("\(name) is moved: \(editor.neighbours(of: name)).")
    case .replace(let name, let new):
      let name = try editor.ownName(name)
      guard !nested.contains(where: { $0.name == name }) else {
        throw RigEditError.nestedRig(name)
      }
      let plugin = try describe(new.link.plugin)
      editor.replace(
        name, with: RigNode(new.resolved(for: plugin), named: name, parameters: plugin.parameters))
    case .preset(let preset, let name):
      let name = try editor.ownName(name)
      guard !nested.contains(where: { $0.name == name }) else {
        throw RigEditError.nestedRig(name)
      }
      editor.loadPreset(preset, into: name)
    }
    return editor.result
  }
}
