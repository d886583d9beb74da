// LiveGraph.swift: a rig's nodes, made for the devices that were got. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import PluginModel
import Reblocking
import RenderGraph
import Rig

/// An engine with a rig's program in it, and the rig's nodes. [main]
struct LiveGraph {
  let engine: Engine
  let members: [BuiltRig.Member]
  /// What ends howls; nil where the rig does not want it or has no way around.
  let howlGuard: HowlGuard?
  /// Frames by which plugins delay the sound.
  let latencyFrames: Int
  /// What is worth knowing of how the rig was planned, one sentence each.
  let notes: [String]

  /// Makes the nodes of a rig for a stream, and compiles them.
  ///
  /// - Throws: what the plan for the stream's channels, or a plugin, has against it.
  init(_ rig: PreparedRig, _ library: PluginLibrary, for stream: StreamDescription) throws {
    let plan = try rig.plan(for: stream)
    let configuration = NodeConfiguration(
      sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames,
      hasConstantBlocks: true)
    let isLoop = plan.inputChannelCount > 0 && plan.outputChannelCount > 0
    howlGuard =
      isLoop && rig.rig.guardsAgainstHowls
      ? HowlGuard(
        captureCount: plan.inputChannelCount, outputCount: plan.outputChannelCount, configuration)
      : nil
    let built = try RigBuilder.build(
      plan, configuration, outputGuard: howlGuard, makeNode: library.makeNode)
    engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: true))
    // What is rendered is heard once all that lies in the device's buffer before it has been played.
    if let output = stream.output {
      engine.setMIDIOutputDelay(frameCount: max(0, output.bufferFrames - output.periodFrames))
    }
    let compiled = try GraphCompiler.compile(built.graph, for: engine)
    engine.install(compiled)
    latencyFrames = compiled.latencyFrames
    members = built.members
    notes = plan.notes + built.members.compactMap { Self.delayNote($0, stream) }
  }

  /// What it costs a node to be given blocks that its plugin wants; nil where it costs nothing.
  private static func delayNote(
    _ member: BuiltRig.Member, _ stream: StreamDescription
  ) -> String? {
    guard let node = member.nodes.first as? any ReblockedNode, let adapter = node.adapter,
      adapter.latencyFrames > 0
    else { return nil }
    let milliseconds = Double(adapter.latencyFrames) / stream.sampleRateHz * 1_000
    let rounded = (milliseconds * 10).rounded() / 10
    return
      "\(member.name) wants blocks of \(adapter.shape.frameCount) frames; collecting them delays"
      + " the sound by \(rounded) ms, which a period of \(adapter.shape.frameCount) frames would not."
  }

  /// Whether a plugin listens to how long blocks are.
  var hearsBlockLength: Bool {
    listeners.contains(where: \.hearsBlockLength)
  }

  /// Tells those that listen how long blocks are from now on. [main, not rendering]
  func tellBlockLength(_ frameCount: Int) {
    for node in listeners { _ = node.blockLengthChanged(to: frameCount) }
  }

  private var listeners: [any BlockLengthListener] {
    members.flatMap(\.nodes).compactMap { $0 as? any BlockLengthListener }
  }

  /// Takes over what the nodes of another graph of the same rig were set to and remember.
  ///
  /// Neither is rendering. A node that does not take the state starts afresh.
  func adopt(_ other: LiveGraph) {
    for (mine, theirs) in zip(members, other.members) {
      for (node, old) in zip(mine.nodes, theirs.nodes) {
        for index in mine.plugin.parameters.indices {
          node.setParameter(index, to: old.parameter(index))
        }
        if let old = old as? any StatefulNode, let bytes = old.save() {
          try? (node as? any StatefulNode)?.restore(bytes)
        }
      }
    }
  }

  /// Ends the nodes. [main, not rendering]
  func deactivate() {
    for member in members {
      for node in member.nodes { node.deactivate() }
    }
  }
}
