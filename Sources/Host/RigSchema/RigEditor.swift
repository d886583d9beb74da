// RigEditor.swift: changes the connections of a rig around a node. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// Changes a rig and keeps its scenes and automation valid.
///
/// MIDI connections remain at the nodes that they name. Connections inside nested rigs are never changed.
struct RigEditor {
  var rig: RigDescription
  var notes: [String] = []
  /// The node that loses values that were set by hand; nil for none.
  var resetNode: String?
  /// The connections as they were.
  let before: [RigConnection]
  /// The index in `before` of each connection; nil for a new one.
  var origins: [Int?]

  init(_ rig: RigDescription) {
    (self.rig, before) = (rig, rig.connections)
    origins = rig.connections.indices.map { $0 }
  }

  /// The rig and the messages, after values of things that are gone were removed.
  var result: EditedRig {
    var editor = self
    editor.removeLostTargets()
    return EditedRig(rig: editor.rig, notes: editor.notes, resetNode: resetNode)
  }

  // MARK: - Names

  /// Every name that an end of a connection can have: nodes of the rig itself and nested rigs.
  ///
  /// Names with dashes are those of recorders that options of the command line add.
  private var names: [String] {
    rig.nodes.filter { $0.origin == nil && !$0.name.contains("/") }.map(\.name)
      + rig.nested.filter(\.isOutermost).map(\.name)
  }

  /// Returns the spelling of a node's or nested rig's name in the rig.
  func ownName(_ name: String) throws(RigEditError) -> String {
    let names = names
    if names.contains(name) { return name }
    let alike = names.filter { $0.lowercased() == name.lowercased() }
    if alike.count == 1 { return alike[0] }
    if let nested = rig.nested.first(where: { name.lowercased().hasPrefix($0.prefix.lowercased()) })
    {
      throw .nestedNode(name, nested: nested.name, file: nested.file)
    }
    throw .unknownNode(name, known: names.filter { !$0.hasPrefix("--") })
  }

  /// Returns a name for a new node.
  func newName(_ wanted: String?, for plugin: PluginDescription) throws(RigEditError) -> String {
    let taken = Set((names + ["in", "out"]).map { $0.lowercased() })
    if let wanted {
      guard RigNodeReader.isNodeName(wanted), !["in", "out"].contains(wanted) else {
        throw .illegalName(wanted)
      }
      guard !taken.contains(wanted.lowercased()) else { throw .nameExists(wanted) }
      return wanted
    }
    let stem = RigWriter.legalName(plugin.name.isEmpty ? plugin.identifier : plugin.name)
    var (name, number) = (stem, 1)
    while taken.contains(name) {
      number += 1
      name = "\(stem)-\(number)"
    }
    return name
  }

  /// Returns whether a position is next to the node or nested rig itself.
  func names(_ position: InsertionPoint, _ name: String) throws(RigEditError) -> Bool {
    switch position {
    case .after(let other), .before(let other):
      ["in", "out"].contains(other.lowercased()) ? false : try ownName(other) == name
    case .on: false
    }
  }

  /// The outputs of a node or nested rig, or of `in`.
  private func source(_ name: String) throws(RigEditError) -> ConnectionEndpoint.Location {
    if name.lowercased() == "in" { return .input }
    let name = try ownName(name)
    return .node(rig.nested.first { $0.name == name }?.outputName ?? name)
  }

  /// The inputs of a node or nested rig, or of `out`.
  private func sink(_ name: String) throws(RigEditError) -> ConnectionEndpoint.Location {
    if name.lowercased() == "out" { return .output }
    let name = try ownName(name)
    return .node(rig.nested.first { $0.name == name }?.inputName ?? name)
  }

  /// The ends of a node that is part of the rig, or that will be.
  private func ends(of name: String) -> (sink: ConnectionEndpoint, source: ConnectionEndpoint) {
    let nested = rig.nested.first { $0.name == name }
    return (
      ConnectionEndpoint(location: .node(nested?.inputName ?? name)),
      ConnectionEndpoint(location: .node(nested?.outputName ?? name))
    )
  }

  // MARK: - Connections

  private func audio(where isMeant: (RigConnection) -> Bool) -> [Int] {
    rig.connections.indices.filter {
      let connection = rig.connections[$0]
      return connection.scope.isEmpty && !connection.carriesMIDI && isMeant(connection)
    }
  }

  private mutating func insert(_ connection: RigConnection, at index: Int) {
    rig.connections.insert(connection, at: index)
    origins.insert(nil, at: index)
  }

  /// Connects a node that has no audio connections.
  mutating func connect(_ name: String, at position: InsertionPoint) throws(RigEditError) {
    let nodeEnds = ends(of: name)
    switch position {
    case .after(let other):
      let from = try source(other)
      let outgoing = audio { $0.from.location == from }
      let ports = try commonPorts(outgoing.map { rig.connections[$0].from.ports }, other, outgoing)
      for index in outgoing {
        rig.connections[index].from =
          ports == nil ? nodeEnds.source.with(rig.connections[index].from.ports) : nodeEnds.source
      }
      insert(
        RigConnection(
          from: ConnectionEndpoint(location: from, ports: ports ?? .all), to: nodeEnds.sink),
        at: outgoing.first ?? rig.connections.count)
    case .before(let other):
      let to = try sink(other)
      let incoming = main(audio { $0.to.location == to })
      let ports = try commonPorts(
        incoming.map { rig.connections[$0].to.ports }, other, incoming, isAfter: false)
      for index in incoming {
        rig.connections[index].to =
          ports == nil ? nodeEnds.sink.with(rig.connections[index].to.ports) : nodeEnds.sink
      }
      insert(
        RigConnection(
          from: nodeEnds.source, to: ConnectionEndpoint(location: to, ports: ports ?? .all)),
        at: incoming.last.map { $0 + 1 } ?? rig.connections.count)
    case .on(let text): try split(text, nodeEnds)
    }
  }

