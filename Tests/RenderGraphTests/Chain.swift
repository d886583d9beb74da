// Chain.swift: a chain of nodes as a graph. SPDX-License-Identifier: MIT

import PluginModel

@testable import RenderGraph

/// A chain from the input through the nodes to the output, all mono.
func chain(_ nodes: [any Node], gain: Float = 1) throws -> Graph {
  var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
  var last = Graph.Source.input(channel: 0)
  for (index, node) in nodes.enumerated() {
    let id = graph.add(node, named: "n\(index)")
    try graph.connect(last, to: .node(id, channel: 0))
    last = .node(id, channel: 0)
  }
  try graph.connect(last, to: .output(channel: 0), gain: gain)
  return graph
}
