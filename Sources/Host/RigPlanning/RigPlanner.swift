// RigPlanner.swift: resolution of a rig's connections to channels. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import PluginModel
import RenderGraph
import RigSchema

/// Creates a `RigPlan` step by step, and collects all errors.
struct RigPlanner {
  let rig: RigDescription
  let inputChannelCount: Int
  var outputChannelCount = 0
  var nodes: [RigPlan.PlannedNode]
  var links: [RigPlan.Link] = []
  var eventLinks: [RigPlan.EventLink] = []
  private(set) var diagnostics: [Diagnostic] = []
  var notes: [String] = []
  var scenes: [ScenePlan] = []
  var maps: [MapPlan] = []
  /// Lanes without a parameter, by target: `echo.wet`, or the keys of a connection.
  var gainLanes: [String: GainLane] = [:]
  let indices: [String: Int]
  /// The connections to a node, by its name.
  let connectionsTo: [String: [RigConnection]]

  init(_ rig: RigDescription, _ plugins: [PluginDescription], _ inputChannelCount: Int) {
    self.rig = rig
    self.inputChannelCount = inputChannelCount
    nodes = zip(rig.nodes, plugins).map {
      RigPlan.PlannedNode(
        name: $0.name, plugin: $1, instanceCount: $0.instanceCount ?? 1, values: [],
        isolation: $0.isolation, isSandboxed: $0.isSandboxed)
    }
    nodes += NestedRigBoundary.nodes(of: rig, plugins)
    indices = Dictionary(
      nodes.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { $1 })
    connectionsTo = Dictionary(
      grouping: rig.connections.lazy.filter { $0.to.nodeName != nil && !$0.carriesMIDI },
      by: { $0.to.nodeName ?? "" })
  }

  // MARK: - Isolation

  /// Isolates nodes whose isolation is automatic, if there is a reason.
  mutating func resolveIsolation(_ reasons: [IsolationReason?]) {
    for (index, node) in rig.nodes.enumerated() where node.isolation.process == .automatic {
      nodes[index].isolationReason = index < reasons.count ? reasons[index] : nil
      nodes[index].isolation =
        nodes[index].isolationReason == nil
        ? .off : NodeIsolation(.own, isBlockLate: node.isolation.isBlockLate)
    }
    resolveSandboxes()
  }

  // MARK: - Parameters

  /// Resolves all parameter values of the rig.
  mutating func readParameters() {
    for (index, node) in rig.nodes.enumerated() {
      for written in node.parameters { readParameter(written, of: index, node) }
    }
  }

  private mutating func readParameter(_ written: RigParameter, of index: Int, _ node: RigNode) {
    let plugin = nodes[index].plugin
    let parameters = plugin.parameters
    let file = written.location?.file ?? node.origin?.file
    let keyPath = written.location?.keyPath ?? "\(node.keyPath).parameters.\(written.symbol)"
    guard let position = parameters.index(ofSymbol: written.symbol) else {
      // The command line has one list for both.
      if rig.file.isEmpty, let position = Property.index(of: written.symbol, in: plugin.properties)
      {
        readProperty(written, position, of: index, keyPath)
      } else if plugin.refusal == nil || written.symbol == node.parameters.first?.symbol {
        // A plugin that cannot be hosted is reported once.
        report(unknownParameter(written.symbol, of: index), written.position, keyPath, in: file)
      }
      return
    }
    switch ParameterValue.parse(written.text, for: parameters[position]) {
    case .success(let parsed):
      nodes[index].values.removeAll { $0.parameter == position }
      nodes[index].values.append(RigPlan.Value(parameter: position, value: parsed.value))
      if let note = parsed.note { notes.append("\(node.name): \(note)") }
    case .failure(let error):
      // Without a file, no key path names the node.
      let message = rig.file.isEmpty ? "\(node.name): \(error)" : "\(error)"
      report(message, written.position, keyPath, in: file)
    }
  }

  // MARK: - Channels

  /// A rig that requests several input channels and gets one uses it for all of them.
  private var isSpread: Bool { inputChannelCount == 1 && wantedInputCount > 1 }

  private var wantedInputCount: Int {
    inputChannelCount == 1 ? max(1, rig.inputChannelCount ?? 1) : inputChannelCount
  }

