// ProjectResolver+Series.swift: plugins in series. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

extension ProjectResolver {
  /// The channels of the project's input and output in a series of unspecified width.
  var borderChannelCount: Int {
    switch project.topology {
    case .connections: 0
    case .rack: 2
    case .series(let count): count ?? naturalChannelCount
    }
  }

  /// The inputs of the first plugin, or its outputs if it has none.
  private var naturalChannelCount: Int {
    guard let plugin = project.nodes.lazy.compactMap({ plugins[$0.name] }).first else { return 2 }
    let (inputs, outputs) = (plugin.mainInputs.count, plugin.mainOutputs.count)
    return max(1, inputs > 0 ? inputs : outputs)
  }

  /// Returns the connections of a series, and sets the number of instances.
  mutating func series(_ rig: inout RigDescription) -> [ForeignProject.Connection] {
    (0 ..< project.chainCount).flatMap { series($0, &rig) }
  }

  private mutating func series(
    _ chain: Int, _ rig: inout RigDescription
  ) -> [ForeignProject.Connection] {
    let input = chain < project.chainInputs.count ? project.chainInputs[chain] : 0
    let output = chain < project.chainOutputs.count ? project.chainOutputs[chain] : 0
    var row = SeriesConnector(channelCount: borderChannelCount, input: input)
    for node in project.nodes where node.chain == chain {
      guard let plugin = plugins[node.name] else {
        row.gain(through: node)
        continue
      }
      if case .rack(let forcesStereo) = project.topology,
        !((node.isDoubled ?? forcesStereo) && plugin.isMono)
      {
        row.appendInRack(node, plugin, forcesStereo)
      } else if let count = row.append(node.name, plugin), count > 1 {
        instances[node.name] = count
        rig.nodes.firstIndex { $0.name == names[node.name] }
          .map { rig.nodes[$0].instanceCount = count }
      }
    }
    row.finish(
      gain: chain < project.chainGains.count ? project.chainGains[chain] : 1, output: output)
    return row.connections
  }
}

/// Connects plugins in series.
private struct SeriesConnector {
  private let channelCount: Int
  /// The sources of each channel.
  private var sources: [[ForeignProject.End]]
  /// The gain of missing plugins since the last connection.
  private var passedGain = 1.0
  private(set) var connections: [ForeignProject.Connection] = []

  /// Starts with the channels of an input, counted from 0.
  init(channelCount: Int, input: Int) {
    self.channelCount = channelCount
    sources = (1 ... channelCount).map {
      [ForeignProject.End(nil, .channel(input * channelCount + $0))]
    }
  }

  /// Passes the gains of a node that is missing.
  mutating func gain(through node: ForeignProject.Node) {
    if !node.isBypassed { passedGain *= node.inputGain * node.outputGain }
  }

  /// Adds a plugin as Carla's rack does: it has two channels, and a plugin without inputs is added to them.
  ///
  /// A single output goes to both channels. The first channel replaces the second one if the plugin has no input,
  /// and one output that is not doubled.
  mutating func appendInRack(
    _ node: ForeignProject.Node, _ plugin: PluginDescription, _ forcesStereo: Bool
  ) {
    let name = node.name
    let (inputs, outputs) = (plugin.audioInputs.count, plugin.audioOutputs.count)
    for channel in 0 ..< min(inputs, channelCount) {
      feed(ForeignProject.End(name, .channel(channel + 1)), from: sources[channel])
    }
    let sent = (0 ..< channelCount).map { channel -> [ForeignProject.End] in
      guard outputs > 0, outputs == 1 || channel < outputs else { return [] }
      return [ForeignProject.End(name, .channel(outputs == 1 ? 1 : channel + 1))]
    }
    sources = inputs == 0 ? zip(sources, sent).map { $0 + $1 } : sent
    if inputs == 0, outputs == 1, !(node.isDoubled ?? forcesStereo) { sources[1] = sources[0] }
    if inputs > 0 { passedGain = 1 }
  }

  /// Adds a plugin that runs as often as the number of channels needs; returns how often.
  mutating func append(_ name: String, _ plugin: PluginDescription) -> Int? {
    let (inputs, outputs) = (plugin.mainInputs, plugin.mainOutputs)
    defer { passedGain = 1 }
    if !inputs.isEmpty, inputs.count == outputs.count, inputs.count < channelCount,
      channelCount.isMultiple(of: inputs.count)
    {
      for channel in 1 ... channelCount {
        let end = ForeignProject.End(name, .channel(channel))
        feed(end, from: sources[channel - 1])
        sources[channel - 1] = [end]
      }
      return channelCount / inputs.count
    }
    for (channel, port) in inputs.enumerated() where channel < channelCount {
      feed(ForeignProject.End(name, .named(port.symbol)), from: sources[channel])
    }
    let sent = outputs.map { [ForeignProject.End(name, .named($0.symbol))] }
    sources = (0 ..< channelCount).map { channel in
      sent.count == 1 ? sent[0] : channel < sent.count ? sent[channel] : []
    }
    return nil
  }

  /// Connects the last plugin to the channels of an output, counted from 0.
  mutating func finish(gain: Double, output: Int) {
    passedGain *= gain
    for (channel, ends) in sources.enumerated() {
      feed(ForeignProject.End(nil, .channel(output * channelCount + channel + 1)), from: ends)
    }
  }

  private mutating func feed(_ end: ForeignProject.End, from sources: [ForeignProject.End]) {
    for source in sources { connect(source, end) }
  }

  private mutating func connect(_ from: ForeignProject.End, _ to: ForeignProject.End) {
    var connection = ForeignProject.Connection(from, to)
    connection.gain = passedGain
    connections.append(connection)
  }
}

extension PluginDescription {
  /// Whether the plugin has one audio input and one audio output.
  var isMono: Bool { audioInputs.count == 1 && audioOutputs.count == 1 }

  /// The inputs that a connection without ports goes to, as in the planner.
  var mainInputs: [AudioPort] { Self.main(audioInputs) }

  /// The outputs that a connection without ports leaves, as in the planner.
  var mainOutputs: [AudioPort] { Self.main(audioOutputs) }

  private static func main(_ ports: [AudioPort]) -> [AudioPort] {
    if ports.contains(where: \.isMain) { return ports.filter(\.isMain) }
    return ports.filter { $0.group == ports[0].group }
  }
}
