// ConnectionSimplifier.swift: writes connections of ports as short as possible. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

/// A connection between two ports that exist.
struct ImportedLink: Hashable {
  /// One of its ends.
  struct End: Hashable {
    /// The name in the rig; nil for its input or output.
    var node: String?
    /// By symbol at a node, by number at the input or output.
    var port: ForeignProject.Port
  }

  var from: End
  var to: End
  var gainDecibels: Float = 0
  var delaySeconds: Double?
}

/// Joins the connections of all channels of two nodes to one.
struct ConnectionSimplifier {
  /// By the names in the rig.
  let plugins: [String: PluginDescription]
  /// Numbers of instances above 1, by the names in the rig.
  let instances: [String: Int]
  let inputCount: Int
  let outputCount: Int

  /// The properties that connections must share to be written as one.
  private struct Group: Hashable {
    let from: String?
    let to: String?
    let gainDecibels: Float
    let delaySeconds: Double?
  }

  /// Returns the connections of a rig in the order of the links.
  func connections(_ links: [ImportedLink]) -> [RigConnection] {
    var order: [Group] = []
    var members: [Group: [ImportedLink]] = [:]
    for link in links {
      let group = Group(
        from: link.from.node, to: link.to.node, gainDecibels: link.gainDecibels,
        delaySeconds: link.delaySeconds)
      if members[group] == nil { order.append(group) }
      members[group, default: []].append(link)
    }
    return order.flatMap { group in
      let audio = (members[group] ?? []).filter { $0.from.port != .midi }
      let events = (members[group] ?? []).filter { $0.from.port == .midi }
      let joined = isWhole(audio) ? [whole(audio[0])] : audio.map(single)
      return joined + events.map(single)
    }
  }

  // MARK: - All channels

  /// Whether links mean the same as one connection without ports.
  private func isWhole(_ links: [ImportedLink]) -> Bool {
    guard let first = links.first else { return false }
    let sources = ports(first.from.node, count: inputCount) { $0.mainOutputs }
    let sinks = ports(first.to.node, count: outputCount) { $0.mainInputs }
    // The ports of an input or output with one channel are named, as files may have more.
    guard sinks.count > 1,
      sources.count == sinks.count || (sources.count == 1 && first.from.node != nil)
    else { return isSingle(links, sources, sinks) }
    let wanted = sinks.enumerated().map { index, sink in
      [sources.count == 1 ? sources[0] : sources[index], sink]
    }
    return links.count == wanted.count
      && Set(links.map { [$0.from.port, $0.to.port] }) == Set(wanted)
  }

  /// Whether the links are a single one, between nodes with one port each.
  private func isSingle(
    _ links: [ImportedLink], _ sources: [ForeignProject.Port], _ sinks: [ForeignProject.Port]
  ) -> Bool {
    guard links.count == 1, links[0].from.node != nil, links[0].to.node != nil else { return false }
    return sources == [links[0].from.port] && sinks == [links[0].to.port]
  }

  private func ports(
    _ node: String?, count: Int, _ side: (PluginDescription) -> [AudioPort]
  ) -> [ForeignProject.Port] {
    guard let node else { return count == 0 ? [] : (1 ... count).map { .channel($0) } }
    if let plugin = plugins[node], let count = instances[node] {
      return (1 ... count * side(plugin).count).map { .channel($0) }
    }
    return plugins[node].map { side($0).map { .named($0.symbol) } } ?? []
  }

  private func whole(_ link: ImportedLink) -> RigConnection { connection(link, .all, .all) }

  // MARK: - Single ports

  private func single(_ link: ImportedLink) -> RigConnection {
    connection(
      link, ports(of: link.from) { $0.mainOutputs }, ports(of: link.to) { $0.mainInputs })
  }

  private func ports(
    of end: ImportedLink.End, _ side: (PluginDescription) -> [AudioPort]
  ) -> ConnectionEndpoint.Ports {
    switch end.port {
    case .channel(let number): return .channels([number])
    case .midi: return .named(ConnectionEndpoint.midiPort)
    case .named(let symbol):
      let ports = end.node.flatMap { plugins[$0] }.map(side) ?? []
      return ports.count == 1 && ports[0].symbol == symbol ? .all : .named(symbol)
    }
  }

  private func connection(
    _ link: ImportedLink, _ from: ConnectionEndpoint.Ports, _ to: ConnectionEndpoint.Ports
  ) -> RigConnection {
    var connection = RigConnection(
      from: ConnectionEndpoint(location: link.from.node.map { .node($0) } ?? .input, ports: from),
      to: ConnectionEndpoint(location: link.to.node.map { .node($0) } ?? .output, ports: to),
      gainDecibels: link.gainDecibels)
    connection.delaySeconds = link.delaySeconds
    return connection
  }
}
