// DirectoryStateNode.swift: nodes whose plugin keeps more than parameters. SPDX-License-Identifier: MIT

/// A node whose plugin has its own state, which can be saved in a directory.
package protocol DirectoryStateNode: Node {
  /// Whether its plugin may have more to keep than parameters. [any]
  var hasState: Bool { get }
  /// Writes the state, its parameters and copies of the files that it refers to. [main, while
  /// rendering too]
  ///
  /// The directory is created, or replaces the one of an earlier call. It can be moved, because it
  /// contains no external references.
  /// - Returns: false, without a directory, if the plugin has only parameters.
  func saveState(to directory: String) throws -> Bool
  /// Restores the state of such a directory, including parameters. [main, while rendering too]
  func restoreState(from directory: String) throws
  /// Whether the plugin reported that its state differs from the last saved or restored one. [main,
  /// while rendering too]
  var hasChangedState: Bool { get }
}

extension DirectoryStateNode {
  /// Default: the node may have a state.
  package var hasState: Bool { true }
}

/// A node that can copy the state of another instance of the same plugin in memory.
package protocol StateTransferNode: Node {
  /// Copies the state of another instance, which may have another sample rate, but not its
  /// parameters.
  ///
  /// Does nothing if the other instance is of another plugin. [main; the other may be rendering]
  func copyState(from other: any Node) throws
}

/// A node that takes presets.
package protocol PresetNode: Node {
  /// Loads a preset: parameters, state, or both. [main, while rendering too]
  func load(_ preset: PluginPreset) throws
  /// Writes the current settings as a preset in a separate bundle. [main, while rendering too]
  ///
  /// - Parameters:
  ///   - name: the readable name of the preset.
  ///   - bank: the bank of the preset.
  ///   - directory: the path of the bundle, which is created with its parent directories.
  ///   - replaces: whether an existing bundle is replaced.
  /// - Throws: if the path exists, or the bundle cannot be written.
  func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to directory: String,
    replacing replaces: Bool
  ) throws
}
