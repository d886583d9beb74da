// BypassFade.swift: fades a node in and out of bypass. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// Passes on what a node hears, where its channels allow that; silence elsewhere. [render]
@_noLocks @c(outboard_bypass_step)
func bypassStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let node = context.assumingMemoryBound(to: GuardedNode.self).pointee
  for channel in 0 ..< node.outputCount {
    let output = buffers[node.inputCount &+ channel]
    guard let input = node.input(for: channel, buffers) else {
      crealtime_zero(output, frameCount)
      continue
    }
    if input != output { crealtime_copy(output, input, frameCount) }
  }
}

extension GuardedNode {
  /// What goes past it into an output; nil for silence. [render]
  @_noLocks
  func input(
    for channel: Int, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>
  ) -> UnsafeMutablePointer<Float>? {
    let input = inputCount == 1 ? 0 : channel
    guard input < inputCount, buffers[input] != unconnected else { return nil }
    return buffers[input]
  }
}

/// A node whose sound gives way to what goes past it: what its step works on then, at a fixed address.
///
/// Either the node goes on until that is over, or, where it is too slow for that, the tone that it ended with does.
/// There is one for all nodes of a program.
struct BypassFade: ~Copyable {
  /// So many samples are kept of what a slow node gave out last.
  private static var tailFrames: Int { @_noLocks get { 32 } }

  /// The node, by its place among the guarded ones; -1 for none.
  private(set) var index = -1
  fileprivate var node: UnsafePointer<GuardedNode>?
  /// What it does; nil where it is not asked any more.
  fileprivate var step: crealtime_step?
  fileprivate var position = 0
  /// Why it gives way, which is told once it has: from then on the session may put another in its place.
  private(set) var fault = NodeFault.late
  private(set) var measure: Float = 0
  /// Gains of what goes past it, which belong to the engine, and how many there are.
  fileprivate var gains: UnsafePointer<Float>
  fileprivate var frameCount: Int
  private let short: (gains: UnsafePointer<Float>, frameCount: Int)
  private let long: (gains: UnsafePointer<Float>, frameCount: Int)
  /// Rows for what a node hears, as it may write to where it reads.
  fileprivate let dry: UnsafeMutablePointer<Float>
  fileprivate let rowFrames: Int
  fileprivate let continuations: UnsafeMutablePointer<ToneExtrapolator>
  private let tails: UnsafeMutablePointer<Float>

  /// One for nodes of up to so many channels. [main]
  init(_ guarded: [GuardedNode], _ curves: BypassFadeCurves, maximumFrameCount: Int) {
    let inputCount = guarded.map(\.inputCount).max() ?? 0
    let outputCount = guarded.map(\.outputCount).max() ?? 0
    short = (curves.short, curves.shortFrames)
    long = (curves.long, curves.longFrames)
    (gains, frameCount) = short
    rowFrames = maximumFrameCount
    dry = .allocate(capacity: max(1, inputCount * maximumFrameCount))
    continuations = .allocate(capacity: max(1, outputCount))
    tails = .allocate(capacity: max(1, outputCount * Self.tailFrames))
    tails.initialize(repeating: 0, count: max(1, outputCount * Self.tailFrames))
  }

  deinit {
    dry.deallocate()
    continuations.deallocate()
    tails.deallocate()
  }

  /// Keeps what a node that is suspected to be too slow has just given out. [render, any thread]
  @_noLocks
  func keep(_ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int, _ frames: Int) {
    for channel in 0 ..< count {
      keepTail(tails + channel &* Self.tailFrames, Self.tailFrames, of: outputs[channel], frames)
    }
  }

  /// Begins with a node that goes on meanwhile. [render]
  @_noLocks
  mutating func begin(
    _ index: Int, _ node: UnsafePointer<GuardedNode>, stillRunning step: crealtime_step,
    for fault: NodeFault, measure: Float
  ) {
    (self.index, self.node, self.step, position) = (index, node, step, 0)
    (self.fault, self.measure) = (fault, measure)
    (gains, frameCount) = long
  }

  /// Begins with a node that is not asked any more. [render]
  @_noLocks
  mutating func begin(
    _ index: Int, _ node: UnsafePointer<GuardedNode>, for fault: NodeFault, measure: Float
  ) {
    (self.index, self.node, step, position) = (index, node, nil, 0)
    (self.fault, self.measure) = (fault, measure)
    (gains, frameCount) = short
    for channel in 0 ..< node.pointee.outputCount {
      (continuations + channel).initialize(
        to: ToneExtrapolator(after: tails + channel &* Self.tailFrames, Self.tailFrames))
    }
  }

  /// Whether a node gives way. [render]
  var isUnderWay: Bool { @_noLocks get { index >= 0 } }

  /// Goes on by a block that is just over; whether the node has given way with it. [render]
  @_noLocks
  mutating func advance(_ frames: Int) -> Bool {
    position &+= frames
    return position >= frameCount
  }

  /// Is ready for another node. [render]
  @_noLocks
  mutating func end() { index = -1 }

  /// The gain of what goes past at a frame of the block.
  @_noLocks
  fileprivate func gain(_ frame: Int) -> Float {
    position &+ frame < frameCount ? gains[position &+ frame] : 1
  }
}

/// Fades from a node to what goes past it. [render]
@_noLocks @c(outboard_passing_step)
func passingStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let passing = context.assumingMemoryBound(to: BypassFade.self)
  guard let node = passing.pointee.node?.pointee else { return }
  if let step = passing.pointee.step {
    fadeRunning(passing, node, step, buffers, frameCount)
  } else {
    fadeStopped(passing, node, buffers, Int(frameCount))
  }
}

@_noLocks
private func fadeRunning(
  _ passing: UnsafeMutablePointer<BypassFade>, _ node: GuardedNode, _ step: crealtime_step,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  for input in 0 ..< node.inputCount where buffers[input] != node.unconnected {
    crealtime_copy(
      passing.pointee.dry + input &* passing.pointee.rowFrames, buffers[input], frameCount)
  }
  var step = step
  step.buffers = buffers
  crealtime_call_step(&step, frameCount)
  for channel in 0 ..< node.outputCount {
    let output = buffers[node.inputCount &+ channel]
    let input = node.inputCount == 1 ? 0 : channel
    let isDry = node.input(for: channel, buffers) != nil
    let row = passing.pointee.dry + input &* passing.pointee.rowFrames
    for frame in 0 ..< Int(frameCount) {
      let gain = passing.pointee.gain(frame)
      output[frame] = output[frame] * (1 - gain) + (isDry ? row[frame] * gain : 0)
    }
  }
}

@_noLocks
private func fadeStopped(
  _ passing: UnsafeMutablePointer<BypassFade>, _ node: GuardedNode,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  // The last one first: the first output may be in the place of the only input.
  var channel = node.outputCount &- 1
  while channel >= 0 {
    let output = buffers[node.inputCount &+ channel]
    let input = node.input(for: channel, buffers)
    // As in `DCOffsetDetector.look`.
    let continuation = passing.pointee.continuations + channel
    for frame in 0 ..< frameCount {
      let gain = passing.pointee.gain(frame)
      let dry = input.map { $0[frame] } ?? 0
      output[frame] = continuation.pointee.next() * (1 - gain) + dry * gain
    }
    channel &-= 1
  }
}

/// Fades that the guards of an engine's programs use, which live as long as the engine: plain data.
struct BypassFadeCurves: BitwiseCopyable {
  /// Gains of what comes in where it has to be quick, and where there is time.
  let short: UnsafePointer<Float>
  let shortFrames: Int
  let long: UnsafePointer<Float>
  let longFrames: Int
}
