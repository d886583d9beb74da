// RigExporter.swift: the protocol of hosts that rigs are exported to. SPDX-License-Identifier: MIT

import PluginModel
package import RigPlanning
package import RigSchema

/// A format of another host, to which rigs are exported if that host renders the same.
package protocol RigExporter {
  /// The name of the host in messages.
  static var host: String { get }

  /// The keys of the rig that the host has, besides those of all hosts.
  static var keys: Set<RigExportKey> { get }

  /// Returns the text of a file for the other host. [any]
  ///
  /// The plan is that of a rig without bypass if the host has it.
  /// - Throws: `RigExportError` if the other host cannot do the same.
  static func text(of rig: RigDescription, _ plan: RigPlan) throws(RigExportError) -> String
}

/// A key of a rig that not all hosts have.
package enum RigExportKey {
  /// Bypass of a node.
  case bypass
  /// MIDI mappings.
  case maps
  /// MIDI connections.
  case midi
  /// Properties of a plugin.
  case properties
  /// Tempo and position for plugins.
  case transport
}

/// An instance of a plugin of a plan.
struct ExportedInstance {
  let node: RigPlan.PlannedNode
  /// The number among all instances, from 0.
  let number: Int
  /// A name that no other instance has.
  let name: String
}

extension RigExporter {
  /// Returns all instances, in the order of the nodes.
  static func instances(of plan: RigPlan) -> [[ExportedInstance]] {
    var number = 0
    return plan.nodes.map { node in
      (0 ..< node.instanceCount).map { instance in
        defer { number += 1 }
        return ExportedInstance(
          node: node, number: number,
          name: instance == 0 ? node.name : "\(node.name)-\(instance + 1)")
      }
    }
  }

  /// Returns the instance and the symbol of the port of a channel; nil for the rig's input or output.
  static func port(
    _ channel: RigPlan.Channel, isSource: Bool, _ instances: [[ExportedInstance]]
  ) -> (instance: ExportedInstance, symbol: String)? {
    guard let node = channel.node, let first = instances[node].first else { return nil }
    let plugin = first.node.plugin
    let ports =
      isSource
      ? plugin.audioOutputs + plugin.cvOutputs : plugin.audioInputs + plugin.cvInputs
    let (instance, index) = channel.index.quotientAndRemainder(dividingBy: ports.count)
    return (instances[node][instance], ports[index].symbol)
  }

  /// Rejects what is not exported to any host.
  ///
  /// Modules are rejected, unless `allows` returns true.
  static func checkNodes(
    _ rig: RigDescription, _ plan: RigPlan,
    allows: (RigPlan.PlannedNode) -> Bool = { _ in false }
  ) throws(RigExportError) {
    guard rig.maps.isEmpty || keys.contains(.maps) else { throw .mapsControls(host: host) }
    for node in rig.nodes {
      if node.isBypassed, !keys.contains(.bypass) { throw key("bypass", node.name) }
      if node.wetLevel != 1 { throw key("wet", node.name) }
      if !node.properties.isEmpty, !keys.contains(.properties) {
        throw key("properties", node.name)
      }
      if node.state != nil { throw key("state", node.name) }
    }
    for node in plan.nodes {
      guard node.plugin.kind.rawValue == "lv2" || allows(node) else {
        throw .notLV2(node: node.name, host: host)
      }
      if !node.lanes.isEmpty { throw key("automation", node.name) }
      if node.plugin.parameters.contains(where: { $0.traits.contains(.scalesWithRate) }) {
        throw key("parameters that follow the sample rate", node.name)
      }
      if !node.plugin.transportFacts.isEmpty, !keys.contains(.transport) {
        throw key("the musical position", node.name)
      }
      if node.isolation.isBlockLate { throw key("latency: block", node.name) }
    }
    guard !keys.contains(.midi) else { return }
    let player = plan.nodes.first { node in
      node.plugin.acceptsMIDI && node.plugin.audioInputs.isEmpty
    }
    if let player {
      throw .needsMIDI(node: player.name, host: host)
    }
    if let connection = rig.connections.first(where: \.carriesMIDI) {
      throw .unsupportedConnection(
        from: label(connection.from, "in"), to: label(connection.to, "out"), key: "MIDI", host: host
      )
    }
  }

  private static func label(_ end: ConnectionEndpoint, _ border: String) -> String {
    end.nodeName ?? border
  }

  /// Returns the error about a key of a node.
  static func key(_ key: String, _ node: String) -> RigExportError {
    .unsupportedKey(node: node, key: key, host: host)
  }

  /// Returns the error about a link.
  static func unsupported(
    _ link: RigPlan.Link, _ key: String, _ plan: RigPlan
  ) -> RigExportError {
    .unsupportedConnection(
      from: link.from.node.map { plan.nodes[$0].name } ?? "in",
      to: link.to.node.map { plan.nodes[$0].name } ?? "out", key: key, host: host)
  }
}
