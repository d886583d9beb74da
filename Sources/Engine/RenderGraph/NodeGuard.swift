// NodeGuard.swift: keeps the fault of one node inaudible. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime
import RealtimeKit
import Synchronization

/// Watches the outputs of a program's nodes, at a fixed address.
///
/// A look at every output in every block would cost as much as a cheap node. So in each block one node is
/// looked at, in turns; and as soon as the graph's outputs, which are measured anyway, carry what cannot be
/// sound, that block is repaired (`OutputConcealment`), and all nodes are looked at for a while. A node that is found
/// out is silenced before anything else hears it, and from then on what it hears goes past it. NodeGuard+Actions.swift
/// has what is found out about whole blocks: nodes that are too slow, and those that put an offset in.
struct NodeGuard: ~Copyable {
  /// Above this a graph's output is no sound, linear: +40 dBFS.
  static var outputLimit: Float { @_noLocks get { 100 } }
  /// Above this a node's output is no sound, nor a control voltage, linear.
  static var nodeLimit: Float { @_noLocks get { 1e5 } }
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
  /// How much of it: the share of a period that a late one took, or an offset, linear; as bits of a `Float`.
  let measures: UnsafeMutablePointer<Atomic<UInt32>>
  /// Offsets that reached an output and come from no node.
  let strayOffsets = Atomic<Int>(0)
  /// One more than the place of a node whose inputs could not be sound, though all nodes before it are well; 0
  /// for none.
  let overloaded = Atomic<Int>(0)
  /// The node that gives way to what goes past it.
  let passing: UnsafeMutablePointer<BypassFade>
  /// What is known of the offset at each node's inputs, and then its outputs, node after node, and where those
  /// of each begin.
  let tallies: UnsafeMutablePointer<DCOffsetStatistics>
  let firstTallies: UnsafeMutablePointer<Int>
  /// What is known of blocks that were late; nil where there is no deadline.
  var deadline: OverloadDetector?
  /// Frames in which offsets are still looked for.
  var framesToSeek = 0
  /// Outputs of the graph that lack a node which was silenced in this block, by whatever thread.
  let silencedOutputs = Atomic<UInt64>(0)
  /// Whether a node was found at fault in this block, by whatever thread.
  let hasFound = Atomic<Bool>(false)
  private var turn = 0
  private var blocksToWatch = 0
  /// Above this a node is at fault while all are looked at.
  private var alarmLimit = nodeLimit

  /// A guard of nodes in the order of their steps, on behalf of an engine. [main]
  init(_ guarded: [GuardedNode], _ curves: BypassFadeCurves, _ settings: Engine.Settings) {
    count = guarded.count
    nodes = .allocate(capacity: max(1, count))
    faults = .allocate(capacity: max(1, count))
    measures = .allocate(capacity: max(1, count))
    meters = .allocate(capacity: max(1, count))
    firstTallies = .allocate(capacity: max(1, count))
    var tallyCount = 0
    for (index, node) in guarded.enumerated() {
      (nodes + index).initialize(to: node)
      (faults + index).initialize(to: Atomic(0))
      (measures + index).initialize(to: Atomic(0))
      (meters + index).initialize(to: NodeMeter())
      (firstTallies + index).initialize(to: tallyCount)
      tallyCount += node.inputCount + node.outputCount
    }
    tallies = .allocate(capacity: max(1, tallyCount))
    tallies.initialize(repeating: DCOffsetStatistics(), count: max(1, tallyCount))
    passing = .allocate(capacity: 1)
    passing.initialize(
      to: BypassFade(guarded, curves, maximumFrameCount: settings.maximumFrameCount))
    if settings.watchesDeadline {
      deadline = OverloadDetector(seesDisturbance: crealtime_detects_preemption())
    }
  }

