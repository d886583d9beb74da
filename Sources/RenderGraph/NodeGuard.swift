// NodeGuard.swift: what keeps the fault of one node from being heard. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime
import RealtimeKit
import Synchronization

/// What a node put out that cannot be sound.
package enum NodeFault: UInt8, Sendable {
  /// What is not a number, or infinite.
  case notFinite = 1
  /// A level that only a loop that has gone wild gets to.
  case runaway = 2
}

/// A node of a program as its guard knows it: plain data in memory of the guard.
struct GuardedNode: BitwiseCopyable {
  /// Its place among the steps.
  let step: Int
  let inputCount: Int
  let outputCount: Int
  /// What stands for an input that is not connected.
  let unconnected: UnsafeMutablePointer<Float>
}

/// Which nodes are looked at in a block: plain data.
struct NodeWatch: BitwiseCopyable {
  /// The one whose turn it is; -1 where there is none.
  var turn = -1
  /// Whether all are looked at.
  var watchesAll = false
  /// Whether it is measured what they cost.
  var isMeasured = false
  /// Above this a node is at fault while all are looked at, linear.
  var limit: Float = 0

  /// None. [render]
  @_noLocks
  init() {}
}

/// Watches the outputs of a program's nodes, at a fixed address.
///
/// A look at every output in every block would cost as much as a cheap node. So in each block one node is
/// looked at, in turns; and as soon as the graph's outputs, which are measured anyway, carry what cannot be
/// sound, that block is silenced, and all nodes are looked at for a while. A node that is found out is
/// silenced before anything else hears it, and from then on what it hears goes past it.
struct NodeGuard: ~Copyable {
  /// Above this a graph's output is no sound, linear: +40 dBFS.
  static var outputLimit: Float { @_noLocks get { 100 } }
  /// Above this a node's output is no sound, nor a control voltage, linear.
  private static var nodeLimit: Float { @_noLocks get { 1e5 } }
  /// So many blocks all nodes are looked at.
  private static var alarmBlocks: Int { @_noLocks get { 64 } }

  let nodes: UnsafeMutablePointer<GuardedNode>
  let count: Int
  /// What each node was found out of, 0 for nothing.
  let faults: UnsafeMutablePointer<Atomic<UInt8>>
  /// What each node costs, while somebody wants to know.
  let meters: UnsafeMutablePointer<NodeMeter>
  /// Whether somebody does.
  let isMeasured = Atomic<Bool>(false)
  /// Blocks that were silenced, as what came out could not be sound.
  let silencedBlocks = Atomic<Int>(0)
  /// The node that took longest in the last block, by its step's context, and its time in ns; nil and 0 where
  /// nodes are not measured.
  private(set) var slowest: (node: UnsafeRawPointer?, nanoseconds: UInt64) = (nil, 0)
  /// Whether a node was found at fault in this block, by whatever thread.
  private let hasFound = Atomic<Bool>(false)
  private var turn = 0
  private var blocksToWatch = 0
  /// Above this a node is at fault while all are looked at.
  private var alarmLimit = nodeLimit

  /// A guard of nodes in the order of their steps. [main]
  init(_ guarded: [GuardedNode]) {
    count = guarded.count
    nodes = .allocate(capacity: max(1, count))
    faults = .allocate(capacity: max(1, count))
    meters = .allocate(capacity: max(1, count))
    for (index, node) in guarded.enumerated() {
      (nodes + index).initialize(to: node)
      (faults + index).initialize(to: Atomic(0))
      (meters + index).initialize(to: NodeMeter())
    }
  }

  deinit {
    faults.deinitialize(count: count)
    faults.deallocate()
    meters.deinitialize(count: count)
    meters.deallocate()
    nodes.deallocate()
  }

  /// Looks at all nodes from the next block on, as what comes out, at so high a level, cannot be sound.
  ///
  /// Where that is no number, a node that is merely loud is not to blame. [render]
  @_noLocks
  mutating func raiseAlarm(_ peak: Float) {
    silencedBlocks.add(1, ordering: .relaxed)
    beginWatching(limit: peak == .infinity ? Self.nodeLimit : Self.outputLimit)
  }

  @_noLocks
  private mutating func beginWatching(limit: Float) {
    blocksToWatch = Self.alarmBlocks
    alarmLimit = limit
  }

  /// Says which nodes are looked at in the block that begins. [render]
  @_noLocks
  mutating func begin() -> NodeWatch {
    var watch = NodeWatch()
    watch.isMeasured = isMeasured.load(ordering: .relaxed)
    watch.watchesAll = blocksToWatch > 0 || watch.isMeasured
    watch.limit = blocksToWatch > 0 ? alarmLimit : Self.nodeLimit
    watch.turn = count > 0 ? turn : -1
    if blocksToWatch > 0 { blocksToWatch &-= 1 }
    return watch
  }

