// RigSaver.swift: saves the current rig of a session. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
import Manifests
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema

/// Saves the active rig with its current values.
struct RigSaver {
  let active: ActiveRig

  private var graph: LiveGraph { active.graph }

  /// Writes the rig with its current values to a file, and the plugin states with their files to a
  /// directory next to it.
  ///
  /// The file is complete or does not exist.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the rig file.
  ///   - replaces: whether an existing file is overwritten.
  /// - Returns: the path in its usual form, and the text.
  /// - Throws: `SaveError` if it cannot be written, or errors of a plugin.
  func save(to path: String, replaces: Bool) throws -> (path: String, text: String) {
    let location = SaveLocation(path)
    guard location.hasDirectory else { throw SaveError.noDirectory(path: location.directory) }
    do {
      try WholeFile.check(path, replaces: true)
    } catch {
      throw SaveError(error, path: path)
    }
    if !replaces {
      for taken in [path, location.states] where FileManager.default.fileExists(atPath: taken) {
        throw SaveError.exists(path: taken)
      }
    }
    let text = RigWriter.text(of: try savedRig(location), heading: "Saved by `outboard save`.")
    try write(text, to: path, replaces: replaces)
    return (URL(fileURLWithPath: path).standardizedFileURL.path, text)
  }

  /// Returns the rig to write, and saves the states of its plugins.
  func savedRig(_ location: SaveLocation) throws -> RigDescription {
    var rig = rigNow(in: location.directory)
    try saveStates(of: &rig, to: location)
    abridgeScenes(of: &rig)
    RecordingTaps.remove(from: &rig)
    return rig
  }

  /// Writes a rig if it can be read again.
  func write(_ text: String, to path: String, replaces: Bool) throws(SaveError) {
    do {
      _ = try RigReader.read(text: text, file: path)
    } catch {
      throw .notReadable(path: path, reason: "\(error)")
    }
    do throws(AudioFileError) {
      try WholeFile.write(text, to: path, replaces: replaces)
    } catch {
      throw SaveError(error, path: path)
    }
  }

  /// Returns the rig as it was read, with the current values of its nodes.
  ///
  /// - Parameter directory: the directory of the new rig file. Relative paths become absolute if it is
  ///   another directory.
  /// - Returns: the rig, with its diagnostics and locations.
  func rigNow(in directory: String) -> RigDescription {
    var rig = active.rig.rig
    rig.transport.beatsPerMinute = active.requestedTempo ?? rig.transport.beatsPerMinute
    for (index, member) in active.nodeValues.enumerated() {
      // A preset may set a value that differs from the default, so all values are written.
      let isWhole = rig.nodes[index].preset != nil || rig.nodes[index].state != nil
      rig.nodes[index].source = source(of: rig.nodes[index], member, directory)
      let written = rig.nodes[index].parameters
      let moved = Set(graph.plan.nodes[index].lanes.map(\.parameter))
      let base = Self.base(of: rig.nodes[index], member.plugin)
      rig.nodes[index].parameters = member.plugin.parameters.indices
        .filter { !moved.contains($0) }
        .compactMap { index in
          let (parameter, value) = (member.plugin.parameters[index], member.values[index])
          if let kept = Self.kept(written, index, member.plugin, value) { return kept }
          guard isWhole || value != base[index] else { return nil }
          return RigParameter(symbol: parameter.symbol, text: parameter.spelling(of: value))
        }
      // The momentary value of an automated parameter is not part of the rig.
      rig.nodes[index].parameters += written.filter { parameter in
        member.plugin.parameters.index(ofSymbol: parameter.symbol).map(moved.contains) ?? false
      }
      rig.nodes[index].properties = properties(of: index, member.plugin)
      if case .builtin = rig.nodes[index].source {
        makePathsAbsolute(of: &rig.nodes[index], from: directory)
      }
      // Values that a nested rig sets itself are not repeated.
      if let state = rig.nodes[index].state, state != rig.nodes[index].origin?.state {
        rig.nodes[index].state?.text = rebasedPath(state.text, from: directory)
      }
    }
    for index in rig.nested.indices where rig.nested[index].isOutermost {
      let nested = rig.nested[index]
      // An installed plugin is found from any directory.
      let isInstalled =
        nested.file.hasPrefix("/") && RigDirectories.path(of: nested.written) == nested.file
      if !isInstalled { rig.nested[index].written = rebasedPath(nested.written, from: directory) }
    }
    return rig
  }

  /// Returns the written form of a parameter, if it still has that value.
  private static func kept(
    _ written: [RigParameter], _ index: Int, _ plugin: PluginDescription, _ value: Float
  ) -> RigParameter? {
    guard let last = written.last(where: { plugin.parameters.index(ofSymbol: $0.symbol) == index }),
      case .success(let parsed) = ParameterValue.parse(last.text, for: plugin.parameters[index]),
      parsed == ParameterValue(value: value)
    else { return nil }
    return last
  }

  /// Returns the parameter values without settings of the rig: the defaults, or those of a nested
  /// rig.
  private static func base(of node: RigNode, _ plugin: PluginDescription) -> [Float] {
    Self.values(node.origin?.parameters ?? [], of: plugin)
  }

  /// Returns the values of all parameters, given those that are written.
  static func values(_ written: [RigParameter], of plugin: PluginDescription) -> [Float] {
    var values = plugin.parameters.map(\.defaultValue)
    for written in written {
      guard let index = plugin.parameters.index(ofSymbol: written.symbol),
        case .success(let parsed) = ParameterValue.parse(
          written.text, for: plugin.parameters[index])
      else { continue }
      values[index] = parsed.value
    }
    return values
  }

