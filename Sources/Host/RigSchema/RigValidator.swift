// RigValidator.swift: whether a rig's parts fit each other. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// Checks rules about several keys of a rig: connections and devices.
struct RigValidator {
  let rig: RigDescription
  /// The nodes that are nested rigs.
  private let rigs: [NestedRigReference]
  private let fields: ManifestFields
  let diagnostics: DiagnosticCollector
  /// Every node's name, those that could not be read included; nil if the nodes are no mapping.
  private let nodeNames: [String]?
  private let nodeNameSet: Set<String>

  init(rig: RigDescription, rigs: [NestedRigReference], fields: ManifestFields) {
    self.rig = rig
    self.rigs = rigs
    self.fields = fields
    diagnostics = fields.owner.diagnostics
    switch fields["nodes"]?.node.content {
    case .mapping(let entries): nodeNames = entries.map(\.key)
    case nil: nodeNames = []
    default: nodeNames = nil
    }
    nodeNameSet = Set(nodeNames ?? [])
  }

  /// Reports mistakes and notes.
  func run() {
    for connection in rig.connections {
      checkEnds(of: connection)
    }
    checkDevices()
    reportLoops()
    warnDuplicateConnections()
    warnUnconnectedNodes()
    warnSimilarGroups()
  }

  // MARK: - Ends

  private func checkEnds(of connection: RigConnection) {
    if connection.from.location == .output {
      diagnostics.report(
        .fromOutput, at: connection.from.position, keyPath: connection.keyPath)
    }
    if connection.to.location == .input {
      diagnostics.report(.toInput, at: connection.to.position, keyPath: connection.keyPath)
    }
    for end in [connection.from, connection.to] {
      guard let name = end.nodeName, let nodeNames, !nodeNameSet.contains(name) else { continue }
      let known = nodeNames + ["in", "out"]
      diagnostics.report(
        .unknownNode(found: name, suggestion: nearest(to: name, among: known), known: known),
        at: end.position, keyPath: connection.keyPath)
    }
    checkChannels(connection.from, of: rig.inputChannelCount, .input, "input", connection)
    checkChannels(connection.to, of: rig.outputChannelCount, .output, "output", connection)
  }

  private func checkChannels(
    _ end: ConnectionEndpoint, of channelCount: Int?, _ location: ConnectionEndpoint.Location,
    _ key: String,
    _ connection: RigConnection
  ) {
    guard end.location == location, let count = channelCount,
      case .channels(let channels) = end.ports, let highest = channels.max(), highest > count
    else { return }
    diagnostics.report(
      .channelMissing(channel: highest, key: key, channelCount: count), at: end.position,
      keyPath: connection.keyPath)
  }

  // MARK: - Devices

  /// Checks the devices.
  ///
  /// A rig without devices is for offline rendering, with files for `in` and `out`.
  private func checkDevices() {
    let recording = rig.connections.first { $0.from.location == .input && !$0.carriesMIDI }
    let playing = rig.connections.first { $0.to.location == .output && !$0.carriesMIDI }
    // A device that could not be read is reported as such, and neither missed nor unused.
    let hasInput = !rig.inputs.isEmpty || fields["input"].map { !$0.saysNone } ?? false
    let hasOutput = !rig.outputs.isEmpty || fields["output"].map { !$0.saysNone } ?? false
    guard hasInput || hasOutput else { return }
    if let recording, !hasInput {
      diagnostics.report(
        .deviceMissing(end: "in", key: "input"), at: recording.from.position,
        keyPath: recording.keyPath)
    }
    if let playing, !hasOutput {
      diagnostics.report(
        .deviceMissing(end: "out", key: "output"), at: playing.to.position,
        keyPath: playing.keyPath)
    }
    if playing == nil, let output = rig.outputs.first {
      diagnostics.report(.outputUnused, at: output.position, keyPath: "output")
    }
    if recording == nil, let input = rig.inputs.first {
      diagnostics.warn(.inputUnused, at: input.position, keyPath: "input")
    }
  }

  // MARK: - Loops

  private func reportLoops() {
    // A loop is legal if one of its connections has a delay.
    let direct = rig.connections.filter { $0.delaySeconds == nil }
    let edges = Dictionary(grouping: direct) { $0.from.nodeName ?? "" }
    var finished: Set<String> = []
    for name in rig.nodes.map(\.name) + rigs.map(\.name) {
      var path = Path()
      follow(name, edges, &path, &finished)
    }
  }

  /// The nodes from the start of a walk to its current node, each at most once.
  private struct Path {
    private(set) var nodes: [String] = []
    private(set) var indices: [String: Int] = [:]

    mutating func enter(_ node: String) {
      indices[node] = nodes.count
      nodes.append(node)
    }

    mutating func leave() {
      if let node = nodes.popLast() { indices[node] = nil }
    }
  }

  /// Follows the connections from a node; one to a node of the path closes a loop.
  private func follow(
    _ node: String, _ edges: [String: [RigConnection]], _ path: inout Path,
    _ finished: inout Set<String>
  ) {
    guard !finished.contains(node) else { return }
    path.enter(node)
    for connection in edges[node] ?? [] {
      guard let next = connection.to.nodeName else { continue }
      if let start = path.indices[next] {
        diagnostics.report(
          .loop(nodes: path.nodes[start...] + [next]), at: connection.to.position,
          keyPath: connection.keyPath)
      } else {
        follow(next, edges, &path, &finished)
      }
    }
    path.leave()
    finished.insert(node)
  }

  // MARK: - Notes

  private func warnDuplicateConnections() {
    var firstLines: [Route: Int] = [:]
    for connection in rig.connections {
      let route = Route(connection)
      guard let line = firstLines[route] else {
        firstLines[route] = connection.from.position.line
        continue
      }
      diagnostics.warn(
        .connectionRepeated(firstLine: line), at: connection.from.position,
        keyPath: connection.keyPath)
    }
  }

  private func warnUnconnectedNodes() {
    let connected = Set(rig.connections.flatMap { [$0.from.nodeName, $0.to.nodeName] })
    for node in rig.nodes where !connected.contains(node.name) {
      diagnostics.warn(.nodeUnconnected, at: node.position, keyPath: node.keyPath)
    }
    for rig in rigs where !connected.contains(rig.name) {
      diagnostics.warn(.nodeUnconnected, at: rig.position, keyPath: rig.change.keyPath)
    }
  }
}

/// A connection without its position in the file and its gain.
private struct Route: Hashable {
  let locations: [ConnectionEndpoint.Location]
  let ports: [ConnectionEndpoint.Ports]

  init(_ connection: RigConnection) {
    locations = [connection.from.location, connection.to.location]
    ports = [connection.from.ports, connection.to.ports]
  }
}

extension ManifestCursor {
  /// Whether a device is expressly not opened.
  fileprivate var saysNone: Bool {
    if case .text(let text, _) = node.content { text.trimmed == "none" } else { false }
  }
}
