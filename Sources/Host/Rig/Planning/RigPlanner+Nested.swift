// RigPlanner+Nested.swift: the borders of rigs within a rig, which are gone once all is connected. SPDX-License-Identifier: MIT

import PluginModel

/// What stands between the nodes of a rig within a rig and what is around them, while it is planned.
enum NestedRigBoundary {
  /// As many channels in as out; sound and MIDI go straight through.
  static func plugin(channelCount: Int, carriesMIDI: Bool) -> PluginDescription {
    var plugin = PluginDescription(kind: .builtin, identifier: "rig", name: "Rig")
    let ports = (0 ..< channelCount).map {
      AudioPort(symbol: "\($0 + 1)", name: "\($0 + 1)", group: "main", isMain: true)
    }
    plugin.audioInputs = ports
    plugin.audioOutputs = ports
    plugin.acceptsMIDI = carriesMIDI
    plugin.producesMIDI = carriesMIDI
    return plugin
  }

  /// Both borders of each rig within, in their order.
  static func nodes(
    of rig: RigDescription, _ plugins: [PluginDescription]
  ) -> [RigPlan.PlannedNode] {
    rig.nested.flatMap { nested in
      let takesMIDI = zip(rig.nodes, plugins).contains {
        $0.name.hasPrefix(nested.prefix) && $1.acceptsMIDI
      }
      let sendsMIDI = rig.connections.contains {
        $0.to.nodeName == nested.outputName && $0.isOfMIDI
      }
      return [
        RigPlan.PlannedNode(
          name: nested.inputName,
          plugin: plugin(channelCount: nested.inputCount, carriesMIDI: takesMIDI),
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
  /// The rig within that a border belongs to; nil for a node.
  func nested(ofBorder index: Int) -> NestedRig? {
    index < rig.nodes.count ? nil : rig.nested[(index - rig.nodes.count) / 2]
  }

  private func isOutput(_ index: Int) -> Bool {
    index >= rig.nodes.count && !(index - rig.nodes.count).isMultiple(of: 2)
  }

  /// Gives a border as many channels as the sound has that arrives there, where the rig within does not
  /// say.
  mutating func widen(_ index: Int) {
    guard isOutput(index), let nested = nested(ofBorder: index), nested.outputCount == nil else {
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

  /// What a node hears MIDI from that is given none: the rig's input, or that of the rig within that it
  /// stands in; nil for the rig's.
  func input(around index: Int) -> Int? {
    let name = nested(ofBorder: index)?.name ?? nodes[index].name
    let around = rig.nested.filter { name.hasPrefix($0.prefix) }.max {
      $0.name.count < $1.name.count
    }
    return around.flatMap { indices[$0.inputName] }
  }

  /// Whether MIDI reaches a place by itself where nothing else feeds it.
  func hearsInput(_ index: Int) -> Bool { nodes[index].plugin.acceptsMIDI && !isOutput(index) }

  /// Connects what feeds borders with what they feed, and forgets the borders.
  mutating func dissolveBorders() {
    guard !rig.nested.isEmpty else { return }
    for border in rig.nodes.count ..< nodes.count {
      let feeds = Dictionary(grouping: links.filter { $0.to.node == border }, by: \.to.index)
      var through: [RigPlan.Link] = []
      for link in links where link.to.node != border {
        guard link.from.node == border else {
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
      let heard = eventLinks.filter { $0.to == border }
      var events: [RigPlan.EventLink] = []
      for link in eventLinks where link.to != border {
        let ends =
          link.from == border
          ? heard.map { RigPlan.EventLink(from: $0.from, to: link.to) } : [link]
        events += ends.filter { !events.contains($0) }
      }
      eventLinks = events
    }
    mergeLinks()
    nodes.removeLast(nodes.count - rig.nodes.count)
  }

  // MARK: - Names in sentences

  /// What an end is called in the file that a connection is written in.
  func label(_ end: ConnectionEndpoint, of connection: RigConnection) -> String? {
    guard let name = end.nodeName, !rig.nested.isEmpty else { return end.nodeName }
    let local =
      name.hasPrefix(connection.scope) ? name.dropFirst(connection.scope.count) : name[...]
    for ending in ["/in", "/out"] where local.hasSuffix(ending) {
      return String(local.dropLast(ending.count))
    }
    return String(local)
  }

  /// The place of a node by its name; one of a rig within is `voice/compressor`, or `voice.compressor` as in
  /// what is set.
  func nodeIndex(of name: String) -> Int? {
    indices[name] ?? indices[name.split(separator: ".").joined(separator: "/")]
  }
}
