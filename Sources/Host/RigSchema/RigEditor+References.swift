// RigEditor+References.swift: removes nodes of a rig and what refers to them. SPDX-License-Identifier: MIT

extension RigEditor {
  /// Removes a node or a nested rig, and everything that refers to it.
  mutating func removeNodes(_ name: String) {
    let isGone = { (other: String) in other == name || other.hasPrefix(name + "/") }
    let kept = rig.connections.indices.filter { index in
      let connection = rig.connections[index]
      return ![connection.from, connection.to].contains { $0.nodeName.map(isGone) ?? false }
        && !connection.scope.hasPrefix(name + "/")
    }
    (rig.connections, origins) = (kept.map { rig.connections[$0] }, kept.map { origins[$0] })
    rig.nodes.removeAll { isGone($0.name) }
    rig.nested.removeAll { isGone($0.name) }
    removeValues(of: name, "\(name) was removed") { _ in true }
  }

  /// Gives a node another plugin.
  mutating func replace(_ name: String, with new: RigNode) {
    guard let index = rig.nodes.firstIndex(where: { $0.name == name }) else { return }
    rig.nodes[index].source = new.source
    rig.nodes[index].sourcePosition = new.sourcePosition
    rig.nodes[index].preset = new.preset
    rig.nodes[index].state = new.state
    rig.nodes[index].parameters = new.parameters
    rig.nodes[index].properties = []
    rig.nodes[index].settings = []
    removeValues(of: name, "\(name) has another plugin") {
      !["bypass", "wet"].contains($0.lowercased())
    }
  }

  /// Removes the values of a node in favour of those of a preset.
  mutating func loadPreset(_ preset: String, into name: String) {
    guard let index = rig.nodes.firstIndex(where: { $0.name == name }) else { return }
    rig.nodes[index].preset = BuiltinSetting(key: "preset", text: preset)
    rig.nodes[index].state = nil
    rig.nodes[index].parameters = []
    rig.nodes[index].properties = []
    resetNode = name
  }

  // MARK: - Scenes and automation

  /// Removes the values of a node from scenes, and its automation.
  private mutating func removeValues(
    of name: String, _ reason: String, where isGone: (String) -> Bool
  ) {
    let isOwn = { (node: String) in
      let path = node.lowercased().replacing(".", with: "/")
      return path == name.lowercased() || path.hasPrefix(name.lowercased() + "/")
    }
    remove(reason) { text in
      RigLane.split(text).map { isOwn($0.node) && isGone($0.symbol) } ?? false
    } lanes: { lane in
      isOwn(lane.node) && isGone(lane.symbol)
    }
  }

  /// Renames connections in scenes and automation, and removes the values of connections that are gone.
  mutating func removeLostTargets() {
    guard rig.connections != before else { return }
    let old = before.enumerated().filter { !$1.carriesMIDI }.map { (index: $0, connection: $1) }
    let origins = origins
    let connections = rig.connections
    /// The present name of a connection; nil if it is gone, or if the text names no connection.
    func name(_ text: String) -> String? {
      guard let specifier = ConnectionSpecifier(text),
        case .success(let index) = specifier.index(among: old)
      else { return nil }
      return origins.firstIndex(of: index).map { connections[$0].label }
    }
    for scene in rig.scenes.indices {
      for value in rig.scenes[scene].values.indices {
        guard let (node, symbol) = RigLane.split(rig.scenes[scene].values[value].symbol),
          let now = name(node)
        else { continue }
        rig.scenes[scene].values[value].symbol = "\(now).\(symbol)"
      }
    }
    for map in rig.maps.indices {
      guard let (node, symbol) = RigLane.split(rig.maps[map].target), let now = name(node) else {
        continue
      }
      rig.maps[map].target = "\(now).\(symbol)"
    }
    for lane in rig.automation.indices {
      if let now = name(rig.automation[lane].node) { rig.automation[lane].node = now }
    }
    let known = connections.enumerated().filter { !$1.carriesMIDI }.map {
      (index: $0, connection: $1)
    }
    let isLost = { (text: String) in
      guard let specifier = ConnectionSpecifier(text) else { return false }
      if case .failure = specifier.index(among: known) { return true }
      return false
    }
    remove("their connections were removed") { text in
      RigLane.split(text).map { isLost($0.node) } ?? false
    } lanes: { lane in
      isLost(lane.node)
    }
  }

  private mutating func remove(
    _ reason: String, values isGone: (String) -> Bool, lanes isGoneLane: (RigLane) -> Bool
  ) {
    var valueCount = 0
    for scene in rig.scenes.indices {
      let count = rig.scenes[scene].values.count
      rig.scenes[scene].values.removeAll { isGone($0.symbol) }
      valueCount += count - rig.scenes[scene].values.count
    }
    let laneCount = rig.automation.count
    rig.automation.removeAll(where: isGoneLane)
    let mapCount = rig.maps.count
    rig.maps.removeAll { $0.action == nil && isGone($0.target) }
    let lost = [
      (valueCount, "scene value"), (laneCount - rig.automation.count, "automation lane"),
      (mapCount - rig.maps.count, "MIDI mapping"),
    ].filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }
    guard !lost.isEmpty else { return }
    notes.append("Removed \(lost.joined(separator: " and ")), because \(reason).")
  }
}