  /// The number of channels that reach the output of the rig.
  var naturalOutputCount: Int {
    rig.connections.filter { $0.to.nodeName == nil && !$0.carriesMIDI }.map { connection in
      if case .channels(let channels) = connection.to.ports { return channels.max() ?? 1 }
      return sources(connection.from)?.count ?? 1
    }.max() ?? 0
  }

  /// Connects channels to channels.
  mutating func link() {
    for connection in rig.connections {
      if carriesMIDI(connection) {
        linkEvents(connection)
        continue
      }
      guard let from = sources(connection.from) else {
        reportMissing(connection.from, "outputs", connection)
        continue
      }
      guard let to = sinks(connection.to) else {
        reportMissing(connection.to, "inputs", connection)
        continue
      }
      link(connection, from, to)
    }
    connectDefaultMIDI()
  }

  /// Maps one to one, one to all, or the mean of all to one; any other mapping must be explicit.
  private mutating func link(
    _ connection: RigConnection, _ from: [RigPlan.Channel], _ to: [RigPlan.Channel]
  ) {
    // The lane contains the whole gain.
    let isMoved = gainLanes[Self.key(of: connection)] != nil
    let gain = isMoved ? 1 : Float(pow(10, Double(connection.gainDecibels) / 20))
    let isEmpty = from.isEmpty || to.isEmpty
    if !isEmpty, from.count == to.count {
      for (source, sink) in zip(from, to) { add(source, sink, gain, connection) }
    } else if !isEmpty, from.count == 1 {
      for sink in to { add(from[0], sink, gain, connection) }
    } else if to.count == 1, !from.isEmpty {
      for source in from { add(source, to[0], gain / Float(from.count), connection) }
    } else {
      report(
        mismatch(connection, from.count, to.count), connection.to.position, connection.keyPath,
        in: connection.file)
    }
  }

  private mutating func add(
    _ from: RigPlan.Channel, _ to: RigPlan.Channel, _ gain: Float, _ connection: RigConnection
  ) {
    var link = RigPlan.Link(from: from, to: to, gain: gain, delaySeconds: connection.delaySeconds)
    link.factors = gainLanes[Self.key(of: connection)].map { [GainFactor(lanes: [$0])] } ?? []
    links.append(link)
  }

  /// Returns the source channels of an end; nil if one does not exist.
  func sources(_ end: ConnectionEndpoint) -> [RigPlan.Channel]? {
    guard let name = end.nodeName else {
      return pick(end.ports, of: wantedInputCount)?
        .map { isSpread ? RigPlan.Channel(node: nil, index: 0) : $0 }
    }
    guard let index = indices[name] else { return nil }
    let plugin = nodes[index].plugin
    return pick(end.ports, of: index, plugin.audioOutputs, plugin.cvOutputs)
  }

  func sinks(_ end: ConnectionEndpoint) -> [RigPlan.Channel]? {
    guard let name = end.nodeName else {
      return pick(end.ports, of: outputChannelCount)
    }
    guard let index = indices[name] else { return nil }
    let plugin = nodes[index].plugin
    return pick(end.ports, of: index, plugin.audioInputs, plugin.cvInputs)
  }

  /// Returns channels of the rig's input or output; nil if one does not exist.
  private func pick(_ ports: ConnectionEndpoint.Ports, of count: Int) -> [RigPlan.Channel]? {
    switch ports {
    case .all: return (0 ..< count).map { RigPlan.Channel(node: nil, index: $0) }
    case .channels(let channels):
      guard channels.allSatisfy({ 1 ... max(1, count) ~= $0 }), count > 0 else { return nil }
      return channels.map { RigPlan.Channel(node: nil, index: $0 - 1) }
    case .named: return nil
    }
  }

