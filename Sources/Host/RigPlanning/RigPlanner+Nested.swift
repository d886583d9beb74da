// RigPlanner+Nested.swift: inputs and outputs of nested rigs, removed after planning. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

/// The input or output of a nested rig while the rig is planned.
enum NestedRigBoundary {
  /// It has as many inputs as outputs.
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

  // MARK: - Names in sentences

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
