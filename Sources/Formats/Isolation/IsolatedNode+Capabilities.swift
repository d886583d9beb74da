// IsolatedNode+Capabilities.swift: state, presets, properties, readouts and log of an isolated node.
// SPDX-License-Identifier: MIT

package import PluginModel

extension IsolatedNode: StatefulNode {
  /// Returns the state of the plugin; nil if there is none, or no answer. [main, while rendering too]
  package func save() -> [UInt8]? { try? call(.saveBytes, isSlow: true).bytes }

  /// Restores a state of `save`. [main, while rendering too]
  ///
  /// - Throws: `IsolationError`.
  package func restore(_ bytes: [UInt8]) throws {
    try call(.restoreBytes(bytes), isSlow: true)
  }
}

extension IsolatedNode: DirectoryStateNode {
  /// Whether the plugin may have more to keep than parameters. [any]
  package var hasState: Bool { shape.flags.contains(.mayHaveDirectoryState) }

  /// Writes the state. [main, while rendering too]
  ///
  /// - Throws: `IsolationError`.
  package func saveState(to directory: String) throws -> Bool {
    try exporting(to: directory, replacing: true) { path throws(IsolationError) in
      try call(.saveState(directory: path), setsValues: true, isSlow: true).flag
    }
  }

  /// Restores the state of such a directory, including parameters. [main, while rendering too]
  ///
  /// - Throws: `IsolationError`.
  package func restoreState(from directory: String) throws {
    let path = try worker.sandbox?.readablePath(directory, of: plugin.name) ?? directory
    try call(.restoreState(directory: path), setsValues: true, isSlow: true)
    adoptValues()
  }

  /// Whether the plugin has reported another state than the last saved one. [main]
  package var hasChangedState: Bool {
    refreshStatus()
    return status.hasChangedState
  }
}

extension IsolatedNode: PresetNode {
  /// Loads a preset. [main, while rendering too]
  ///
  /// - Throws: `IsolationError`.
  package func load(_ preset: PluginPreset) throws {
    try call(.loadPreset(preset), setsValues: true, isSlow: true)
    adoptValues()
  }

  /// Writes the settings as a preset. [main, while rendering too]
  ///
  /// - Throws: `IsolationError`.
  package func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to directory: String,
    replacing replaces: Bool
  ) throws {
    _ = try exporting(to: directory, replacing: replaces) { path throws(IsolationError) in
      try call(
        .savePreset(name: name, bank: bank, directory: path, replaces: replaces),
        setsValues: true, isSlow: true)
      return true
    }
  }
}

extension IsolatedNode {
  /// Lets the process save a directory, if it has a sandbox through a copy. [main]
  ///
  /// - Throws: `IsolationError`.
  private func exporting(
    to directory: String, replacing replaces: Bool,
    _ save: (String) throws(IsolationError) -> Bool
  ) throws(IsolationError) -> Bool {
    guard let sandbox = worker.sandbox else { return try save(directory) }
    return try sandbox.export(to: directory, replacing: replaces, of: plugin.name, save)
  }
}

extension IsolatedNode: PropertyNode {
  /// Sets a value, which the plugin receives at the start of its next block. [main]
  package func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError) {
    let reply: WorkerReply
    do throws(IsolationError) {
      reply = try call(.setProperty(index, value), isSlow: true)
    } catch {
      throw .unusable(name: plugin.properties[index].name, reason: error.description)
    }
    if let error = reply.propertyError { throw error }
  }

  /// Returns the value last set, or reported by the plugin. [main]
  package func property(_ index: Int) -> PropertyValue? {
    refreshStatus()
    return status.properties?[index]
  }

  /// Returns the properties that the plugin has changed since the last call. [main]
  package func takePropertyChanges() -> [Int] {
    refreshStatus()
    defer { changedProperties = [] }
    return changedProperties
  }

  /// Whether a value can be set after the node has rendered. [any]
  package var acceptsPropertiesWhileRendering: Bool {
    shape.flags.contains(.acceptsPropertiesWhileRendering)
  }
}

extension IsolatedNode: ReadoutNode {
  /// Returns the last reported value. [main, while rendering too]
  package func readout(_ index: Int) -> Float {
    refreshStatus()
    return status.readouts[index]
  }

  /// Brings all readouts up to the last block. [main, not rendering]
  package func refreshReadouts() {
    settle()
    _ = try? call(.poll(refreshesReadouts: true))
  }
}

extension IsolatedNode: LoggingNode {
  /// Returns the log messages since the last call. [main, while rendering too]
  package func takeMessages() -> [PluginLogMessage] {
    refreshStatus()
    defer { messages = [] }
    return messages
  }

  /// Returns the number of lost errors and warnings since the last call. [main, while rendering too]
  package func takeDroppedMessageCount() -> Int {
    defer { droppedMessageCount = 0 }
    return droppedMessageCount
  }
}

extension IsolatedNode: BlockLengthObserver {
  /// Whether the plugin uses the block length. [main]
  package var observesBlockLength: Bool { shape.flags.contains(.observesBlockLength) }

  /// Sets a block length. [main, not rendering]
  package func blockLengthChanged(to frameCount: Int) -> Bool {
    settle()
    return (try? call(.setBlockLength(frameCount)).flag) ?? false
  }
}

extension IsolatedNode {
  /// Those of the node in the worker process. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    func has(_ flag: NodeShape.Flags) -> Bool { shape.flags.contains(flag) }
    if has(.hasState) { capabilities.state = self }
    if has(.hasDirectoryState) { capabilities.directoryState = self }
    if has(.transfersState) { capabilities.stateTransfer = self }
    if has(.hasPresets) { capabilities.presets = self }
    if has(.hasProperties) { capabilities.properties = self }
    if has(.hasReadouts) { capabilities.readouts = self }
    if has(.logs) { capabilities.log = self }
    if has(.observesBlockLength) { capabilities.blockLength = self }
    capabilities.chain = self
    capabilities.adaptation = status.adaptation
    capabilities.takesParametersOnAnyThread = has(.takesParameters)
    capabilities[IsolatedNode.self] = self
    return capabilities
  }
}
