// FilterChainExporter.swift: rigs as configurations of PipeWire's filter-chain. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
package import RigPlanning
package import RigSchema

/// Writes configurations of the module filter-chain of PipeWire.
///
/// An equaliser with the bilinear design becomes biquads. An input of a filter has one link. Sums and gains are mixers,
/// and inputs with several sinks are copies.
package enum FilterChainExporter: RigExporter {
  package static let host = "PipeWire"
  package static let keys: Set<RigExportKey> = []
  /// The inputs of the built-in mixer.
  private static let mixerLimit = 8

  package static func text(
    of rig: RigDescription, _ plan: RigPlan
  ) throws(RigExportError) -> String {
    try checkNodes(rig, plan) { ExportedBands($0) != nil }
    if let node = plan.nodes.first(where: { $0.preset != nil }) { throw key("preset", node.name) }
    var graph = Graph(instances: instances(of: plan))
    for instance in graph.instances.joined() { graph.add(instance) }
    try graph.link(plan)
    if let name = graph.repeatedName { throw .repeatedName(name: name, host: host) }
    return graph.text(named: rig.name)
  }

  /// The parts of a configuration.
  private struct Graph {
    let instances: [[ExportedInstance]]
    var nodes: [String] = []
    private var names: Set<String> = []
    /// A name that two filters have; nil if there is none.
    private(set) var repeatedName: String?
    var links: [String] = []
    var inputs: [String] = []
    var outputs: [String] = []
    /// How many links leave a port.
    ///
    /// PipeWire refuses an output of the graph that has a link, too.
    private var uses: [RigPlan.Channel: Int] = [:]

    init(instances: [[ExportedInstance]]) { self.instances = instances }

    mutating func add(_ instance: ExportedInstance) {
      if let bands = ExportedBands(instance.node) { return add(bands, instance) }
      let controls = instance.node.values.map { value in
        let symbol = instance.node.plugin.parameters[value.parameter].symbol
        return "\(quoted(symbol)) = \(plain(value.value))"
      }
      add(
        instance.name, "type = lv2",
        "plugin = \(quoted(instance.node.plugin.identifier))", controls)
    }

    /// Adds the filters of an equaliser, for each of its channels.
    private mutating func add(_ bands: ExportedBands, _ instance: ExportedInstance) {
      for channel in instance.node.plugin.audioInputs.indices {
        let names = bands.names(instance.name, channel)
        for (name, filter) in zip(names, bands.filters) {
          add(name, "type = builtin", "label = \(filter.label)", filter.controls)
        }
        for index in names.indices.dropLast() {
          for input in ExportedBands.inputs(of: bands.filters[index + 1]) {
            addLink("\(names[index]):Out", "\(names[index + 1]):\(input)")
          }
        }
      }
    }

    mutating func link(_ plan: RigPlan) throws(RigExportError) {
      for channel in 0 ..< plan.inputChannelCount {
        let name = "rig-in-\(channel + 1)"
        add(name, "type = builtin", "label = copy", [])
        inputs.append("\(name):In")
      }
      var order: [RigPlan.Channel] = []
      var sources: [RigPlan.Channel: [RigPlan.Link]] = [:]
      for link in plan.links {
        if link.delaySeconds != nil { throw FilterChainExporter.unsupported(link, "a delay", plan) }
        if !link.factors.isEmpty {
          throw FilterChainExporter.unsupported(link, "automation", plan)
        }
        if sources[link.to] == nil { order.append(link.to) }
        sources[link.to, default: []].append(link)
      }
      for link in plan.links { uses[link.from, default: 0] += 1 }
      for sink in order where sink.node != nil { connect(try mixed(sources[sink] ?? []), sink) }
      for channel in 0 ..< plan.outputChannelCount {
        let links = sources.first { $0.key.node == nil && $0.key.index == channel }?.value ?? []
        outputs.append(links.isEmpty ? "null" : quoted(try mixed(links)))
      }
    }

    /// Returns the port with the sum of the sources of some links.
    private mutating func mixed(_ links: [RigPlan.Link]) throws(RigExportError) -> String {
      let isBorder = links[0].to.node == nil
      let isShared = isBorder && (links[0].from.node == nil || uses[links[0].from] != 1)
      if links.count == 1, links[0].gain == 1, !isShared {
        return source(links[0].from)
      }
      guard links.count <= FilterChainExporter.mixerLimit else {
        throw .tooManySources(
          port: sinkName(links[0].to), limit: FilterChainExporter.mixerLimit,
          host: FilterChainExporter.host)
      }
      let name = "rig-mix-\(nodes.count + 1)"
      let isSingle = links.count == 1
      add(
        name, "type = builtin", "label = mixer",
        isSingle
          ? ExportedBands.gains(links[0].gain)
          : links.enumerated().map { "\"Gain \($0.offset + 1)\" = \(plain($0.element.gain))" })
      for (index, link) in (isSingle ? links + links : links).enumerated() {
        addLink(source(link.from), "\(name):In \(index + 1)")
      }
      return "\(name):Out"
    }

    private mutating func connect(_ source: String, _ sink: RigPlan.Channel) {
      addLink(source, sinkName(sink))
    }

    private func source(_ channel: RigPlan.Channel) -> String {
      FilterChainExporter.port(channel, isSource: true, instances)
        .map { portName($0.instance, $0.symbol, isSource: true) }
        ?? "rig-in-\(channel.index + 1):Out"
    }

    private func sinkName(_ channel: RigPlan.Channel) -> String {
      FilterChainExporter.port(channel, isSource: false, instances)
        .map { portName($0.instance, $0.symbol, isSource: false) } ?? "out:\(channel.index + 1)"
    }

    private func portName(
      _ instance: ExportedInstance, _ symbol: String, isSource: Bool
    ) -> String {
      let plugin = instance.node.plugin
      let ports = isSource ? plugin.audioOutputs : plugin.audioInputs
      guard let bands = ExportedBands(instance.node),
        let channel = ports.firstIndex(where: { $0.symbol == symbol })
      else { return "\(instance.name):\(symbol)" }
      let names = bands.names(instance.name, channel)
      return isSource
        ? "\(names[names.count - 1]):Out"
        : "\(names[0]):In"
    }

    private mutating func add(_ name: String, _ type: String, _ what: String, _ controls: [String])
    {
      if !names.insert(name).inserted { repeatedName = name }
      let control = controls.isEmpty ? "" : " control = { \(controls.joined(separator: " ")) }"
      nodes.append("{ \(type) name = \(quoted(name)) \(what)\(control) }")
    }

    private mutating func addLink(_ from: String, _ to: String) {
      links.append("{ output = \(quoted(from)) input = \(quoted(to)) }")
    }

    private func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\\(scalar)"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
          let digits = String(scalar.value, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }

    func text(named name: String) -> String {
      let blank = "          "
      return """
        context.modules = [
          { name = libpipewire-module-filter-chain
            args = {
              node.description = \(quoted(name))
              media.name = \(quoted(name))
              filter.graph = {
                nodes = [
        \(nodes.map { blank + $0 }.joined(separator: "\n"))
                ]
                links = [
        \(links.map { blank + $0 }.joined(separator: "\n"))
                ]
                inputs = [ \(inputs.map(quoted).joined(separator: " ")) ]
                outputs = [ \(outputs.joined(separator: " ")) ]
              }
              capture.props = { node.name = "outboard.capture" audio.channels = \(inputs.count) }
              playback.props = { node.name = "outboard.playback" audio.channels = \(outputs.count) }
            }
          }
        ]

        """
    }
  }
}
