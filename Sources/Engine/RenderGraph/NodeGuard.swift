// NodeGuard.swift: keeps node faults inaudible. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

/// Monitors the outputs of a render sequence's nodes, at a fixed address.
///
/// To check every output in every block would cost as much as a cheap node. So each block checks
/// one node in turn. The graph's outputs are measured anyway. If they contain invalid samples or a
/// runaway level, that block is repaired (`OutputConcealment`) and all nodes are checked for a
/// number of blocks. A faulty node is silenced before another node reads it, and is bypassed from
/// then on. NodeGuard+Actions.swift handles faults that take many blocks to detect: overload and DC
/// offset.
struct NodeGuard: ~Copyable {
  /// The limit of a graph output, linear: +40 dBFS.
  static var outputLimit: Float { @_noLocks get { 100 } }
  /// The limit of a node's output, linear, which control voltages do not reach either.
  static var nodeLimit: Float { @_noLocks get { 1e5 } }
  /// The number of blocks in which all nodes are checked after an alarm.
  private static var watchBlockCount: Int { @_noLocks get { 64 } }

  let nodes: UnsafeMutablePointer<GuardedNode>
  let count: Int
  /// The fault of each node, 0 for none.
  let faults: UnsafeMutablePointer<Atomic<UInt8>>
  /// The cost of each node, while it is measured.
  let meters: UnsafeMutablePointer<NodeMeter>
  /// Whether the cost of nodes is measured.
  let isMeasured = Atomic<Bool>(false)
  /// The number of blocks that were silenced because of invalid samples or a runaway level.
  let silencedBlocks = Atomic<Int>(0)
  /// The node that took longest in the last block, by its step's context, and its time in ns; nil
  /// and 0 if nodes are not measured.
  private(set) var slowest: (node: UnsafeRawPointer?, nanoseconds: UInt64) = (nil, 0)
  /// For each fault, the share of a period that an overloaded node took, or a DC offset, linear; as
  /// the bits of a `Float`.
  let measures: UnsafeMutablePointer<Atomic<UInt32>>
  /// The number of DC offsets at an output that no node caused.
  let unattributedOffsets = Atomic<Int>(0)
  /// 1 plus the index of a node that received invalid samples or a runaway level although all nodes
  /// before it are correct; 0 for none.
  let overloaded = Atomic<Int>(0)
  /// The node that fades to its bypass.
  let bypassFade: UnsafeMutablePointer<BypassFade>
  /// The offset statistics of each node's inputs, then outputs, node by node; and the index where
  /// each node's begin.
  let tallies: UnsafeMutablePointer<DCOffsetStatistics>
  let firstTallies: UnsafeMutablePointer<Int>
  /// The detector of overloads; nil if there is no deadline.
  var deadline: OverloadDetector?
  /// The number of frames in which the source of a DC offset is still searched.
  var framesToSeek = 0
  /// The outputs of the graph that lack a node which was silenced in this block, on any thread.
  let silencedOutputs = Atomic<UInt64>(0)
  /// Whether a fault was detected in this block, on any thread.
  let hasFound = Atomic<Bool>(false)
  private var turn = 0
  private var blocksToWatch = 0
  /// The level above which a node is at fault while all are checked.
  private var alarmLimit = nodeLimit

