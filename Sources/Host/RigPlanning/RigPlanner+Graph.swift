// RigPlanner+Graph.swift: nested rigs, instances, loops and MIDI. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

/// The input or output of a nested rig while the rig is planned.
enum NestedRigBoundary {
  /// Returns a description with as many inputs as outputs.
  ///
  /// Audio and MIDI pass through unchanged.
  static func plugin(channelCount: Int, carriesMIDI: Bool) -> PluginDescription {
    var plugin = PluginDescription(kind: .builtin, identifier: "rig", name: "Rig", format: .builtin)
    let ports = (0 ..< channelCount).map {
      AudioPort(symbol: "\($0 + 1)", name: "\($0 + 1)", group: "main", isMain: true)
    }
    plugin.audioInputs = ports
    plugin.audioOutputs = ports
    plugin.acceptsMIDI = carriesMIDI
    plugin.producesMIDI = carriesMIDI
    return plugin
  }

  /// Returns the input and output of each nested rig, in order.
  static func nodes(
    of rig: RigDescription, _ plugins: [PluginDescription]
  ) -> [RigPlan.PlannedNode] {
    rig.nested.flatMap { nested in
      let acceptsMIDI = zip(rig.nodes, plugins).contains {
        $0.name.hasPrefix(nested.prefix) && $1.acceptsMIDI
      }
      let sendsMIDI = rig.connections.contains {
        $0.to.nodeName == nested.outputName && $0.carriesMIDI
      }
      return [
        RigPlan.PlannedNode(
          name: nested.inputName,
          plugin: plugin(channelCount: nested.inputCount, carriesMIDI: acceptsMIDI),
          instanceCount: 1, values: []),
        RigPlan.PlannedNode(
          name: nested.outputName,
          plugin: plugin(channelCount: nested.outputCount ?? 0, carriesMIDI: sendsMIDI),
          instanceCount: 1, values: []),
      ]
    }
  }
}

extension RigPlanner {
  /// Returns the nested rig of a boundary; nil for a node.
  func nested(ofBoundary index: Int) -> NestedRig? {
    index < rig.nodes.count ? nil : rig.nested[(index - rig.nodes.count) / 2]
  }

  private func isOutput(_ index: Int) -> Bool {
    index >= rig.nodes.count && !(index - rig.nodes.count).isMultiple(of: 2)
  }

  /// Gives a boundary the channel count of its incoming audio, if the nested rig does not specify it.
  mutating func inferChannelCount(_ index: Int) {
    guard isOutput(index), let nested = nested(ofBoundary: index), nested.outputCount == nil else {
      return
    }
    let count =
      (connectionsTo[nodes[index].name] ?? []).map { connection in
        if case .channels(let channels) = connection.to.ports { return channels.max() ?? 1 }
        return sources(connection.from)?.count ?? 1
      }.max() ?? 0
    nodes[index].plugin = NestedRigBoundary.plugin(
      channelCount: count, carriesMIDI: nodes[index].plugin.producesMIDI)
  }

  /// Returns the default MIDI source of a node: the MIDI input of its nested rig; nil for that of the rig.
  func input(around index: Int) -> Int? {
    let name = nested(ofBoundary: index)?.name ?? nodes[index].name
    let around = rig.nested.filter { name.hasPrefix($0.prefix) }.max {
      $0.name.count < $1.name.count
    }
    return around.flatMap { indices[$0.inputName] }
  }

  /// Whether a node gets MIDI without an explicit connection.
  func usesDefaultMIDI(_ index: Int) -> Bool { nodes[index].plugin.acceptsMIDI && !isOutput(index) }

  /// Connects the sources of boundaries to their sinks, and removes the boundaries.
  mutating func flattenNestedRigs() {
    guard !rig.nested.isEmpty else { return }
    for boundary in rig.nodes.count ..< nodes.count {
      let feeds = Dictionary(grouping: links.filter { $0.to.node == boundary }, by: \.to.index)
      var through: [RigPlan.Link] = []
      for link in links where link.to.node != boundary {
        guard link.from.node == boundary else {
          through.append(link)
          continue
        }
        for feed in feeds[link.from.index] ?? [] {
          var joined = RigPlan.Link(
            from: feed.from, to: link.to, gain: feed.gain * link.gain,
            delaySeconds: link.delay(behind: feed))
          joined.factors = feed.factors + link.factors
          through.append(joined)
        }
      }
      links = through
      let incoming = eventLinks.filter { $0.to == boundary }
      var events: [RigPlan.EventLink] = []
      for link in eventLinks where link.to != boundary {
        let ends =
          link.from == boundary
          ? incoming.map { RigPlan.EventLink(from: $0.from, to: link.to) } : [link]
        events += ends.filter { !events.contains($0) }
      }
      eventLinks = events
    }
    mergeLinks()
    nodes.removeLast(nodes.count - rig.nodes.count)
  }

  // MARK: - Names in messages

  /// Returns the name of an end in the file of its connection.
  func label(_ end: ConnectionEndpoint, of connection: RigConnection) -> String? {
    guard let name = end.nodeName, !rig.nested.isEmpty else { return end.nodeName }
    let local =
      name.hasPrefix(connection.scope) ? name.dropFirst(connection.scope.count) : name[...]
    for ending in ["/in", "/out"] where local.hasSuffix(ending) {
      return String(local.dropLast(ending.count))
    }
    return String(local)
  }

  /// Returns the index of a node by name; in a nested rig it is `voice/compressor`, or `voice.compressor` in values.
  func nodeIndex(of name: String) -> Int? {
    indices[name] ?? indices[name.split(separator: ".").joined(separator: "/")]
  }
}