  /// Leaves out connections to side chains, unless all are.
  private func main(_ incoming: [Int]) -> [Int] {
    let main = incoming.filter {
      if case .named = rig.connections[$0].to.ports { false } else { true }
    }
    return main.isEmpty ? incoming : main
  }

  /// Returns the ports that all of the connections have in common; nil if each names its own channels, which the new
  /// node then takes over.
  private func commonPorts(
    _ ports: [ConnectionEndpoint.Ports], _ name: String, _ indices: [Int], isAfter: Bool = true
  ) throws(RigEditError) -> ConnectionEndpoint.Ports? {
    guard let first = ports.first else { return .all }
    if ports.allSatisfy({ $0 == first }) { return first }
    let isByName = ports.contains { if case .named = $0 { true } else { false } }
    guard !isByName else {
      throw .separatePorts(
        name, connections: indices.map { rig.connections[$0].label }, isAfter: isAfter)
    }
    return nil
  }

  /// Puts a node into a connection, which keeps its gain and delay at the second half.
  private mutating func split(
    _ text: String, _ nodeEnds: (sink: ConnectionEndpoint, source: ConnectionEndpoint)
  ) throws(RigEditError) {
    guard let name = ConnectionSpecifier(text) else {
      throw .connection(
        reason: "\"\(text.shortened)\" is not a connection. Write it as in \"voice -> reverb\".")
    }
    let known = audio { _ in true }.map { (index: $0, connection: rig.connections[$0]) }
    switch name.index(among: known) {
    case .success(let index):
      let from = rig.connections[index].from
      rig.connections[index].from = nodeEnds.source
      insert(RigConnection(from: from, to: nodeEnds.sink), at: index)
    case .failure(let fault): throw .connection(reason: fault.message)
    }
  }

  /// Removes the connections of a node, and connects its sources with its sinks.
  ///
  /// Gains and delays add up. A connection that exists already remains as it is.
  mutating func bridge(_ name: String) {
    let nodeEnds = ends(of: name)
    let leadsToNode = { (connection: RigConnection) in
      connection.to.location == nodeEnds.sink.location
    }
    let leadsFromNode = { (connection: RigConnection) in
      connection.from.location == nodeEnds.source.location
    }
    let incoming = main(audio { leadsToNode($0) && !leadsFromNode($0) })
    let outgoing = audio { leadsFromNode($0) && !leadsToNode($0) }
    var bridges: [RigConnection] = []
    for source in incoming.map({ rig.connections[$0] }) {
      bridges += outgoing.compactMap { source.joined(with: rig.connections[$0]) }
    }
    let removed = Set(audio { leadsToNode($0) || leadsFromNode($0) })
    origins = origins.indices.filter { !removed.contains($0) }.map { origins[$0] }
    rig.connections = rig.connections.indices.filter { !removed.contains($0) }.map {
      rig.connections[$0]
    }
    var position = removed.min() ?? rig.connections.count
    for bridge in bridges where !rig.connections.contains(where: bridge.isAlike) {
      insert(bridge, at: position)
      position += 1
    }
  }

  /// The connections of a node, as a chain if it has one source and one sink.
  func neighbours(of name: String) -> String {
    let nodeEnds = ends(of: name)
    let sources = audio { $0.to.location == nodeEnds.sink.location }.map {
      rig.connections[$0].from.label(isSource: true)
    }
    let sinks = audio { $0.from.location == nodeEnds.source.location }.map {
      rig.connections[$0].to.label(isSource: false)
    }
    let sides = [sources.joined(separator: ", "), name, sinks.joined(separator: ", ")]
    return sides.filter { !$0.isEmpty }.joined(separator: " -> ")
  }
}

extension ConnectionEndpoint {
  /// Returns the same endpoint with other ports.
  fileprivate func with(_ ports: Ports) -> ConnectionEndpoint {
    ConnectionEndpoint(location: location, ports: ports)
  }
}

extension RigConnection {
  /// Returns the connection that remains when the node between this one and the next is removed; nil if they use
  /// different channels of it.
  fileprivate func joined(with next: RigConnection) -> RigConnection? {
    var result = RigConnection(
      from: from, to: next.to,
      gainDecibels: ConnectionGain.sum(gainDecibels, next.gainDecibels))
    if delaySeconds != nil || next.delaySeconds != nil {
      result.delaySeconds = (delaySeconds ?? 0) + (next.delaySeconds ?? 0)
    }
    switch (to.ports, next.from.ports) {
    case (.channels(let received), .channels(let sent)):
      if Set(received).isDisjoint(with: sent) { return nil }
    case (.channels, .all):
      if next.to.ports == .all { result.to.ports = to.ports }
    case (.all, .channels):
      if from.ports == .all { result.from.ports = next.from.ports }
    default: break
    }
    return result
  }
}
