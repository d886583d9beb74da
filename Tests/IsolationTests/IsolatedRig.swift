// IsolatedRig.swift: a rig whose nodes run in worker processes, rendered by hand. SPDX-License-Identifier: MIT

import Glibc
import Isolation
import PluginLoading
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import Session
import TestWaits

/// The outputs of a rig.
struct RigOutput: Equatable {
  var audio: [[Float]] = []
  var midi: [[UInt8]] = []
  var parameters: [Float] = []
  var readouts: [Float] = []
  var properties: [PropertyValue?] = []
  var latencies: [Int] = []
}

/// A rig in a separate engine, with deterministic input.
final class IsolatedRig {
  let engine: Engine
  let members: [BuiltRig.BuiltNode]
  /// The parameters that controls move, in the order of the members.
  let moves: [ParameterMove]
  private(set) var frame = 0
  private var output = RigOutput()
  /// The input of a channel at a frame.
  var input: (_ channel: Int, _ frame: Int) -> Float = IsolatedRig.noise

  /// Builds the rig; `isolation` applies to all nodes but built-in ones.
  init(
    _ rig: RigDescription, _ library: PluginLibrary, _ isolation: NodeIsolation,
    isOffline: Bool = true, maximumFrameCount: Int = 256, guardsNodes: Bool = false,
    events: [ScheduledEvent] = [], only names: [String]? = nil, isSandboxed: Bool = false
  ) throws {
    var prepared = try PreparedRig(rig, library)
    for (index, plugin) in prepared.plugins.enumerated()
    where plugin.kind != .builtin && names?.contains(prepared.rig.nodes[index].name) ?? true {
      prepared.rig.nodes[index].isolation = isolation
      prepared.rig.nodes[index].isSandboxed = isSandboxed
    }
    let plan = try prepared.plan(inputChannelCount: 2, outputChannelCount: nil)
    let transport = Transport(rig.transport, sampleRateHz: 48_000)
    let configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: maximumFrameCount, isOffline: isOffline,
      hasConstantBlocks: true, transport: transport)
    let built = try RigBuilder.build(plan, configuration) { try library.makeNode($0, $1) }
    members = built.members
    moves = built.members.flatMap(\.nodes).flatMap { built.graph.automation(of: $0)?.moves ?? [] }
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 2, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: maximumFrameCount, sampleRateHz: 48_000, startsFadedOut: false,
        guardsNodes: guardsNodes),
      transport: transport)
    engine.install(try GraphCompiler.compile(built.graph, for: engine))
    engine.schedule(events)
    output.audio = Array(repeating: [], count: plan.outputChannelCount)
  }

  deinit {
    for node in members.flatMap(\.nodes) { node.deactivate() }
  }

  /// The isolated nodes, in the order of the rig.
  var isolated: [IsolatedNode] {
    members.flatMap(\.nodes).compactMap { $0.capabilities[IsolatedNode.self] }
  }

  /// Returns a rig once `isReady` returns true, which renders blocks of it.
  ///
  /// A busy machine can make a worker late so often that its node is left out. Then another rig is created.
  static func ready(
    _ create: () throws -> IsolatedRig, when isReady: (IsolatedRig) throws -> Bool
  ) throws -> IsolatedRig {
    let deadline = Deadline()
    while true {
      let player = try create()
      while player.isolated.allSatisfy({ $0.fault == nil }) {
        if try isReady(player) { return player }
        try deadline.rest(0.001)
      }
    }
  }

  /// Noise that is the same in every run.
  static func noise(_ channel: Int, _ frame: Int) -> Float {
    var word = UInt32(truncatingIfNeeded: frame &* 2 &+ channel) &* 2_654_435_761
    word ^= word >> 15
    word &*= 2_246_822_519
    word ^= word >> 13
    return (Float(word & 0xffff) / 65_536 - 0.5) * 0.5
  }

  /// A tone of 1 kHz at -6 dBFS.
  static func tone(_ channel: Int, _ frame: Int) -> Float {
    Float(sin(Double(frame) * 2 * .pi / 48)) / 2
  }

  /// Renders a block and returns its outputs.
  @discardableResult
  func render(_ count: Int) -> [[Float]] {
    for channel in 0 ..< 2 {
      for index in 0 ..< count {
        engine.pointer.pointee.inputs[channel][index] = input(channel, frame + index)
      }
    }
    renderBlock(engine.pointer, count)
    frame += count
    let block = output.audio.indices.map { channel in
      (0 ..< count).map { engine.pointer.pointee.outputs[channel][$0] }
    }
    for channel in block.indices { output.audio[channel] += block[channel] }
    takeMIDI()
    return block
  }

  private func takeMIDI() {
    let ring = engine.midiOutput
    var scratch = [UInt8](repeating: 0, count: ring.pointee.maximumByteCount)
    while ring.pointee.nextTime() != nil {
      let count = ring.pointee.take(into: &scratch)
      output.midi.append(Array(scratch.prefix(count)))
    }
  }

  /// Everything that has come of the rig so far.
  func takeOutput() -> RigOutput {
    for member in members {
      for node in member.nodes {
        let capabilities = node.capabilities
        capabilities.readouts?.refreshReadouts()
        output.parameters += member.plugin.parameters.indices.map(node.parameter)
        output.readouts += member.plugin.readouts.indices.map {
          capabilities.readouts?.readout($0) ?? 0
        }
        output.properties += member.plugin.properties.indices.map {
          capabilities.properties?.property($0)
        }
        output.latencies.append(node.latencyFrames)
      }
    }
    return output
  }
}

/// Stops the worker process of a node, and returns when all its threads have stopped.
func stopProcess(of node: IsolatedNode) {
  let process = node.worker.process
  kill(process, SIGSTOP)
  var information = siginfo_t()
  while waitid(P_PID, id_t(process), &information, WSTOPPED) == -1, errno == EINTR {}
}
