// main.swift: a graph that is edited at random while it is rendered, for scripts/check-realtime. SPDX-License-Identifier: MIT
//
// What watches the render path is preloaded; here is only something to watch. All that an edit can bring
// about is brought about: fades, delays that are filled, tails, nodes at fault, notes that are ended.
// Usage: edit-check [THREADS [EDITS]]; more than one thread get all blocks that can be shared out.

import Glibc
import GraphTestSupport
import PluginModel
import RealtimeKit
import RenderGraph

private let arguments = CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }
  .compactMap(Int.init)
private let threads = {
  var use = ThreadUse(count: arguments.first ?? 1)
  use.isForced = true
  return use
}()
private let editCount = arguments.dropFirst().first ?? 300
private let blocksAfterEdit = 70
private let blockFrames = 64
private let rateHz = 48_000.0

private var numbers = Numbers(seed: 20_260_101)

@MainActor private func makeNode() -> any Node {
  switch numbers.next(below: 8) {
  case 0: EchoNode(frames: 1 + numbers.next(below: 4_000), feedback: 0.5)
  case 1: KeyNode()
  case 2: SumNode(inputs: 1, outputs: 1, gain: numbers.next(below: 2) == 0 ? .nan : 1e7)
  default: SumNode(inputs: 1, outputs: 1, gain: 0.5, latency: numbers.next(below: 500))
  }
}

/// Each node hears the input and some of those before it.
@MainActor private func connect(_ nodes: [any Node]) throws -> Graph {
  var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
  let ids = nodes.enumerated().map { graph.add($0.element, named: "n\($0.offset)") }
  for (index, id) in ids.enumerated() {
    try graph.connect(.input(channel: 0), to: .node(id, channel: 0), gain: 0.5)
    if index > 0 {
      try graph.connect(
        .node(ids[numbers.next(below: index)], channel: 0), to: .node(id, channel: 0), gain: 0.25)
    }
    if numbers.next(below: 2) == 0 {
      try graph.connect(.node(id, channel: 0), to: .output(channel: 0), gain: 0.25)
    }
    if nodes[index].eventInput != nil, numbers.next(below: 2) == 0 {
      try graph.connectEvents(.input, to: .node(id))
    }
  }
  return graph
}

private let engine = Engine(
  Engine.Settings(
    inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: blockFrames,
    sampleRateHz: rateHz, startsFadedOut: false, guardsNodes: true, threads: threads))
private var nodes = [makeNode()]
private let editor = try GraphEditor(try connect(nodes), engine)
private var (seconds, faultCount, unusedCount) = (0.0, 0, 0)
for _ in 0 ..< editCount {
  nodes.removeAll { _ in numbers.next(below: 4) == 0 }
  while nodes.count < 1 + numbers.next(below: 16) { nodes.append(makeNode()) }
  // Nodes keep their order, so that there is no loop.
  try editor.edit(to: try connect(nodes))
  editor.measuresNodes = numbers.next(below: 2) == 0
  for block in 0 ..< blocksAfterEdit {
    for frame in 0 ..< blockFrames { engine.pointer.pointee.inputs[0][frame] = 0.5 }
    renderBlock(engine.pointer, blockFrames)
    seconds += Double(blockFrames) / rateHz
    if block % 16 == 0 {
      unusedCount += editor.attend(at: seconds).count
      faultCount += editor.takeFaults().count
    }
  }
}
guard threads.count == 1 || engine.sharedBlockCount > 0 else {
  print("edit-check: with \(threads.count) threads no block was shared out; some have to be.")
  exit(1)
}
guard faultCount > 0, unusedCount > 0 else {
  print("edit-check: \(faultCount) nodes were at fault, \(unusedCount) given up; neither may be 0.")
  exit(1)
}
print("\(editCount) edits, \(faultCount) nodes at fault, \(unusedCount) given up")
