// ProjectResolver+Connections.swift: the connections of an imported rig. SPDX-License-Identifier: MIT

import AudioDriver
import Glibc
import PluginModel
import RigSchema

extension ProjectResolver {
  /// Adds the connections and the devices that they need.
  mutating func connect(_ rig: inout RigDescription) {
    if project.topology == .connections { doubleMonoPlugins(&rig) }
    let connections = project.topology == .connections ? project.connections : series(&rig)
    var links = bridged(connections.flatMap(withBalance).map(withGains)).compactMap { link($0) }
    let inputs = channelCount(links.map(\.from))
    let outputs = channelCount(links.map(\.to))
    var known: Set<ImportedLink> = []
    links = withoutLoops(links.filter { known.insert($0).inserted })
    rig.connections = ConnectionSimplifier(
      plugins: byLegalName(plugins), instances: byLegalName(instances),
      inputCount: inputs, outputCount: outputs
    ).connections(links)
    rig.inputs = devices(inputs)
    rig.outputs = devices(outputs)
  }

  /// Runs a mono plugin twice if connections use the ports that Carla adds for stereo: `In_2` and `Out_2`.
  private mutating func doubleMonoPlugins(_ rig: inout RigDescription) {
    for node in project.nodes {
      guard let plugin = plugins[node.name], plugin.isMono else { continue }
      let used = project.connections.flatMap { [$0.from, $0.to] }.filter { $0.node == node.name }
      let second = (plugin.audioInputs + plugin.audioOutputs).map { "\($0.name)_2" }
      guard used.contains(where: { second.contains($0.port.text) }) else { continue }
      instances[node.name] = 2
      rig.nodes.firstIndex { $0.name == names[node.name] }
        .map { rig.nodes[$0].instanceCount = 2 }
    }
  }

  /// Leaves out the connections that would close a feedback loop, because in a rig such a
  /// connection needs a delay.
  private mutating func withoutLoops(_ links: [ImportedLink]) -> [ImportedLink] {
    var targets: [String: Set<String>] = [:]
    var closing: Set<[String]> = []
    func leads(from start: String, to end: String) -> Bool {
      var (waiting, seen) = ([start], Set([start]))
      while let node = waiting.popLast() {
        if node == end { return true }
        for next in targets[node] ?? [] where seen.insert(next).inserted { waiting.append(next) }
      }
      return false
    }
    return links.filter { link in
      guard let from = link.from.node, let to = link.to.node else { return true }
      if targets[from]?.contains(to) == true { return true }
      guard leads(from: to, to: from) else {
        targets[from, default: []].insert(to)
        return true
      }
      if closing.insert([from, to]).inserted {
        notes.append(ImportNote("", .feedbackLoop(from: from, to: to)))
      }
      return false
    }
  }

  private func byLegalName<Value>(_ values: [String: Value]) -> [String: Value] {
    Dictionary(
      uniqueKeysWithValues: values.compactMap { name, value in names[name].map { ($0, value) } })
  }

  private func devices(_ count: Int) -> [RigDevice] {
    guard count > 0 else { return [] }
    var request = DeviceRequest(device: "default")
    request.channelCount = count
    return [RigDevice(request)]
  }

  private func channelCount(_ ends: [ImportedLink.End]) -> Int {
    ends.map { end in
      guard end.node == nil else { return 0 }
      return if case .channel(let channel) = end.port { channel } else { 0 }
    }.max() ?? 0
  }

  /// Returns the connections that mix the pair of outputs of a connection as Carla's balance does.
  private func withBalance(
    _ connection: ForeignProject.Connection
  ) -> [ForeignProject.Connection] {
    guard let node = foreign(connection.from.node), let balance = node.balance,
      let plugin = plugins[node.name]
    else { return [connection] }
    let instanceCount = instances[node.name] ?? 1
    let count = plugin.audioOutputs.count * instanceCount
    guard count > 0, count.isMultiple(of: 2),
      let port = port(connection.from.port, of: plugin, instances[node.name], isSource: true),
      let channel = channel(port, of: plugin)
    else { return [connection] }
    let isLeft = channel.isMultiple(of: 2)
    return [balance.left, balance.right].enumerated().map { index, position in
      let toRight = (position + 1) / 2
      var part = connection
      part.from.port = .channel(channel / 2 * 2 + index + 1)
      part.gain *= isLeft ? 1 - toRight : toRight
      return part
    }.filter { $0.gain > 0 }
  }

  /// Returns the audio output of a port, from 0; nil for other ports.
  private func channel(_ port: ForeignProject.Port, of plugin: PluginDescription) -> Int? {
    switch port {
    case .channel(let number): number - 1
    case .named(let symbol): plugin.audioOutputs.firstIndex { $0.symbol == symbol }
    case .midi: nil
    }
  }

  /// Returns a connection with the gains of both its nodes.
  private func withGains(_ connection: ForeignProject.Connection) -> ForeignProject.Connection {
    var connection = connection
    if let from = foreign(connection.from.node), !from.isBypassed {
      connection.gain *= from.isMuted ? 0 : from.outputGain
    }
    if let to = foreign(connection.to.node), !to.isBypassed { connection.gain *= to.inputGain }
    return connection
  }

  private func foreign(_ name: String?) -> ForeignProject.Node? {
    name.flatMap { name in project.nodes.first { $0.name == name } }
  }

  // MARK: - Missing plugins