  /// Saves plugin state other than parameters, and adds it to the rig.
  private func saveStates(of rig: inout RigDescription, to location: SaveLocation) throws {
    for (index, member) in graph.members.enumerated() {
      let name = "\(index + 1)-\(RigWriter.legalName(member.name))"
      let stateHasProperties = member.plugin.format.flags.contains(.stateHasProperties)
      if !stateHasProperties {
        try copyFiles(of: &rig.nodes[index], member.plugin, named: name, to: location)
      }
      guard let node = member.nodes.first?.capabilities.directoryState, node.hasState else {
        continue
      }
      try location.makeStates()
      guard try node.saveState(to: "\(location.states)/\(name)") else { continue }
      rig.nodes[index].state = BuiltinSetting(key: "state", text: "\(location.statesName)/\(name)")
      if stateHasProperties { rig.nodes[index].properties = [] }
    }
    location.removeStatesIfEmpty()
  }

  /// Copies the files of a node next to the rig, so that both can be moved together.
  private func copyFiles(
    of node: inout RigNode, _ plugin: PluginDescription, named name: String,
    to location: SaveLocation
  ) throws {
    for index in node.properties.indices {
      let found = Property.index(of: node.properties[index].symbol, in: plugin.properties)
      guard let found, plugin.properties[found].type == .path else { continue }
      if let written = unchanged(node.properties[index], of: node.name, plugin, location) {
        node.properties[index] = written
        continue
      }
      let source = URL(fileURLWithPath: node.properties[index].text)
      let ending = source.pathExtension.isEmpty ? "" : ".\(source.pathExtension)"
      let file = "\(name)-\(node.properties[index].symbol)\(ending)"
      try location.makeStates()
      try location.keep(source.path, as: file)
      node.properties[index].text = "\(location.statesName)/\(file)"
    }
  }

  /// Returns the relative path of a property as the rig file has it, if the property still has it and the rig is
  /// saved in the same directory.
  private func unchanged(
    _ property: RigParameter, of node: String, _ plugin: PluginDescription,
    _ location: SaveLocation
  ) -> RigParameter? {
    let file = active.rig.rig.file
    let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
    guard !file.isEmpty, directory.path == location.directory,
      let written = active.rig.rig.nodes.first(where: { $0.name == node })?.properties.last(
        where: {
          Property.index(of: $0.symbol, in: plugin.properties)
            == Property.index(of: property.symbol, in: plugin.properties)
        }),
      !written.text.hasPrefix("/"), !written.text.hasPrefix("~"),
      directory.appending(path: written.text).standardizedFileURL.path == property.text
    else { return nil }
    return written
  }

  private func properties(of index: Int, _ plugin: PluginDescription) -> [RigParameter] {
    guard let node = graph.members[index].nodes.first?.capabilities.properties else { return [] }
    return plugin.properties.enumerated().compactMap { index, property in
      guard property.isWritable, let value = node.property(index) else { return nil }
      return RigParameter(symbol: property.uri, text: value.spelling)
    }
  }

  /// Returns a reference that finds the same plugin from another directory: its identifier, or a
  /// path.
  private func source(
    of node: RigNode, _ member: LiveSession.NodeValues, _ directory: String
  ) -> RigNode.Source {
    guard case .plugin(let name) = node.source else { return node.source }
    guard active.library.isPath(name) else { return .plugin(member.plugin.identifier) }
    return .plugin(rebasedPath(name, from: directory))
  }

  /// Makes the file paths of a recorder or a player valid from another directory.
  private func makePathsAbsolute(of node: inout RigNode, from directory: String) {
    for index in node.settings.indices
    where ["file", "files", "log"].contains(node.settings[index].key) {
      node.settings[index].texts = node.settings[index].texts.map {
        rebasedPath($0, from: directory)
      }
    }
  }

  /// Returns a path of the rig that is valid from another directory.
  private func rebasedPath(_ path: String, from directory: String) -> String {
    let file = active.rig.rig.file
    let old = URL(fileURLWithPath: file).deletingLastPathComponent()
    if path.hasPrefix("/") || path.hasPrefix("~/") || (!file.isEmpty && old.path == directory) {
      return path
    }
    let base =
      file.isEmpty ? URL(fileURLWithPath: FileManager.default.currentDirectoryPath) : old
    return base.appending(path: path).standardizedFileURL.path
  }

  // MARK: - Scenes

  /// Removes values from complete scenes that the rig itself has.
  private func abridgeScenes(of rig: inout RigDescription) {
    guard rig.scenes.contains(where: \.isComplete) else { return }
    var written = active.rig
    written.rig = rig
    let plan = graph.plan
    let saved = written.sceneValues(plan) { node in
      let plugin = plan.nodes[node].plugin
      let origin = rig.nodes[node].origin?.parameters ?? []
      return Self.values(origin + rig.nodes[node].parameters, of: plugin)
    }
    let texts = Dictionary(saved.map { ($0.symbol, $0.text) }, uniquingKeysWith: { $1 })
    for index in rig.scenes.indices where rig.scenes[index].isComplete {
      rig.scenes[index].values.removeAll { texts[$0.symbol] == $0.text }
    }
  }
}

extension PropertyValue {
  /// The spelling in a rig file.
  var spelling: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): "\(value)"
    case .long(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text), .path(let text), .uri(let text): text
    case .vector(let values): values.map(\.spelling).joined(separator: ", ")
    }
  }
}
