// NodeGuard+Actions.swift: bypasses nodes that are too slow or output a DC offset.
// SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. All of it runs between two blocks, except
// the statistics of each node.

import CRealtime
import Synchronization

extension NodeGuard {
  /// How long the source of a DC offset is searched, in seconds: long compared with a period of the
  /// lowest tone.
  private static var seekingSeconds: Double { @_noLocks get { 0.25 } }
  /// The mean above which a node's output has a DC offset, linear: those of two nodes may add up to
  /// the limit of an output.
  private static var offsetLimit: Float { @_noLocks get { DCOffsetDetector.limit / 2 } }
  /// The mean above which an input has a DC offset, which the node then passes on.
  private static var foreignLimit: Float { @_noLocks get { DCOffsetDetector.limit / 8 } }

  // MARK: - Time

  /// Records the time of the completed block, and bypasses a node that caused too many late blocks
  /// in a row. [render, between blocks]
  @_noLocks
  mutating func recordTime(
    nanoseconds: UInt64, periodNanoseconds: Double, _ steps: UnsafeMutablePointer<crealtime_step>
  ) {
    let load = Float(Double(nanoseconds) / periodNanoseconds)
    guard let isLate = deadline?.isLate(load), isLate else { return }
    var slowest = 0
    for index in 1 ..< max(1, count)
    where meters[index].lastNanoseconds > meters[slowest].lastNanoseconds {
      slowest = index
    }
    // An interrupted node is neither suspected nor cleared.
    guard count > 0, !meters[slowest].wasDisturbed else { return }
    let nodeLoad = Float(Double(meters[slowest].lastNanoseconds) / periodNanoseconds)
    guard deadline?.attributeOverload(slowest, nodeLoad, of: load) ?? false,
      !bypassFade.pointee.isActive
    else { return }
    bypassFade.pointee.begin(slowest, nodes + slowest, for: .overload, measure: nodeLoad)
    startBypass(slowest, steps)
    deadline?.resetSuspicion()
  }

  // MARK: - Offsets

  /// Searches the source of a DC offset that reached an output, from the next block on. [render]
  @_noLocks
  mutating func startDCOffsetSearch(sampleRateHz: Double) {
    guard framesToSeek <= 0, !bypassFade.pointee.isActive else { return }
    framesToSeek = Int(Self.seekingSeconds * sampleRateHz)
    for index in 0 ..< count {
      for port in 0 ..< nodes[index].inputCount &+ nodes[index].outputCount {
        tallies[firstTallies[index] &+ port] = DCOffsetStatistics()
      }
    }
  }

  /// Examines a node's inputs, before it may write to the same buffers. [render, any thread]
  @_noLocks
  func measureInputOffset(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    let buffers = steps[node.step].buffers
    for port in 0 ..< node.inputCount where buffers[port] != node.unconnected {
      tallies[firstTallies[index] &+ port].add(buffers[port], Int(frameCount))
    }
  }

  /// Examines a node's outputs. [render, any thread]
  @_noLocks
  func measureOutputOffset(
    of index: Int, _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: UInt32
  ) {
    let node = nodes[index]
    let buffers = steps[node.step].buffers
    for port in node.inputCount ..< node.inputCount &+ node.outputCount {
      tallies[firstTallies[index] &+ port].add(buffers[port], Int(frameCount))
    }
  }

  /// Fades to the bypass of the first node that outputs a DC offset and receives none. [render,
  /// between blocks]
  @_noLocks
  mutating func bypassDCOffsetSource(
    _ steps: UnsafeMutablePointer<crealtime_step>, _ frameCount: Int
  ) {
    framesToSeek &-= frameCount
    guard framesToSeek <= 0 else { return }
    var isMeant = false
    for index in 0 ..< count {
      let node = nodes[index]
      let audioEnd = node.inputCount &+ node.outputCount &- node.voltageCount
      if offset(of: index, audioEnd, audioEnd &+ node.voltageCount) > Self.offsetLimit {
        isMeant = true
      }
      let offset = offset(of: index, node.inputCount, audioEnd)
      guard offset > Self.offsetLimit,
        self.offset(of: index, 0, node.inputCount) <= Self.foreignLimit,
        !bypassFade.pointee.isActive, faults[index].load(ordering: .relaxed) == 0
      else { continue }
      bypassFade.pointee.begin(
        index, nodes + index, stillRunning: steps[node.step], for: .dcOffset, measure: offset)
      startBypass(index, steps)
      return
    }
    // A control voltage may be constant.
    if !isMeant { unattributedOffsets.add(1, ordering: .relaxed) }
  }

  /// Returns the largest offset of a range of a node's ports, linear.
  @_noLocks
  private func offset(of index: Int, _ first: Int, _ end: Int) -> Float {
    var highest: Float = 0
    for port in first ..< end {
      highest = max(highest, tallies[firstTallies[index] &+ port].offset)
    }
    return highest
  }

  // MARK: - Bypass

  @_noLocks
  private func startBypass(_ index: Int, _ steps: UnsafeMutablePointer<crealtime_step>) {
    let step = nodes[index].step
    steps[step] = crealtime_step(
      function: bypassFadeStep, context: UnsafeMutableRawPointer(bypassFade),
      buffers: steps[step].buffers)
  }

  /// Bypasses a node after its fade, and reports its fault, unless a worse one was detected
  /// meanwhile. [render, between blocks]
  @_noLocks
  func completeBypass(_ steps: UnsafeMutablePointer<crealtime_step>) {
    let index = bypassFade.pointee.index
    let step = nodes[index].step
    steps[step] = crealtime_step(
      function: bypassStep, context: UnsafeMutableRawPointer(nodes + index),
      buffers: steps[step].buffers)
    bypassFade.pointee.end()
    guard faults[index].load(ordering: .relaxed) == 0 else { return }
    measures[index].store(bypassFade.pointee.measure.bitPattern, ordering: .relaxed)
    // Pairs with the acquiring exchange in `CompiledGraph.takeFaults`.
    faults[index].store(bypassFade.pointee.fault.bits, ordering: .releasing)
  }
}