  /// Creates a guard for nodes in the order of their steps. [main]
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
    bypassFade = .allocate(capacity: 1)
    bypassFade.initialize(
      to: BypassFade(guarded, curves, maximumFrameCount: settings.maximumFrameCount))
    if settings.watchesDeadline {
      deadline = OverloadDetector(detectsPreemption: crealtime_detects_preemption())
    }
  }

  deinit {
    faults.deinitialize(count: count)
    faults.deallocate()
    measures.deinitialize(count: count)
    measures.deallocate()
    meters.deinitialize(count: count)
    meters.deallocate()
    bypassFade.deinitialize(count: 1)
    bypassFade.deallocate()
    tallies.deallocate()
    firstTallies.deallocate()
    nodes.deallocate()
  }

  /// Checks all nodes from the next block on, because an output has a level of `level`.
  ///
  /// If that is NaN or infinity, a node that is only loud is not the cause. [render]
  @_noLocks
  mutating func watchAllNodes(_ peak: Float) {
    silencedBlocks.add(1, ordering: .relaxed)
    beginWatching(limit: peak == .infinity ? Self.nodeLimit : Self.outputLimit)
  }

  /// Returns the outputs that lack a node which was silenced in the completed block, one bit each.
  /// [render]
  @_noLocks
  func takeSilencedOutputs() -> UInt64 {
    // The relaxed load costs almost nothing, the exchange does.
    silencedOutputs.load(ordering: .relaxed) == 0
      ? 0 : silencedOutputs.exchange(0, ordering: .relaxed)
  }

  @_noLocks
  private mutating func beginWatching(limit: Float) {
    blocksToWatch = Self.watchBlockCount
    alarmLimit = limit
  }

  /// Returns the checks for the block that begins. [render]
  @_noLocks
  mutating func begin() -> WatchedNodes {
    var watch = WatchedNodes()
    watch.isMeasured = isMeasured.load(ordering: .relaxed)
    watch.watchesAllNodes = blocksToWatch > 0 || watch.isMeasured
    watch.isAlert = deadline?.timesNodes ?? false
    watch.isTimed = watch.isMeasured || watch.isAlert
    watch.seeksOffset = framesToSeek > 0
    watch.suspect = deadline?.suspect ?? -1
    watch.limit = blocksToWatch > 0 ? alarmLimit : Self.nodeLimit
    watch.turn = count > 0 ? turn : -1
    if blocksToWatch > 0 { blocksToWatch &-= 1 }
    return watch
  }

  /// Evaluates a block after all of its steps. [render]
  @_noLocks
  mutating func end(
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    findSlowest(watch, steps)
    if bypassFade.pointee.isActive, bypassFade.pointee.advance(Int(frameCount)) {
      completeBypass(steps)
    }
    if watch.seeksOffset { bypassDCOffsetSource(steps, Int(frameCount)) }
    if hasFound.load(ordering: .relaxed) {
      hasFound.store(false, ordering: .relaxed)
      beginWatching(limit: watch.limit)
    }
    if !watch.watchesAllNodes, count > 0 { turn = turn &+ 1 == count ? 0 : turn &+ 1 }
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

  /// Runs a range of steps and checks their outputs; `firstNode` is the first node among them.
  /// [render, any thread]
  @_noLocks
  func run(
    _ watch: WatchedNodes, _ steps: UnsafeMutablePointer<crealtime_step>, _ first: Int, _ end: Int,
    firstNode: Int, _ frameCount: UInt32
  ) {
    if watch.measuresAllNodes {
      return check(watch, steps, first, end, firstNode: firstNode, frameCount)
    }
    guard watch.turn >= firstNode, nodes[watch.turn].step < end else {
      return crealtime_run_steps(steps + first, steps + end, frameCount)
    }
    let last = nodes[watch.turn].step
    crealtime_run_steps(steps + first, steps + last + 1, frameCount)
    let peak = level(of: watch.turn, steps, frameCount)
    if peak > Self.nodeLimit {
      // The fault may come from a node before it, which is found when all are checked in order.
      silence(watch.turn, steps, frameCount)
      hasFound.store(true, ordering: .relaxed)
    }
    crealtime_run_steps(steps + last + 1, steps + end, frameCount)
  }

  /// Runs a range of steps and checks every node.
  @_noLocks
  private func check(
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
      if watch.seeksOffset { measureInputOffset(of: next, steps, frameCount) }
      let isLookedAt = watch.watchesAllNodes || watch.turn == next
      // Before the step, which may write to the same buffer.
      let received = isLookedAt ? inputLevel(of: next, steps, frameCount) : 0
      if watch.isTimed {
        runTimed(watch, next, steps + index, frameCount)
      } else {
        crealtime_run_checked_step(steps + index, frameCount)
      }
      if watch.suspect == next {
        bypassFade.pointee.storeTails(
          steps[index].buffers + nodes[next].inputCount, nodes[next].outputCount, Int(frameCount))
      }
      if watch.seeksOffset { measureOutputOffset(of: next, steps, frameCount) }
      if isLookedAt {
        let peak = outputPeak(at: next, steps, frameCount, limit: watch.limit, received: received)
        if watch.isMeasured { meters[next].record(peak: peak) }
      }
      next = next &+ 1
      index = index &+ 1
    }
  }

  /// Runs a node and measures its time.
  @_noLocks
  private func runTimed(
    _ watch: WatchedNodes, _ index: Int, _ step: UnsafePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    // The kernel is queried only for a node that was interrupted in the previous block.
    let isAsked = watch.isAlert && meters[index].wasPreempted
    let waits = isAsked ? crealtime_voluntary_switches() : 0
    if deadline != nil { crealtime_clear_preempted() }
    let started = crealtime_nanoseconds()
    crealtime_run_checked_step(step, frameCount)
    let taken = crealtime_nanoseconds() &- started
    let isDisturbed = deadline != nil && crealtime_was_preempted()
    // A plugin that sleeps or waits for a lock caused the delay itself.
    let hasWaited = isAsked && crealtime_voluntary_switches() != waits
    meters[index].recordTime(nanoseconds: taken, isDisturbed: isDisturbed, hasWaited: hasWaited)
    if watch.isMeasured { meters[index].record(nanoseconds: taken) }
  }
}
