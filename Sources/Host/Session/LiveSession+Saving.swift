// LiveSession+Saving.swift: a running rig, written down as it is now. SPDX-License-Identifier: MIT

import AudioFiles
import FilePlayback
import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
package import Rig

extension LiveSession {
  /// Writes the rig as it is now to a file, which is whole or not there at all, and the states of its
  /// plugins, with the files that they refer to, to a folder beside it. [main]
  ///
  /// - Parameters:
  ///   - path: an absolute path.
  ///   - replaces: whether what is there already is overwritten.
  /// - Throws: `SaveError` where it cannot be written, or what a plugin has against it.
  package func save(to path: String, replaces: Bool) throws {
    let place = SaveLocation(path)
    guard place.hasFolder else { throw SaveError.noFolder(path: place.folder) }
    do {
      try WholeFile.check(path, replaces: true)
    } catch {
      throw SaveError(error, path: path)
    }
    if !replaces {
      for taken in [path, place.states] where FileManager.default.fileExists(atPath: taken) {
        throw SaveError.exists(path: taken)
      }
    }
    var rig = rigNow(in: place.folder)
    try saveStates(of: &rig, to: place)
    abridgeScenes(of: &rig)
    RecordingTaps.remove(from: &rig)
    let text = RigWriter.text(of: rig, heading: "Saved by `outboard save`.")
    do {
      try WholeFile.write(text, to: path, replaces: replaces)
    } catch {
      throw SaveError(error, path: path)
    }
  }

  /// The rig as it is now: as it was read, with the values that its nodes are set to. [main]
  ///
  /// - Parameter folder: where its manifest is to lie; paths that are seen from the folder of the old
  ///   one are spelt out where it is another.
  /// - Returns: the rig, its mistakes and places included.
  package func rigNow(in folder: String) -> RigDescription {
    var rig = rig.rig
    for (index, member) in nodeValues.enumerated() {
      // By what a preset sets, a value may differ though it is the default.
      let isWhole = rig.nodes[index].preset != nil || rig.nodes[index].state != nil
      rig.nodes[index].source = source(of: rig.nodes[index], member, folder)
      let written = rig.nodes[index].parameters
      let moved = Set(graph.plan.nodes[index].lanes.map(\.parameter))
      let base = Self.base(of: rig.nodes[index], member.plugin)
      rig.nodes[index].parameters = member.plugin.parameters.indices
        .filter { !moved.contains($0) }
        .compactMap { place in
          let (parameter, value) = (member.plugin.parameters[place], member.values[place])
          if let kept = Self.kept(written, place, member.plugin, value) { return kept }
          guard isWhole || value != base[place] else { return nil }
          return RigParameter(symbol: parameter.symbol, text: parameter.spelling(of: value))
        }
      // Where a lane happens to be is no value of the rig's.
      rig.nodes[index].parameters += written.filter { parameter in
        member.plugin.parameters.place(of: parameter.symbol).map(moved.contains) ?? false
      }
      rig.nodes[index].properties = properties(of: index, member.plugin)
      if case .builtin = rig.nodes[index].source {
        spellOutFiles(of: &rig.nodes[index], from: folder)
      }
      // What a rig within says itself is not said again.
      if let state = rig.nodes[index].state, state != rig.nodes[index].origin?.state {
        rig.nodes[index].state?.text = seen(state.text, from: folder)
      }
    }
    for index in rig.nested.indices where rig.nested[index].isOutermost {
      let nested = rig.nested[index]
      // One that is installed is found from everywhere.
      let isInstalled =
        nested.file.hasPrefix("/") && RigDirectories.path(of: nested.written) == nested.file
      if !isInstalled { rig.nested[index].written = seen(nested.written, from: folder) }
    }
    return rig
  }

  /// What is written of a parameter, if it still has that value.
  private static func kept(
    _ written: [RigParameter], _ place: Int, _ plugin: PluginDescription, _ value: Float
  ) -> RigParameter? {
    guard let last = written.last(where: { plugin.parameters.place(of: $0.symbol) == place }),
      case .success(let parsed) = ParameterValue.parse(last.text, for: plugin.parameters[place]),
      parsed == ParameterValue(value: value)
    else { return nil }
    return last
  }

