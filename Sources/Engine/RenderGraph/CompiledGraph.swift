// CompiledGraph.swift: a render sequence and everything that it uses. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
import Synchronization

/// A render sequence, its memory, and its nodes: created by `GraphCompiler`, passed to
/// `Engine.install`.
package final class CompiledGraph {
  /// The latency from the inputs to the outputs, in frames.
  package let latencyFrames: Int
  /// The steps in the order in which they run, one line each.
  package let listing: [String]
  /// The number of buffers that the nodes share.
  package let bufferCount: Int

  /// The sequence that the engine renders; valid as long as this object lives.
  let program: UnsafeMutablePointer<RenderSequence>
  /// The state that the next render sequence takes over if it has the same parts.
  let carried: RetainedState
  /// The level detectors of nodes that only render their tails, by node.
  let tails: [ObjectIdentifier: TailDetector]
  /// The context of each node's step, by which the audio thread reports the running node.
  package let contexts: [(node: any Node, context: UnsafeRawPointer)]
  private let memory: RenderArena
  /// The nodes that its steps call.
  let nodes: [any Node]
  private let progress: UnsafeMutablePointer<FadeProgress>?
  private let nodeGuard: UnsafeMutablePointer<NodeGuard>?
  /// The tasks that may be rendered in parallel; nil if there is only one.
  private let tasks: UnsafeMutablePointer<RenderTaskList>?
  /// The number of tasks that different threads may render; 1 for a plain chain.
  package var taskCount: Int { tasks?.pointee.count ?? 1 }
  var hasTasks: Bool { tasks != nil }
  /// The guarded nodes, in the order of the guard.
  private let guarded: [any Node]
  /// The owners of steps that render several nodes.
  private let chains: [AnyObject]

  init(
    _ parts: RenderSequenceParts, memory: RenderArena,
    program: UnsafeMutablePointer<RenderSequence>,
    nodes: [any Node], latencyFrames: Int, bufferCount: Int, listing: [String]
  ) {
    self.memory = memory
    self.program = program
    self.nodes = nodes
    carried = parts.carried
    tails = parts.tails
    progress = parts.progress
    nodeGuard = parts.nodeGuard
    tasks = parts.tasks
    guarded = parts.guarded
    chains = parts.chains
    contexts = parts.contexts
    self.latencyFrames = latencyFrames
    self.bufferCount = bufferCount
    self.listing = listing
  }

  deinit {
    progress?.deinitialize(count: 1)
    progress?.deallocate()
    nodeGuard?.deinitialize(count: 1)
    nodeGuard?.deallocate()
    tasks?.deinitialize(count: 1)
    tasks?.deallocate()
  }

  /// Returns the number of blocks that were silenced since the last call. [main]
  func takeSilencedBlocks() -> Int {
    nodeGuard?.pointee.silencedBlocks.exchange(0, ordering: .relaxed) ?? 0
  }

  /// Starts or stops measuring its nodes, if they are guarded. [main]
  func measureNodes(_ isMeasured: Bool) {
    nodeGuard?.pointee.isMeasured.store(isMeasured, ordering: .relaxed)
  }

  /// Returns the cost of its nodes since the last call, while they are measured. [main]
  func takeTimes() -> [(node: any Node, times: NodeTimes)] {
    guard let nodeGuard else { return [] }
    return guarded.enumerated().map { ($1, nodeGuard.pointee.meters[$0].take()) }
  }

  /// Returns the highest levels of its nodes since the last call, linear, while they are measured. [main]
  func takePeaks() -> [(node: any Node, peak: Float)] {
    guard let nodeGuard else { return [] }
    return guarded.enumerated().map { ($1, nodeGuard.pointee.meters[$0].takePeak()) }
  }

  /// Returns the number of DC offsets at an output since the last call that no node caused. [main]
  func takeUnattributedOffsets() -> Int {
    nodeGuard?.pointee.unattributedOffsets.exchange(0, ordering: .relaxed) ?? 0
  }

  /// Returns a node that received invalid samples or a runaway level since the last call although
  /// no node sent them. [main]
  func takeOverloadedNode() -> (any Node)? {
    guard let number = nodeGuard?.pointee.overloaded.exchange(0, ordering: .relaxed), number > 0
    else { return nil }
    return guarded[number - 1]
  }

  /// Returns the node faults that were detected since the last call. [main]
  func takeFaults() -> [DetectedFault] {
    guard let nodeGuard else { return [] }
    return guarded.enumerated().compactMap { index, node in
      let bits = nodeGuard.pointee.faults[index].exchange(0, ordering: .acquiring)
      let measure = Float(
        bitPattern: nodeGuard.pointee.measures[index].load(ordering: .relaxed))
      return NodeFault(rawValue: bits).map {
        DetectedFault(node: node, fault: $0, measure: measure)
      }
    }
  }

  /// Whether its fades are complete, if it has any. [main]
  var hasFaded: Bool { progress?.pointee.isOver.load(ordering: .acquiring) ?? true }
}

/// A fault that was detected in a node.
package struct DetectedFault {
  /// The node.
  package let node: any Node
  /// The kind of fault.
  package let fault: NodeFault
  /// The share of a period that an overloaded node took; the DC offset, linear; otherwise 0.
  package let measure: Float
}

/// State of the steps that outlives their render sequence.
struct RetainedState {
  var delays: [DelayLine.Key: DelayLine] = [:]
  var eventDelays: [EventDelay.Key: EventDelay] = [:]
  var automations: [ObjectIdentifier: NodeAutomation] = [:]
}

/// The parts of a render sequence apart from its memory.
struct RenderSequenceParts {
  var carried = RetainedState()
  var tails: [ObjectIdentifier: TailDetector] = [:]
  var progress: UnsafeMutablePointer<FadeProgress>?
  var nodeGuard: UnsafeMutablePointer<NodeGuard>?
  var guarded: [any Node] = []
  /// The context of each node's step.
  var contexts: [(node: any Node, context: UnsafeRawPointer)] = []
  var tasks: UnsafeMutablePointer<RenderTaskList>?
  /// The owners of steps that render several nodes.
  var chains: [AnyObject] = []
}