  /// Draws the conclusions, once all steps of the block are over. [render]
  @_noLocks
  mutating func end(_ watch: NodeWatch, _ steps: UnsafeMutablePointer<crealtime_step>) {
    findSlowest(watch, steps)
    if hasFound.load(ordering: .relaxed) {
      hasFound.store(false, ordering: .relaxed)
      beginWatching(limit: watch.limit)
    }
    if !watch.watchesAll, count > 0 { turn = turn &+ 1 == count ? 0 : turn &+ 1 }
  }

  @_noLocks
  private mutating func findSlowest(
    _ watch: NodeWatch, _ steps: UnsafeMutablePointer<crealtime_step>
  ) {
    slowest = (nil, 0)
    guard watch.isMeasured else { return }
    for index in 0 ..< count where meters[index].lastNanoseconds > slowest.nanoseconds {
      slowest = (UnsafeRawPointer(steps[nodes[index].step].context), meters[index].lastNanoseconds)
    }
  }

  /// Runs the steps from one up to another, and looks at what comes out; `firstNode` is the first of the nodes
  /// among them. [render, any thread]
  @_noLocks
  func run(
    _ watch: NodeWatch, _ steps: UnsafeMutablePointer<crealtime_step>, _ first: Int, _ end: Int,
    firstNode: Int, _ frameCount: UInt32
  ) {
    if watch.watchesAll { return look(watch, steps, first, end, firstNode: firstNode, frameCount) }
    guard watch.turn >= firstNode, nodes[watch.turn].step < end else {
      return crealtime_run_steps(steps + first, steps + end, frameCount)
    }
    let last = nodes[watch.turn].step
    crealtime_run_steps(steps + first, steps + last + 1, frameCount)
    let peak = level(of: watch.turn, steps, frameCount)
    if peak > Self.nodeLimit {
      // It may only hear one that is at fault; that one is found first when all are looked at in order.
      silence(watch.turn, steps, frameCount)
      hasFound.store(true, ordering: .relaxed)
    }
    crealtime_run_steps(steps + last + 1, steps + end, frameCount)
  }

  /// Looks at all nodes.
  @_noLocks
  private func look(
    _ watch: NodeWatch, _ steps: UnsafeMutablePointer<crealtime_step>, _ first: Int, _ end: Int,
    firstNode: Int, _ frameCount: UInt32
  ) {
    var next = firstNode
    var index = first
    while index < end {
      guard next < count, nodes[next].step == index else {
        crealtime_run_step(steps + index, frameCount)
        index = index &+ 1
        continue
      }
      if watch.isMeasured { crealtime_set_subject(steps[index].context) }
      let started = watch.isMeasured ? crealtime_nanoseconds() : 0
      crealtime_run_step(steps + index, frameCount)
      if watch.isMeasured { crealtime_set_subject(nil) }
      let ended = watch.isMeasured ? crealtime_nanoseconds() : 0
      let peak = look(at: next, steps, frameCount, limit: watch.limit)
      if watch.isMeasured { meters[next].record(nanoseconds: ended &- started, peak: peak) }
      next = next &+ 1
      index = index &+ 1
    }
  }

  /// Silences a node, and leads sound past it, if what it put out cannot be sound; returns its level.
  @_noLocks
  private func look(
    at index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32,
    limit: Float
  ) -> Float {
    let peak = level(of: index, steps, frameCount)
    guard peak > limit else { return peak }
    silence(index, steps, frameCount)
    let place = nodes[index].step
    steps[place] = crealtime_step(
      function: bypassStep, context: UnsafeMutableRawPointer(nodes + index),
      buffers: steps[place].buffers)
    let fault: NodeFault = peak == .infinity ? .notFinite : .runaway
    // Pairs with the acquiring exchange in `CompiledGraph.takeFaults`.
    faults[index].store(fault.rawValue, ordering: .releasing)
    hasFound.store(true, ordering: .relaxed)
    return peak
  }

  /// The highest level of a node's outputs.
  @_noLocks
  private func level(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) -> Float {
    let node = nodes[index]
    let outputs = steps[node.step].buffers + node.inputCount
    var peak: Float = 0
    for channel in 0 ..< node.outputCount {
      peak = max(peak, PeakMeter.peak(outputs[channel], Int(frameCount)))
    }
    return peak
  }

  @_noLocks
  private func silence(
    _ index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    let outputs = steps[node.step].buffers + node.inputCount
    for channel in 0 ..< node.outputCount { crealtime_zero(outputs[channel], frameCount) }
  }
}

/// Passes on what a node hears, where its channels allow that; silence elsewhere. [render]
@_noLocks @c(outboard_bypass_step)
func bypassStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let node = context.assumingMemoryBound(to: GuardedNode.self).pointee
  for channel in 0 ..< node.outputCount {
    let output = buffers[node.inputCount &+ channel]
    let input = node.inputCount == 1 ? 0 : channel
    guard input < node.inputCount, buffers[input] != node.unconnected else {
      crealtime_zero(output, frameCount)
      continue
    }
    if buffers[input] != output { crealtime_copy(output, buffers[input], frameCount) }
  }
}
