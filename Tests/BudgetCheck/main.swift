// main.swift: work whose instructions scripts/check-budgets counts under callgrind. SPDX-License-Identifier: MIT
//
// Only what happens inside the C functions below is counted: set-up and warm-up are not.
// Usage: budget-check compile NODES | nodes NODES BLOCKS | lv2 NODES BLOCKS BUNDLE URI

import Glibc
import GraphTestSupport
import LV2Host
import PluginModel
import RealtimeKit
import RenderGraph

private let rateHz = 48_000.0
/// The number of blocks that are rendered before the first counted one.
private let warmUpBlocks = 8

private func fail(_ message: String) -> Never {
  print("budget-check: \(message)")
  exit(1)
}

/// An engine like that of a session, with one thread, and without overload protection, whose work depends on time.
private func makeEngine(frameCount: Int) -> Engine {
  let settings = Engine.Settings(
    inputChannelCount: 2, outputChannelCount: 2, maximumFrameCount: frameCount,
    sampleRateHz: rateHz, startsFadedOut: false, guardsNodes: true, watchesOffset: true,
    silencesFaultyInputs: true, rememberedSeconds: 10)
  let engine = Engine(settings)
  for channel in 0 ..< 2 {
    engine.pointer.pointee.inputs[channel].update(repeating: 0.25, count: frameCount)
  }
  return engine
}

/// Renders a chain of nodes on one channel.
///
/// The other channel is connected directly.
private func render(_ nodes: [any Node], blockCount: Int, frameCount: Int) throws {
  let engine = makeEngine(frameCount: frameCount)
  var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
  var last = Graph.Source.input(channel: 0)
  for node in nodes {
    let id = graph.add(node, named: "node")
    try graph.connect(last, to: .node(id, channel: 0))
    last = .node(id, channel: 0)
  }
  try graph.connect(last, to: .output(channel: 0))
  try graph.connect(.input(channel: 1), to: .output(channel: 1))
  engine.install(try GraphCompiler.compile(graph, for: engine))
  for _ in 0 ..< warmUpBlocks { renderBlock(engine.pointer, frameCount) }
  renderBlocks(engine.pointer, blockCount, frameCount)
}

@c(budget_render) @inline(never)
func renderBlocks(_ engine: UnsafeMutableRawPointer, _ blockCount: Int, _ frameCount: Int) {
  let engine = engine.assumingMemoryBound(to: RenderEngine.self)
  for _ in 0 ..< blockCount { renderBlock(engine, frameCount) }
}

nonisolated(unsafe) private let compiledEngine = makeEngine(frameCount: 64)
nonisolated(unsafe) private var compiledGraph = Graph(inputChannelCount: 2, outputChannelCount: 2)

@c(budget_compile) @inline(never)
func compile() {
  guard (try? GraphCompiler.compile(compiledGraph, for: compiledEngine)) != nil else {
    fail("the graph cannot be compiled.")
  }
}

private let words = Array(CommandLine.arguments.dropFirst())
private func number(_ index: Int) -> Int {
  guard words.count > index, let value = Int(words[index]) else {
    fail("argument \(index + 1) must be a number.")
  }
  return value
}

switch (words.first, words.count) {
case ("compile", 2):
  compiledGraph = Desk(number(1)).graph()
  // On the first call, the runtime creates metadata of generic types.
  _ = try GraphCompiler.compile(compiledGraph, for: compiledEngine)
  compile()
case ("nodes", 3):
  let nodes = (0 ..< number(1)).map { _ in IdleNode() }
  try render(nodes, blockCount: number(2), frameCount: 64)
case ("lv2", 5):
  // Blocks of one frame, so that the plugin has almost no cost.
  let configuration = NodeConfiguration(sampleRateHz: rateHz, maximumFrameCount: 1)
  let plugin = try LV2Scanner.plugin(words[4], inBundle: words[3])
  let nodes = try (0 ..< number(1)).map { _ in
    let node = try LV2Node(plugin, configuration)
    try node.activate()
    return node
  }
  try render(nodes, blockCount: number(2), frameCount: 1)
default:
  print("Usage: budget-check compile NODES | nodes NODES BLOCKS | lv2 NODES BLOCKS BUNDLE URI")
  exit(2)
}