  deinit {
    faults.deinitialize(count: count)
    faults.deallocate()
    measures.deinitialize(count: count)
    measures.deallocate()
    meters.deinitialize(count: count)
    meters.deallocate()
    passing.deinitialize(count: 1)
    passing.deallocate()
    tallies.deallocate()
    firstTallies.deallocate()
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

  /// Outputs that lack a node which was silenced in the block that is just over, one bit each. [render]
  @_noLocks
  func takeSilencedOutputs() -> UInt64 {
    // The relaxed look is nearly free, the exchange is not.
    silencedOutputs.load(ordering: .relaxed) == 0
      ? 0 : silencedOutputs.exchange(0, ordering: .relaxed)
  }

  @_noLocks
  private mutating func beginWatching(limit: Float) {
    blocksToWatch = Self.alarmBlocks
    alarmLimit = limit
  }

  /// Says which nodes are looked at in the block that begins. [render]
  @_noLocks
  mutating func begin() -> WatchedNodes {
    var watch = WatchedNodes()
    watch.isMeasured = isMeasured.load(ordering: .relaxed)
    watch.watchesAll = blocksToWatch > 0 || watch.isMeasured
    watch.isAlert = deadline?.timesNodes ?? false
    watch.isTimed = watch.isMeasured || watch.isAlert
    watch.seeksOffset = framesToSeek > 0
    watch.suspect = deadline?.suspect ?? -1
    watch.limit = blocksToWatch > 0 ? alarmLimit : Self.nodeLimit
    watch.turn = count > 0 ? turn : -1
    if blocksToWatch > 0 { blocksToWatch &-= 1 }
    return watch
  }

  /// Draws the conclusions, once all steps of the block are over. [render]
  @_noLocks
  mutating func end(
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    findSlowest(watch, steps)
    if passing.pointee.isUnderWay, passing.pointee.advance(Int(frameCount)) { endPassing(steps) }
    if watch.seeksOffset { seekOffset(steps, Int(frameCount)) }
    if hasFound.load(ordering: .relaxed) {
      hasFound.store(false, ordering: .relaxed)
      beginWatching(limit: watch.limit)
    }
    if !watch.watchesAll, count > 0 { turn = turn &+ 1 == count ? 0 : turn &+ 1 }
  }

  @_noLocks
  private mutating func findSlowest(
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>
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
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>, _ first: Int, _ end: Int,
    firstNode: Int, _ frameCount: UInt32
  ) {
    if watch.isThorough { return look(watch, steps, first, end, firstNode: firstNode, frameCount) }
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
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>, _ first: Int, _ end: Int,
    firstNode: Int, _ frameCount: UInt32
  ) {
    var next = firstNode
    var index = first
    while index < end {
      guard next < count, nodes[next].step == index else {
        crealtime_run_checked_step(steps + index, frameCount)
        index = index &+ 1
        continue
      }
      if watch.seeksOffset { tallyInputs(of: next, steps, frameCount) }
      let isLookedAt = watch.watchesAll || watch.turn == next
      // Before the step, which may write to the same place.
      let received = isLookedAt ? inputLevel(of: next, steps, frameCount) : 0
      if watch.isTimed {
        runTimed(watch, next, steps + index, frameCount)
      } else {
        crealtime_run_checked_step(steps + index, frameCount)
      }
      if watch.suspect == next {
        passing.pointee.keep(
          steps[index].buffers + nodes[next].inputCount, nodes[next].outputCount, Int(frameCount))
      }
      if watch.seeksOffset { tallyOutputs(of: next, steps, frameCount) }
      if isLookedAt {
        let peak = look(at: next, steps, frameCount, limit: watch.limit, received: received)
        if watch.isMeasured { meters[next].record(peak: peak) }
      }
      next = next &+ 1
      index = index &+ 1
    }
  }

  /// Runs a node, and takes the time.
  @_noLocks
  private func runTimed(
    _ watch: WatchedNodes, _ index: Int, _ step: UnsafePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    // The kernel is asked only for a node that was interrupted in the block before.
    let isAsked = watch.isAlert && meters[index].isDoubtful
    let waits = isAsked ? crealtime_voluntary_switches() : 0
    if deadline != nil { crealtime_clear_preempted() }
    let started = crealtime_nanoseconds()
    crealtime_run_checked_step(step, frameCount)
    let taken = crealtime_nanoseconds() &- started
    let isDisturbed = deadline != nil && crealtime_was_preempted()
    // A plugin that sleeps, or waits for a lock, has nobody else to blame.
    let hasWaited = isAsked && crealtime_voluntary_switches() != waits
    meters[index].note(nanoseconds: taken, isDisturbed: isDisturbed, hasWaited: hasWaited)
    if watch.isMeasured { meters[index].record(nanoseconds: taken) }
  }
}
