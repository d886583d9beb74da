// NodeGuard+Actions.swift: nodes that are too slow, and those that put an offset in. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. All of it runs between two blocks, but for what is tallied by node.

import CRealtime
import Synchronization

extension NodeGuard {
  /// So long it is looked for who puts an offset in, in seconds: long beside a period of the lowest tone.
  private static var seekingSeconds: Double { @_noLocks get { 0.25 } }
  /// Above this, linear, a node's output has one: those of two nodes may add up to that of the output.
  private static var offsetLimit: Float { @_noLocks get { DCOffsetDetector.limit / 2 } }
  /// Above this an input has one that is not the node's own.
  private static var foreignLimit: Float { @_noLocks get { DCOffsetDetector.limit / 8 } }

  // MARK: - Time

  /// Takes note of what the block took that is just over, and leads sound past a node that was to blame
  /// for too much of it in a row. [render, between blocks]
  @_noLocks
  mutating func noteTime(
    nanoseconds: UInt64, periodNanoseconds: Double, _ steps: UnsafeMutablePointer<crealtime_step>
  ) {
    let share = Float(Double(nanoseconds) / periodNanoseconds)
    guard let isLate = deadline?.isLate(share), isLate else { return }
    var slowest = 0
    for index in 1 ..< max(1, count)
    where meters[index].lastNanoseconds > meters[slowest].lastNanoseconds {
      slowest = index
    }
    // What was interrupted speaks neither for nor against it.
    guard count > 0, !meters[slowest].wasDisturbed else { return }
    let nodeShare = Float(Double(meters[slowest].lastNanoseconds) / periodNanoseconds)
    guard deadline?.blame(slowest, nodeShare, of: share) ?? false, !passing.pointee.isUnderWay
    else { return }
    passing.pointee.begin(slowest, nodes + slowest, for: .late, measure: nodeShare)
    beginPassing(slowest, steps)
    deadline?.acquit()
  }

  // MARK: - Offsets

  /// Looks from the next block on for who puts in an offset that has reached an output. [render]
  @_noLocks
  mutating func beginSeekingOffset(sampleRateHz: Double) {
    guard framesToSeek <= 0, !passing.pointee.isUnderWay else { return }
    framesToSeek = Int(Self.seekingSeconds * sampleRateHz)
    for index in 0 ..< count {
      for port in 0 ..< nodes[index].inputCount &+ nodes[index].outputCount {
        tallies[firstTallies[index] &+ port] = DCOffsetStatistics()
      }
    }
  }

  /// Looks at what a node hears, before it may write to the same place. [render, any thread]
  @_noLocks
  func tallyInputs(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    let buffers = steps[node.step].buffers
    for port in 0 ..< node.inputCount where buffers[port] != node.unconnected {
      tallies[firstTallies[index] &+ port].add(buffers[port], Int(frameCount))
    }
  }

  /// Looks at what a node gives out. [render, any thread]
  @_noLocks
  func tallyOutputs(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    let buffers = steps[node.step].buffers
    for port in node.inputCount ..< node.inputCount &+ node.outputCount {
      tallies[firstTallies[index] &+ port].add(buffers[port], Int(frameCount))
    }
  }

  /// Fades to what goes past the first node that gives out an offset and hears none. [render, between blocks]
  @_noLocks
  mutating func seekOffset(_ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: Int) {
    framesToSeek &-= frameCount
    guard framesToSeek <= 0 else { return }
    var isMeant = false
    for index in 0 ..< count {
      let node = nodes[index]
      let soundEnd = node.inputCount &+ node.outputCount &- node.voltageCount
      if offset(of: index, soundEnd, soundEnd &+ node.voltageCount) > Self.offsetLimit {
        isMeant = true
      }
      let offset = offset(of: index, node.inputCount, soundEnd)
      guard offset > Self.offsetLimit,
        self.offset(of: index, 0, node.inputCount) <= Self.foreignLimit,
        !passing.pointee.isUnderWay, faults[index].load(ordering: .relaxed) == 0
      else { continue }
      passing.pointee.begin(
        index, nodes + index, stillRunning: steps[node.step], for: .offset, measure: offset)
      beginPassing(index, steps)
      return
    }
    // A control voltage stands still because it is meant to.
    if !isMeant { strayOffsets.add(1, ordering: .relaxed) }
  }

  /// The greatest offset of some ports of a node, linear.
  @_noLocks
  private func offset(of index: Int, _ first: Int, _ end: Int) -> Float {
    var highest: Float = 0
    for port in first ..< end {
      highest = max(highest, tallies[firstTallies[index] &+ port].offset)
    }
    return highest
  }

  // MARK: - Passing

  @_noLocks
  private func beginPassing(_ index: Int, _ steps: UnsafeMutablePointer<crealtime_step>) {
    let place = nodes[index].step
    steps[place] = crealtime_step(
      function: passingStep, context: UnsafeMutableRawPointer(passing),
      buffers: steps[place].buffers)
  }

  /// Leads sound past a node that has given way, and tells of it, unless worse was found out of it meanwhile.
  /// [render, between blocks]
  @_noLocks
  func endPassing(_ steps: UnsafeMutablePointer<crealtime_step>) {
    let index = passing.pointee.index
    let place = nodes[index].step
    steps[place] = crealtime_step(
      function: bypassStep, context: UnsafeMutableRawPointer(nodes + index),
      buffers: steps[place].buffers)
    passing.pointee.end()
    guard faults[index].load(ordering: .relaxed) == 0 else { return }
    measures[index].store(passing.pointee.measure.bitPattern, ordering: .relaxed)
    // Pairs with the acquiring exchange in `CompiledGraph.takeFaults`.
    faults[index].store(passing.pointee.fault.bits, ordering: .releasing)
  }
}
