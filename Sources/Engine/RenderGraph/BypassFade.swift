// BypassFade.swift: fades a node in and out of bypass. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit

/// Copies a node's inputs to its outputs if its channels match; other outputs are silent. [render]
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
  /// Returns the input that bypasses the node into an output; nil for silence. [render]
  @_noLocks
  func input(
    for channel: Int, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>
  ) -> UnsafeMutablePointer<Float>? {
    let input = inputCount == 1 ? 0 : channel
    guard input < inputCount, buffers[input] != unconnected else { return nil }
    return buffers[input]
  }
}

/// Crossfades one node to its bypass, at a fixed address.
///
/// The node keeps running until the crossfade is complete; a node that is too slow for that is
/// replaced by a continuation of its last tone. All nodes of a render sequence share this one fade.
struct BypassFade: ~Copyable {
  /// The number of samples that are kept of the last output of a slow node.
  private static var tailFrames: Int { @_noLocks get { 32 } }

  /// The index of the node among the guarded ones; -1 for none.
  private(set) var index = -1
  fileprivate var node: UnsafePointer<GuardedNode>?
  /// The step of the node; nil if the node is not called any more.
  fileprivate var step: crealtime_step?
  fileprivate var position = 0
  /// The reason for the bypass.
  ///
  /// It is reported after the fade, because the session may then replace the node.
  private(set) var fault = NodeFault.overload
  private(set) var measure: Float = 0
  /// The gains of the bypass signal, which belong to the engine, and their number.
  fileprivate var gains: UnsafePointer<Float>
  fileprivate var frameCount: Int
  private let short: (gains: UnsafePointer<Float>, frameCount: Int)
  private let long: (gains: UnsafePointer<Float>, frameCount: Int)
  /// Copies of the node's inputs, because it may write to its input buffers.
  fileprivate let dry: UnsafeMutablePointer<Float>
  fileprivate let channelStrideFrames: Int
  fileprivate let continuations: UnsafeMutablePointer<ToneExtrapolator>
  private let tails: UnsafeMutablePointer<Float>

  /// Creates a fade for nodes of the largest channel count among `guarded`. [main]
  init(_ guarded: [GuardedNode], _ curves: BypassFadeCurves, maximumFrameCount: Int) {
    let inputCount = guarded.map(\.inputCount).max() ?? 0
    let outputCount = guarded.map(\.outputCount).max() ?? 0
    short = (curves.short, curves.shortFrames)
    long = (curves.long, curves.longFrames)
    (gains, frameCount) = short
    channelStrideFrames = maximumFrameCount
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

  /// Keeps the last output of a node that may be too slow. [render, any thread]
  @_noLocks
  func storeTails(
    _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int, _ frames: Int
  ) {
    for channel in 0 ..< count {
      storeTail(tails + channel &* Self.tailFrames, Self.tailFrames, of: outputs[channel], frames)
    }
  }

  /// Starts to fade a node that is still called meanwhile. [render]
  @_noLocks
  mutating func begin(
    _ index: Int, _ node: UnsafePointer<GuardedNode>, stillRunning step: crealtime_step,
    for fault: NodeFault, measure: Float
  ) {
    (self.index, self.node, self.step, position) = (index, node, step, 0)
    (self.fault, self.measure) = (fault, measure)
    (gains, frameCount) = long
  }

  /// Starts to fade a node that is not called any more. [render]
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

  /// Whether a fade is in progress. [render]
  var isActive: Bool { @_noLocks get { index >= 0 } }

  /// Advances by a completed block.
  ///
  /// Returns whether the fade ended with it. [render]
  @_noLocks
  mutating func advance(_ frames: Int) -> Bool {
    position &+= frames
    return position >= frameCount
  }

  /// Makes the fade available for another node. [render]
  @_noLocks
  mutating func end() { index = -1 }

  /// Returns the gain of the bypass signal at a frame of the block.
  @_noLocks
  fileprivate func gain(_ frame: Int) -> Float {
    position &+ frame < frameCount ? gains[position &+ frame] : 1
  }
}

/// Crossfades from a node to its bypass. [render]
@_noLocks @c(outboard_bypass_fade_step)
func bypassFadeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let bypassFade = context.assumingMemoryBound(to: BypassFade.self)
  guard let node = bypassFade.pointee.node?.pointee else { return }
  if let step = bypassFade.pointee.step {
    crossfadeLive(bypassFade, node, step, buffers, frameCount)
  } else {
    crossfadeExtrapolated(bypassFade, node, buffers, Int(frameCount))
  }
}

@_noLocks
private func crossfadeLive(
  _ bypassFade: UnsafeMutablePointer<BypassFade>, _ node: GuardedNode, _ step: crealtime_step,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  for input in 0 ..< node.inputCount where buffers[input] != node.unconnected {
    crealtime_copy(
      bypassFade.pointee.dry + input &* bypassFade.pointee.channelStrideFrames, buffers[input],
      frameCount
    )
  }
  var step = step
  step.buffers = buffers
  crealtime_call_step(&step, frameCount)
  for channel in 0 ..< node.outputCount {
    let output = buffers[node.inputCount &+ channel]
    let input = node.inputCount == 1 ? 0 : channel
    let isDry = node.input(for: channel, buffers) != nil
    let row = bypassFade.pointee.dry + input &* bypassFade.pointee.channelStrideFrames
    for frame in 0 ..< Int(frameCount) {
      let gain = bypassFade.pointee.gain(frame)
      output[frame] = output[frame] * (1 - gain) + (isDry ? row[frame] * gain : 0)
    }
  }
}

@_noLocks
private func crossfadeExtrapolated(
  _ bypassFade: UnsafeMutablePointer<BypassFade>, _ node: GuardedNode,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  // Runs backwards: the first output may share the buffer of the only input.
  var channel = node.outputCount &- 1
  while channel >= 0 {
    let output = buffers[node.inputCount &+ channel]
    let input = node.input(for: channel, buffers)
    // Uses a pointer for the reason given in `DCOffsetDetector.look`.
    let continuation = bypassFade.pointee.continuations + channel
    for frame in 0 ..< frameCount {
      let gain = bypassFade.pointee.gain(frame)
      let dry = input.map { $0[frame] } ?? 0
      output[frame] = continuation.pointee.next() * (1 - gain) + dry * gain
    }
    channel &-= 1
  }
}

/// The fade curves of an engine's guards, which live as long as the engine: plain data.
struct BypassFadeCurves: BitwiseCopyable {
  /// The gains of a fast and of a slow fade-in.
  let short: UnsafePointer<Float>
  let shortFrames: Int
  let long: UnsafePointer<Float>
  let longFrames: Int
}