extension RigPlanner {
  /// Gives a mono plugin one instance per input channel, unless the rig specifies the number.
  mutating func countInstances() {
    for index in order() {
      inferChannelCount(index)
      guard index < rig.nodes.count, rig.nodes[index].instanceCount == nil else { continue }
      let plugin = nodes[index].plugin
      guard plugin.audioInputs.count == 1, plugin.audioOutputs.count == 1, !plugin.isSingle
      else { continue }
      let widths = (connectionsTo[nodes[index].name] ?? []).filter { $0.to.ports == .all }
        .map { sources($0.from)?.count ?? 1 }
      nodes[index].instanceCount = max(1, widths.max() ?? 1)
    }
  }

  /// Rejects a second instance of a plugin that allows only one.
  mutating func checkSingleInstance() {
    var first: [String: Int] = [:]
    for (index, node) in rig.nodes.enumerated() where nodes[index].plugin.isSingle {
      let plugin = nodes[index].plugin
      let other = first[plugin.identifier]
      first[plugin.identifier] = other ?? index
      guard other != nil || nodes[index].instanceCount > 1 else { continue }
      let reason =
        other.map {
          "it is already used as"
            + " \(nodes[$0].name)"
        } ?? "one is needed for each channel"
      report(
        "\(plugin.name) allows only one instance, and \(reason).",
        node.sourcePosition, node.keyPath, in: node.origin?.file)
    }
  }

  /// Sorts nodes after their sources, if there is no loop.
  private func order() -> [Int] {
    var order: [Int] = []
    var state = [Int](repeating: 0, count: nodes.count)
    func visit(_ node: Int) {
      guard state[node] == 0 else { return }
      state[node] = 1
      for connection in connectionsTo[nodes[node].name] ?? [] {
        if let name = connection.from.nodeName, let before = indices[name] { visit(before) }
      }
      order.append(node)
    }
    for node in nodes.indices { visit(node) }
    return order
  }
}

extension PluginDescription {
  /// Whether only one instance is allowed.
  fileprivate var isSingle: Bool { module?.isSingle == true }
}

extension RigPlanner {
  /// Marks the delayed links whose audio, or MIDI derived from it, returns to its source.
  mutating func findLoops() {
    guard links.contains(where: { $0.delaySeconds != nil }) else { return }
    var sinks = [Set<Int>](repeating: [], count: nodes.count)
    for link in links {
      if let from = link.from.node, let to = link.to.node { sinks[from].insert(to) }
    }
    for link in eventLinks {
      if let from = link.from, let to = link.to { sinks[from].insert(to) }
    }
    var reached: [Int: Set<Int>] = [:]
    for index in links.indices where links[index].delaySeconds != nil {
      guard let from = links[index].from.node, let to = links[index].to.node else { continue }
      let behind = reached[to] ?? Self.reach(of: to, sinks)
      reached[to] = behind
      links[index].closesLoop = behind.contains(from)
    }
  }

  /// Returns a node and all nodes downstream.
  private static func reach(of node: Int, _ sinks: [Set<Int>]) -> Set<Int> {
    var found: Set<Int> = [node]
    var waiting = [node]
    while let next = waiting.popLast() {
      for sink in sinks[next] where found.insert(sink).inserted { waiting.append(sink) }
    }
    return found
  }
}

extension RigPlanner {
  /// Returns whether a connection carries MIDI: explicitly, or because one of its nodes has MIDI but no audio.
  func carriesMIDI(_ connection: RigConnection) -> Bool {
    if connection.carriesMIDI { return true }
    guard let from = plugin(connection.from), let to = plugin(connection.to),
      connection.from.ports == .all, connection.to.ports == .all
    else { return false }
    return from.producesMIDI && to.acceptsMIDI
      && (from.audioOutputs.isEmpty || to.audioInputs.isEmpty)
  }

  private func plugin(_ end: ConnectionEndpoint) -> PluginDescription? {
    end.nodeName.flatMap { indices[$0] }.map { nodes[$0].plugin }
  }

  /// Connects the MIDI of two ends.
  mutating func linkEvents(_ connection: RigConnection) {
    let (from, to) = (connection.from, connection.to)
    if let message = errorMessage(connection) {
      report(message, to.position, connection.keyPath, in: connection.file)
      return
    }
    let link = RigPlan.EventLink(
      from: from.nodeName.flatMap { indices[$0] }, to: to.nodeName.flatMap { indices[$0] })
    if !eventLinks.contains(link) { eventLinks.append(link) }
  }

  private func errorMessage(_ connection: RigConnection) -> String? {
    let source = label(connection.from, of: connection) ?? "in"
    let sink = label(connection.to, of: connection) ?? "out"
    for end in [connection.from, connection.to] where !end.carriesMIDI && end.ports != .all {
      return "MIDI and audio cannot be connected. For MIDI, write \(source):midi -> \(sink):midi."
    }
    if connection.gainDecibels != 0 {
      return "MIDI from \(source) to \(sink) cannot be given a gain."
    }
    if connection.delaySeconds != nil {
      return "MIDI from \(source) to \(sink) cannot be given a delay."
    }
    if let plugin = plugin(connection.from), !plugin.producesMIDI {
      return "\(source) sends no MIDI, so it cannot feed \(sink)."
    }
    if let plugin = plugin(connection.to), !plugin.acceptsMIDI {
      return "\(sink) takes no MIDI, so \(source) cannot feed it."
    }
    return nil
  }

  /// Connects the MIDI input of the rig to all unconnected nodes that take MIDI.
  mutating func connectDefaultMIDI() {
    let fed = Set(eventLinks.map(\.to))
    for index in nodes.indices where usesDefaultMIDI(index) && !fed.contains(index) {
      eventLinks.append(RigPlan.EventLink(from: input(around: index), to: index))
    }
  }
}
