// CompiledGraph.swift: a render sequence and everything that it uses. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
import Synchronization

/// A program, its memory, and the nodes it calls: made by `GraphCompiler`, given to `Engine.install`.
package final class CompiledGraph {
  /// Frames by which the outputs are later than the inputs.
  package let latencyFrames: Int
  /// The steps in the order in which they run, one line each.
  package let listing: [String]
  /// How many buffers the nodes share.
  package let bufferCount: Int

  /// What the engine is given; valid as long as this object lives.
  let program: UnsafeMutablePointer<RenderSequence>
  /// What goes on in the next program, where that has it too.
  let carried: RetainedState
  /// What listens to nodes that are only there to die away, by node.
  let tails: [ObjectIdentifier: TailDetector]
  /// What the step of each node works on: by that the audio thread tells who is at work.
  package let contexts: [(node: any Node, context: UnsafeRawPointer)]
  private let memory: RenderArena
  /// What its steps call.
  let nodes: [any Node]
  private let progress: UnsafeMutablePointer<FadeProgress>?
  private let nodeGuard: UnsafeMutablePointer<NodeGuard>?
  /// What may be rendered at the same time; nil for nothing.
  private let tasks: UnsafeMutablePointer<RenderTaskList>?
  /// How many tasks it has that may be rendered by different threads, 1 for a plain chain.
  package var taskCount: Int { tasks?.pointee.count ?? 1 }
  var hasTasks: Bool { tasks != nil }
  /// The guarded nodes, in the order of the guard.
  private let guarded: [any Node]

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

  /// Blocks that were silenced since the last call. [main]
  func takeSilencedBlocks() -> Int {
    nodeGuard?.pointee.silencedBlocks.exchange(0, ordering: .relaxed) ?? 0
  }

  /// Begins to measure its nodes, or ends it, if they are guarded. [main]
  func measureNodes(_ isMeasured: Bool) {
    nodeGuard?.pointee.isMeasured.store(isMeasured, ordering: .relaxed)
  }

  /// What its nodes cost since the last call, while they are measured. [main]
  func takeTimes() -> [(node: any Node, times: NodeTimes)] {
    guard let nodeGuard else { return [] }
    return guarded.enumerated().map { ($1, nodeGuard.pointee.meters[$0].take()) }
  }

  /// Offsets that reached an output and come from no node, since the last call. [main]
  func takeStrayOffsets() -> Int {
    nodeGuard?.pointee.strayOffsets.exchange(0, ordering: .relaxed) ?? 0
  }

  /// A node that received what cannot be sound since the last call, though no node put that out. [main]
  func takeOverloadedNode() -> (any Node)? {
    guard let place = nodeGuard?.pointee.overloaded.exchange(0, ordering: .relaxed), place > 0
    else { return nil }
    return guarded[place - 1]
  }

  /// Nodes that were found at fault since the last call. [main]
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

  /// Whether its fades are over, if it has any. [main]
  var hasFaded: Bool { progress?.pointee.isOver.load(ordering: .acquiring) ?? true }
}

/// A node that was found at fault.
package struct DetectedFault {
  package let node: any Node
  package let fault: NodeFault
  /// Of a late one, the share of a period that it took; of an offset, how far from zero, linear; else 0.
  package let measure: Float
}

/// What a program's steps work on that outlives the program.
struct RetainedState {
  var delays: [DelayLine.Key: DelayLine] = [:]
  var eventDelays: [EventDelay.Key: EventDelay] = [:]
  var automations: [ObjectIdentifier: NodeAutomation] = [:]
}

/// What belongs to a program beside its memory.
struct RenderSequenceParts {
  var carried = RetainedState()
  var tails: [ObjectIdentifier: TailDetector] = [:]
  var progress: UnsafeMutablePointer<FadeProgress>?
  var nodeGuard: UnsafeMutablePointer<NodeGuard>?
  var guarded: [any Node] = []
  /// What the steps of nodes work on.
  var contexts: [(node: any Node, context: UnsafeRawPointer)] = []
  var tasks: UnsafeMutablePointer<RenderTaskList>?
}
