// DOTWriter.swift: a rig as a DOT graph for Graphviz. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import PluginModel

/// Writes rigs in the DOT language (Gansner and North, 2000).
package enum DOTWriter {
  /// Returns the DOT graph of nodes and connections; parallel channels are one arrow. [any]
  package static func dot(_ plan: RigPlan, name: String) -> String {
    var lines = ["digraph \(quoted(name)) {", "  rankdir=LR;", "  node [shape=box];"]
    if plan.inputChannelCount > 0 { lines.append("  in [shape=cds];") }
    if plan.outputChannelCount > 0 { lines.append("  out [shape=cds];") }
    for (index, node) in plan.nodes.enumerated() {
      let times = node.instanceCount > 1 ? " × \(node.instanceCount)" : ""
      let label = node.name == node.plugin.name ? node.name : "\(node.name)\n\(node.plugin.name)"
      // Isolated nodes have a dashed box with their group.
      let isOwn = node.isolation.process == .own
      let reason = node.isolationReason.map { ", because \($0.text)" } ?? ""
      let group = isOwn ? "" : ": \(node.isolation.processText)"
      let latency = node.isolation.isBlockLate ? ", one block later" : ""
      let process =
        node.isolation == .off ? "" : "\nisolated\(group)\(latency)\(reason)"
      let style = node.isolation == .off ? "" : ", style=dashed"
      lines.append("  n\(index) [label=\(quoted(label + times + process))\(style)];")
    }
    for name in plan.nested where !name.contains("/") { lines += cluster(name, plan, "  ") }
    if plan.acceptsMIDI { lines.append("  midi_in [label=\"MIDI in\", shape=cds, style=dashed];") }
    if plan.sendsMIDI { lines.append("  midi_out [label=\"MIDI out\", shape=cds, style=dashed];") }
    for arrow in arrows(plan) { lines.append("  \(arrow)") }
    for link in plan.eventLinks {
      let from = link.from.map { "n\($0)" } ?? "midi_in"
      let to = link.to.map { "n\($0)" } ?? "midi_out"
      lines.append("  \(from) -> \(to) [label=\"MIDI\", style=dashed];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// Returns a box with the nodes of a nested rig and of the rigs inside it.
  private static func cluster(_ name: String, _ plan: RigPlan, _ indent: String) -> [String] {
    func isImmediate(_ other: String) -> Bool {
      other.hasPrefix(name + "/") && !other.dropFirst(name.count + 1).contains("/")
    }
    let nodes = plan.nodes.indices.filter { isImmediate(plan.nodes[$0].name) }.map { "n\($0);" }
    let title = name.split(separator: "/").last.map(String.init) ?? name
    return [
      "\(indent)subgraph \(quoted("cluster_" + name)) {", "\(indent)  label=\(quoted(title));",
    ]
      + nodes.map { "\(indent)  \($0)" }
      + plan.nested.filter(isImmediate).flatMap { cluster($0, plan, indent + "  ") }
      + ["\(indent)}"]
  }

  private struct Pair: Hashable {
    let from: Int?
    let to: Int?
    let gain: Float
    let delaySeconds: Double?
  }

  private static func arrows(_ plan: RigPlan) -> [String] {
    var order: [Pair] = []
    var channels: [Pair: [String]] = [:]
    for link in plan.links {
      let pair = Pair(
        from: link.from.node, to: link.to.node, gain: link.gain, delaySeconds: link.delaySeconds)
      if channels[pair] == nil { order.append(pair) }
      let from = name(link.from, plan, \.audioOutputs, \.cvOutputs)
      let to = name(link.to, plan, \.audioInputs, \.cvInputs)
      channels[pair, default: []].append("\(from)→\(to)")
    }
    return order.map { pair in
      let from = pair.from.map { "n\($0)" } ?? "in"
      let to = pair.to.map { "n\($0)" } ?? "out"
      let decibels = (20 * log10(Double(pair.gain)) * 10).rounded() / 10
      let gain = pair.gain == 1 ? "" : "\n\(decibels) dB"
      let delay = pair.delaySeconds.map { "\n\(plain($0 * 1_000)) ms" } ?? ""
      let label = channels[pair, default: []].joined(separator: " ") + gain + delay
      return "\(from) -> \(to) [label=\(quoted(label))];"
    }
  }

  /// Returns the label of a channel: the number of an audio channel over all instances, or the symbol of a CV port.
  private static func name(
    _ channel: RigPlan.Channel, _ plan: RigPlan,
    _ audio: KeyPath<PluginDescription, [AudioPort]>,
    _ voltages: KeyPath<PluginDescription, [AudioPort]>
  ) -> String {
    guard let plugin = channel.node.map({ plan.nodes[$0].plugin }) else {
      return "\(channel.index + 1)"
    }
    let (audioCount, others) = (plugin[keyPath: audio].count, plugin[keyPath: voltages])
    let (instance, port) = channel.index.quotientAndRemainder(dividingBy: audioCount + others.count)
    return port < audioCount
      ? "\(instance * audioCount + port + 1)" : others[port - audioCount].symbol
  }

  /// A label uses backslash escapes, also for line ends.
  private static func quoted(_ text: String) -> String {
    var written = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": written += "\\\""
      case "\\": written += "\\\\"
      case "\n": written += "\\n"
      case _ where scalar.properties.generalCategory == .control: written += " "
      default: written.unicodeScalars.append(scalar)
      }
    }
    return written + "\""
  }
}