  /// Replaces the nodes whose plugins are missing by direct connections.
  ///
  /// The first input port goes to the first output port, in the order of the connections, and so on; the last
  /// input port goes to all further output ports. Further input ports are not connected.
  private mutating func bridged(
    _ connections: [ForeignProject.Connection]
  ) -> [ForeignProject.Connection] {
    var connections = connections
    for node in project.nodes where plugins[node.name] == nil {
      let entering = connections.filter { $0.to.node == node.name && $0.from.node != node.name }
      let leaving = connections.filter { $0.from.node == node.name && $0.to.node != node.name }
      connections.removeAll { $0.to.node == node.name || $0.from.node == node.name }
      let inputs = ordered(entering.filter { $0.to.port != .midi }.map(\.to.port))
      let outputs = ordered(leaving.filter { $0.from.port != .midi }.map(\.from.port))
      guard let last = inputs.last else { continue }
      if inputs.count > outputs.count, !outputs.isEmpty {
        notes.append(
          ImportNote(
            node.name, line: node.line,
            .unusedInputs(used: outputs.count, count: inputs.count)))
      }
      for leaving in leaving {
        guard let index = outputs.firstIndex(of: leaving.from.port) else { continue }
        let input = index < inputs.count ? inputs[index] : last
        for entering in entering where entering.to.port == input {
          guard connections.count < Self.connectionLimit else { continue }
          var direct = leaving
          direct.from = entering.from
          direct.gain *= entering.gain
          connections.append(direct)
        }
      }
    }
    return connections
  }

  private func ordered(_ ports: [ForeignProject.Port]) -> [ForeignProject.Port] {
    ports.reduce(into: []) { list, port in
      if !list.contains(port) { list.append(port) }
    }
  }

  // MARK: - Ports

  /// Returns a connection between ports that exist; nil with a note if there is none.
  private mutating func link(_ connection: ForeignProject.Connection) -> ImportedLink? {
    guard let from = end(connection.from, connection, isSource: true),
      let to = end(connection.to, connection, isSource: false)
    else { return nil }
    var link = ImportedLink(from: from, to: to)
    link.gainDecibels = Self.decibels(connection.gain)
    link.delaySeconds = connection.delaySeconds
    // A port that is not audio and carries MIDI at one end must do so at the other.
    guard (from.port == .midi) == (to.port == .midi) else {
      notes.append(
        ImportNote(
          "", line: connection.line,
          .impossibleConnection(
            from: Self.label(connection.from), to: Self.label(connection.to))))
      return nil
    }
    if from.port == .midi { link.gainDecibels = 0 }
    return link
  }

  private mutating func end(
    _ end: ForeignProject.End, _ connection: ForeignProject.Connection, isSource: Bool
  ) -> ImportedLink.End? {
    guard let name = end.node else {
      switch end.port {
      case .channel, .midi: return ImportedLink.End(node: nil, port: end.port)
      case .named: break
      }
      return unknown(end, connection)
    }
    guard let plugin = plugins[name], let allowedNames = names[name],
      let port = port(end.port, of: plugin, instances[name], isSource: isSource)
    else { return unknown(end, connection) }
    return ImportedLink.End(node: allowedNames, port: port)
  }

  private mutating func unknown(
    _ end: ForeignProject.End, _ connection: ForeignProject.Connection
  ) -> ImportedLink.End? {
    let text = "\(Self.label(connection.from)) -> \(Self.label(connection.to))"
    notes.append(
      ImportNote(
        end.node ?? "", line: connection.line,
        .unknownPort(name: end.port.text, connection: text)))
    return nil
  }

  /// Returns the port of a plugin: audio and control voltage by symbol, anything else is MIDI.
  private func port(
    _ port: ForeignProject.Port, of plugin: PluginDescription, _ instances: Int?, isSource: Bool
  ) -> ForeignProject.Port? {
    let audio = isSource ? plugin.audioOutputs : plugin.audioInputs
    let voltages = isSource ? plugin.cvOutputs : plugin.cvInputs
    let carriesMIDI = isSource ? plugin.producesMIDI : plugin.acceptsMIDI
    switch port {
    case .channel(let number):
      if let count = instances {
        return 1 ... audio.count * count ~= number ? port : nil
      }
      return audio.indices.contains(number - 1) ? .named(audio[number - 1].symbol) : nil
    case .midi: return carriesMIDI ? .midi : nil
    case .named(let name):
      if instances == 2, let only = audio.first, name == only.name { return .channel(1) }
      if instances == 2, let only = audio.first, name == "\(only.name)_2" { return .channel(2) }
      let ports = audio + voltages
      let found =
        ports.first { $0.symbol == name } ?? ports.first { $0.name == name }
        ?? ports.first { $0.name.lowercased() == name.lowercased() }
      if let found { return .named(found.symbol) }
      let isControl = plugin.parameters.contains { $0.symbol == name || $0.name == name }
      return carriesMIDI && !isControl ? .midi : nil
    }
  }

  private static func label(_ end: ForeignProject.End) -> String {
    end.node.map { "\($0):\(end.port.text)" } ?? end.port.text
  }

  /// Returns a gain in decibels, so that the planner gets the same factor if a `Float` can express it.
  static func decibels(_ gain: Double) -> Float {
    guard gain > 0 else { return -.infinity }
    let start = Float(20 * log10(gain))
    let candidates = [start, start.nextUp, start.nextDown]
    return candidates.first { Float(pow(10, Double($0) / 20)) == Float(gain) } ?? start
  }
}

extension ForeignProject.Port {
  /// The port in a message.
  var text: String {
    switch self {
    case .channel(let number): "channel \(number)"
    case .named(let name): name
    case .midi: "MIDI"
    }
  }
}
