// LV2Node+State.swift: the state and the presets of an LV2 node. SPDX-License-Identifier: MIT

internal import PluginCatalogue
package import PluginModel
import Reblocking

extension LV2Node: DirectoryStateNode {
  /// Writes the state as a bundle with one preset, `state.ttl`. [main, while rendering too]
  ///
  /// - Throws: `LV2StateError`.
  package func saveState(to directory: String) throws -> Bool {
    guard instance.stateInterface != nil else { return false }
    let isWritten = try write(to: directory, file: "state.ttl", replaces: true) {
      $0.propertyCount > 0
    }
    if isWritten { keeper.clearChange() }
    return isWritten
  }

  /// Restores the only state of the plugin in a bundle. [main, while rendering too]
  ///
  /// - Throws: `LV2StateError`.
  package func restoreState(from directory: String) throws {
    guard FileSystem.isFile(directory + "/manifest.ttl"), let path = FileSystem.real(directory)
    else {
      throw LV2StateError.noState(path: directory)
    }
    let world = try LV2World()
    world.loadBundle(path)
    try take(world.singleState(of: description, in: path))
  }

  /// Whether the plugin has sent `state:StateChanged`. [main, while rendering too]
  package var hasChangedState: Bool { keeper.hasChanged }
}

extension LV2Node: StateTransferNode {
  /// Restores the state of another instance of the same plugin.
  package func copyState(from other: any Node) throws {
    guard let other = other.capabilities[LV2Node.self],
      other.description.identifier == description.identifier,
      other.instance.stateInterface != nil
    else { return }
    let snapshot = try other.keeper.snapshot(other.instance, other.log, values: [:], for: nil)
    try restore(snapshot.state)
  }
}

extension LV2Node: PresetNode {
  /// Loads a preset. [main, while rendering too]
  ///
  /// - Throws: `LV2StateError`.
  package func load(_ preset: PluginPreset) throws {
    let world = try LV2World()
    let state = try world.state(of: preset, of: description)
    try take(state)
  }

  /// Writes a bundle with one preset, `preset.ttl`. [main, while rendering too]
  ///
  /// - Throws: `LV2StateError`.
  package func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to directory: String,
    replacing replaces: Bool
  ) throws {
    _ = try write(
      to: directory, file: "preset.ttl", named: name, inBank: bank, replaces: replaces
    ) { _ in true }
  }
}

extension LV2Node {
  /// All capabilities of LV2 plugins; `hasState` and the description have those of this one. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.directoryState = self
    capabilities.stateTransfer = self
    capabilities.presets = self
    capabilities.properties = self
    capabilities.readouts = self
    capabilities.log = self
    capabilities.blockLength = self
    capabilities.adaptation = adaptation
    capabilities.takesParametersOnAnyThread = true
    capabilities[LV2Node.self] = self
    return capabilities
  }

  private func take(_ state: LV2State) throws(LV2StateError) {
    try restore(state)
    for (symbol, value) in state.portValues {
      guard let index = description.parameters.firstIndex(where: { $0.symbol == symbol }) else {
        continue
      }
      setParameter(index, to: value)
    }
  }

  private func restore(_ state: LV2State) throws(LV2StateError) {
    defer { if !state.isOfPortsAlone { properties?.clear() } }
    try keeper.restore(state, instance, worker, log)
  }

  private var valuesBySymbol: [String: Float] {
    Dictionary(
      description.parameters.indices.map { (description.parameters[$0].symbol, parameter($0)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Writes a temporary directory first, so that the old one stays complete until the end.
  private func write(
    to directory: String, file: String, named name: String? = nil,
    inBank bank: PluginPreset.Bank? = nil, replaces: Bool, if isWanted: (LV2State) -> Bool
  ) throws(LV2StateError) -> Bool {
    let directory = FileSystem.withoutSlash(directory)
    let isBundle = replaces && FileSystem.isFile(directory + "/manifest.ttl")
    let isEmpty = FileSystem.isDirectory(directory) && OpenDirectory.names(in: directory).isEmpty
    guard !FileSystem.exists(directory) || isBundle || isEmpty else {
      throw .directoryExists(path: directory)
    }
    try FileSystem.createDirectory(FileSystem.parent(directory))
    let made = try FileSystem.createUniqueDirectory(directory + ".new-")
    defer { FileSystem.remove(made) }
    let draft = FileSystem.real(made) ?? made
    let snapshot = try keeper.snapshot(instance, log, values: valuesBySymbol, for: draft)
    guard isWanted(snapshot.state) else { return false }
    try snapshot.paths.copyFiles()
    try snapshot.state.write(to: draft, file: file, name: name, bank: bank?.identifier)
    if let bank { try FileSystem.append(bank.turtle, to: draft + "/manifest.ttl") }
    for written in [file, "manifest.ttl"] {
      try FileSystem.checkTurtle("\(draft)/\(written)", as: "\(directory)/\(written)")
    }
    try FileSystem.makePublic(draft)
    try FileSystem.replace(directory, by: draft)
    return true
  }
}

extension PluginPreset.Bank {
  /// The bank's name in Turtle, because lilv writes only presets.
  fileprivate var turtle: String {
    let text = name.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\n", "\r", "\t": " "
      default: String(scalar)
      }
    }.joined()
    return """

      <\(identifier)>
      \ta <\(LV2.presets)Bank> ;
      \t<http://www.w3.org/2000/01/rdf-schema#label> "\(text)" .

      """
  }
}