  /// What parameters are where nothing is written: their defaults, or what a rig within says.
  private static func base(of node: RigNode, _ plugin: PluginDescription) -> [Float] {
    Self.values(node.origin?.parameters ?? [], of: plugin)
  }

  /// The values of all parameters where these are written.
  static func values(_ written: [RigParameter], of plugin: PluginDescription) -> [Float] {
    var values = plugin.parameters.map(\.defaultValue)
    for written in written {
      guard let place = plugin.parameters.place(of: written.symbol),
        case .success(let parsed) = ParameterValue.parse(
          written.text, for: plugin.parameters[place])
      else { continue }
      values[place] = parsed.value
    }
    return values
  }

  /// Writes what plugins keep beside parameters, and says so in the rig.
  private func saveStates(of rig: inout RigDescription, to place: SaveLocation) throws {
    for (index, member) in graph.members.enumerated() {
      let name = "\(index + 1)-\(RigWriter.legalName(member.name))"
      let stateHasProperties = member.plugin.format.flags.contains(.stateHasProperties)
      if !stateHasProperties {
        try copyFiles(of: &rig.nodes[index], named: name, to: place)
      }
      guard let node = member.nodes.first?.abilities.directoryState, node.hasState else { continue }
      try place.makeStates()
      guard try node.saveState(to: "\(place.states)/\(name)") else { continue }
      rig.nodes[index].state = BuiltinSetting(key: "state", text: "\(place.statesName)/\(name)")
      if stateHasProperties { rig.nodes[index].properties = [] }
    }
    place.removeStatesIfEmpty()
  }

  /// Puts the files of a node's properties beside the rig, so that both can be moved.
  private func copyFiles(
    of node: inout RigNode, named name: String, to place: SaveLocation
  ) throws {
    for index in node.properties.indices {
      let source = URL(fileURLWithPath: node.properties[index].text)
      let ending = source.pathExtension.isEmpty ? "" : ".\(source.pathExtension)"
      let file = "\(name)-\(node.properties[index].symbol)\(ending)"
      try place.makeStates()
      try place.keep(source.path, as: file)
      node.properties[index].text = "\(place.statesName)/\(file)"
    }
  }

  private func properties(of index: Int, _ plugin: PluginDescription) -> [RigParameter] {
    guard let node = graph.members[index].nodes.first?.abilities.properties else { return [] }
    return plugin.properties.enumerated().compactMap { place, property in
      guard property.isWritable, let value = node.property(place) else { return nil }
      return RigParameter(symbol: property.uri, text: value.spelling)
    }
  }

  /// What finds the same plugin again: its own identifier, or a path that is right in another folder.
  private func source(
    of node: RigNode, _ member: NodeValues, _ folder: String
  ) -> RigNode.Source {
    guard case .plugin(let name) = node.source else { return node.source }
    guard library.isPath(name) else { return .plugin(member.plugin.identifier) }
    return .plugin(seen(name, from: folder))
  }

  /// Makes the files of a recorder or a player right from another folder.
  private func spellOutFiles(of node: inout RigNode, from folder: String) {
    for place in node.settings.indices
    where ["file", "files", "log"].contains(node.settings[place].key) {
      node.settings[place].texts = node.settings[place].texts.map { seen($0, from: folder) }
    }
  }

  /// A path of the rig, as it is right from another folder.
  private func seen(_ path: String, from folder: String) -> String {
    let file = rig.rig.file
    let old = URL(fileURLWithPath: file).deletingLastPathComponent()
    if path.hasPrefix("/") || path.hasPrefix("~/") || (!file.isEmpty && old.path == folder) {
      return path
    }
    let base =
      file.isEmpty ? URL(fileURLWithPath: FileManager.default.currentDirectoryPath) : old
    return base.appending(path: path).standardizedFileURL.path
  }
}

extension PropertyValue {
  /// As it is written in a rig.
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
