// RenderSequenceBuilder+Listing.swift: a render sequence as readable text. SPDX-License-Identifier: MIT

import PluginModel

extension RenderSequenceBuilder {
  /// Returns one line of text for a step.
  func line(_ step: PlannedStep) -> String {
    let outputs = step.outputs.map(name).joined(separator: " ")
    let inputs = step.inputs.map(name)
    switch step.operation {
    case .node(let node):
      let vertex = graph.vertices[node]
      let latency = vertex.node.latencyFrames
      let note = latency > 0 ? "  (latency \(latency) frames)" : ""
      // A generator has nothing before the arrow, and a meter has no arrow.
      let parts = ["\(vertex.name):"] + inputs + (outputs.isEmpty ? [] : ["->", outputs])
      return parts.joined(separator: " ") + note
    case .mix(let gains):
      let terms = zip(inputs, gains).map { $1 == 1 ? $0 : "\($0) x \($1)" }
      return "mix: \(terms.isEmpty ? "silence" : terms.joined(separator: " + ")) -> \(outputs)"
    case .fade(let startGains, let endGains, _):
      let terms = inputs.indices.map { "\(inputs[$0]) x \(startGains[$0])..\(endGains[$0])" }
      return "fade: \(terms.joined(separator: " + ")) -> \(outputs)"
    case .delay(_, let frames):
      return "delay \(frames) frames: \(inputs[0]) -> \(outputs)"
    case .watchTail(let node): return "tail of \(graph.vertices[node].name)"
    case .endNotes(let sink): return "end notes: \(name(sink))"
    case .delayEvents(let term):
      return "delay MIDI \(term.delayFrames) frames: \(name(term.source))"
    case .deliverEvents(let terms, let sink):
      let sources = terms.map {
        $0.delayFrames > 0 ? "\(name($0.source)) late" : name($0.source)
      }
      return "MIDI: \(sources.joined(separator: " + ")) -> \(name(sink))"
    }
  }

  private func name(_ source: Graph.EventSource) -> String {
    guard case .node(let id) = source else { return "in" }
    return graph.vertices[id.index].name
  }

  private func name(_ sink: Graph.EventSink) -> String {
    guard case .node(let id) = sink else { return "out" }
    return graph.vertices[id.index].name
  }

  private func name(_ location: BufferLocation) -> String {
    switch location {
    case .input(let channel): "in:\(channel + 1)"
    case .output(let channel): "out:\(channel + 1)"
    case .silence: "silence"
    case .unconnected: "unconnected"
    case .value(let value): "b\((assignment.buffers[value] ?? 0) + 1)"
    }
  }
}
