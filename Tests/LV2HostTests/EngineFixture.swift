// EngineFixture.swift: an LV2 plugin in a separate engine. SPDX-License-Identifier: MIT

import LV2Host
import PluginModel
import RealtimeKit
import RenderGraph

/// A plugin in an engine, with MIDI input and output.
struct EngineFixture {
  let engine: Engine
  let node: LV2Node

  init(
    _ plugin: LV2Plugin, _ events: [ScheduledEvent] = [], maximumFrameCount: Int = 512,
    isOffline: Bool = true, transport: Transport? = nil
  ) throws {
    node = try LV2Node(
      plugin,
      NodeConfiguration(
        sampleRateHz: 48_000, maximumFrameCount: maximumFrameCount, isOffline: isOffline,
        transport: transport))
    try node.activate()
    let outputs = node.audioOutputCount
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 0, outputChannelCount: outputs, maximumFrameCount: maximumFrameCount,
        sampleRateHz: 48_000, startsFadedOut: false),
      transport: transport)
    var graph = Graph(inputChannelCount: 0, outputChannelCount: outputs)
    let id = graph.add(node, named: "plugin")
    for channel in 0 ..< outputs {
      try graph.connect(.node(id, channel: channel), to: .output(channel: channel))
    }
    if node.eventInput != nil { try graph.connectEvents(.input, to: .node(id)) }
    if node.eventOutput != nil { try graph.connectEvents(.node(id), to: .output) }
    engine.install(try GraphCompiler.compile(graph, for: engine))
    engine.schedule(events)
  }

  /// The first output.
  @discardableResult
  func render(_ frameCount: Int, blocks: [Int] = [512]) -> [Float] {
    var output: [Float] = []
    var turn = 0
    while output.count < frameCount {
      let count = min(blocks[turn % blocks.count], frameCount - output.count)
      renderBlock(engine.pointer, count)
      output += (0 ..< count).map { engine.pointer.pointee.outputs[0][$0] }
      turn += 1
    }
    return output
  }

  /// Returns the messages that the plugin has sent since the last call.
  func takeSent() -> [[UInt8]] {
    let ring = engine.midiOutput
    var scratch = [UInt8](repeating: 0, count: ring.pointee.maximumByteCount)
    var messages: [[UInt8]] = []
    while ring.pointee.nextTime() != nil {
      let count = ring.pointee.take(into: &scratch)
      messages.append(Array(scratch.prefix(count)))
    }
    return messages
  }
}
