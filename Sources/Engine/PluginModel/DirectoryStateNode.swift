// DirectoryStateNode.swift: nodes whose plugin keeps more than parameters. SPDX-License-Identifier: MIT

/// A node whose plugin has its own state, which can be saved in a directory.
package protocol DirectoryStateNode: Node {
  /// Whether its plugin may have more to keep than parameters. [any]
  var hasState: Bool { get }
  /// Writes the state, its parameters and copies of the files that it refers to.
  ///
  /// The folder can be moved elsewhere: nothing in it points out of it. It is made, or takes the place
  /// of one that was written before. [main, while rendering too]
  /// - Returns: false, and no folder, where the plugin has nothing but parameters.
  func saveState(to folder: String) throws -> Bool
  /// Restores the state of such a directory, including parameters. [main, while rendering too]
  func restoreState(from folder: String) throws
  /// Whether the plugin reported that its state differs from the last saved or restored one. [main,
  /// while rendering too]
  var hasChangedState: Bool { get }
}

extension DirectoryStateNode {
  /// It may.
  package var hasState: Bool { true }
}

/// A node that can take over, in memory, what another one of the same plugin remembers.
package protocol StateTransferNode: Node {
  /// Takes the state of another instance, perhaps at another rate, but not its parameters.
  ///
  /// Does nothing where the other is of another plugin. [main; the other may be rendering]
  func adoptState(of other: any Node) throws
}

/// A node that takes presets.
package protocol PresetNode: Node {
  /// Sets what the preset sets: parameters, state, or both. [main, while rendering too]
  func load(_ preset: PluginPreset) throws
  /// Writes how the node is set as a preset, a bundle of its own. [main, while rendering too]
  ///
  /// - Parameters:
  ///   - name: what a person will call it.
  ///   - bank: what it is put in.
  ///   - folder: the bundle, made with all that it is in.
  ///   - replaces: whether a bundle that is there gives way.
  /// - Throws: if there is something in the way, or it cannot be written.
  func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to folder: String, replacing replaces: Bool
  ) throws
}