  /// Returns channels of one side of a node: its audio ports, and the CV ports that are named.
  private func pick(
    _ ports: ConnectionEndpoint.Ports, of node: Int, _ audio: [AudioPort], _ voltages: [AudioPort]
  ) -> [RigPlan.Channel]? {
    let declared = audio + voltages
    func all(among count: Int, _ isChosen: (AudioPort) -> Bool) -> [RigPlan.Channel] {
      (0 ..< nodes[node].instanceCount).flatMap { instance in
        (0 ..< count).filter { isChosen(declared[$0]) }.map {
          RigPlan.Channel(node: node, index: instance * declared.count + $0)
        }
      }
    }
    switch ports {
    case .all: return all(among: audio.count, audio.isUnnamedPort)
    case .channels(let channels):
      let audible = all(among: audio.count) { _ in true }
      guard channels.allSatisfy({ 1 ... max(1, audible.count) ~= $0 }), !audible.isEmpty else {
        return nil
      }
      return channels.map { audible[$0 - 1] }
    case .named(let name):
      let bySymbol = all(among: declared.count) { $0.symbol == name }
      if !bySymbol.isEmpty { return bySymbol }
      let lower = name.lowercased()
      let byName = all(among: declared.count) {
        $0.group.lowercased() == lower || $0.name.lowercased() == lower
      }
      return byName.isEmpty ? nil : byName
    }
  }

  // MARK: - Mistakes

  private func mismatch(_ connection: RigConnection, _ from: Int, _ to: Int) -> String {
    let source = label(connection.from, of: connection) ?? "in"
    let sink = label(connection.to, of: connection) ?? "out"
    if from == 0 {
      return connection.from.nodeName == nil
        ? "No input is open to feed \(sink). Add an input to the rig, or use --in."
        : "\(source) has no audio outputs, so it cannot feed \(sink)"
          + voltageHint(connection.from, \.cvOutputs)
    }
    if to == 0 {
      return connection.to.nodeName == nil
        ? "No output is open for \(source)."
        : "\(sink) has no audio inputs, so \(source) cannot feed it"
          + voltageHint(connection.to, \.cvInputs)
    }
    // A recorder of the command line has the name of its option.
    if sink.hasPrefix("--") {
      return
        "\(source) has \(from) channels, but the file of \(sink) began with \(to). Start the session again to"
        + " record all of them."
    }
    let example =
      from > to ? "\(source):1-\(to) -> \(sink)" : "\(source) -> \(sink):1-\(from)"
    return "\(source) has \(from) channels and \(sink) has \(to). Name the channels in a rig, e.g."
      + " \(example)."
  }

  /// Returns the end of a message: a node with CV ports only needs an explicit port name.
  private func voltageHint(
    _ end: ConnectionEndpoint, _ side: KeyPath<PluginDescription, [AudioPort]>
  ) -> String {
    guard let name = end.nodeName, let index = indices[name],
      let port = nodes[index].plugin[keyPath: side].first
    else { return "." }
    return "; name one of its control voltages, e.g. \(name):\(port.symbol)."
  }

  private mutating func reportMissing(
    _ end: ConnectionEndpoint, _ side: String, _ connection: RigConnection
  ) {
    report(missing(end, side, connection), end.position, connection.keyPath, in: connection.file)
  }

  private func missing(_ end: ConnectionEndpoint, _ side: String, _ connection: RigConnection)
    -> String
  {
    let isSource = side == "outputs"
    guard let name = label(end, of: connection), let index = end.nodeName.flatMap({ indices[$0] })
    else {
      let count = isSource ? inputChannelCount : outputChannelCount
      return "\(isSource ? "The input" : "The output") has only \(Self.channels(count))."
        + " Channels are numbered from 1."
    }
    let plugin = nodes[index].plugin
    let audio = isSource ? plugin.audioOutputs : plugin.audioInputs
    let voltages = isSource ? plugin.cvOutputs : plugin.cvInputs
    guard !(audio + voltages).isEmpty else { return "\(name) has no audio \(side)." }
    let names = (audio + voltages).map(\.symbol).joined(separator: ", ")
    return "\(name) has no such port among its audio \(side). Known ports: \(names)."
  }

  private static func channels(_ count: Int) -> String {
    count == 1 ? "1 channel" : "\(count) channels"
  }

  /// Adds an error, in the file of the rig if no file is given.
  mutating func report(
    _ message: String, _ position: SourcePosition?, _ keyPath: String, in file: String? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        file: file ?? rig.file, position: position, keyPath: keyPath,
        fault: .reported(message: message)))
  }
}
