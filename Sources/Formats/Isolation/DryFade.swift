// DryFade.swift: fades between a node and its bypass without a click. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, locks, waits or throws.

internal import CRealtime
internal import RealtimeKit

/// Keeps the outputs of a node continuous when its answers stop or return.
///
/// At a change, the last output continues as a tone and fades out, while the new signal fades in. Without an
/// answer, the new signal is the bypass: each output gets its input.
struct DryFade: ~Copyable {
  /// The length of a fade, in seconds: as for faults that the engine conceals.
  private static let seconds = 0.01
  /// The number of samples that are kept of the last output.
  private static var tailFrames: Int { @_noLocks get { 32 } }

  private let inputCount: Int
  private let outputCount: Int
  private let curve: FadeCurve
  private let continuations: UnsafeMutablePointer<ToneExtrapolator>
  private let tails: UnsafeMutablePointer<Float>
  private let unconnected: UnsafeMutablePointer<Float>
  private var isWet = true
  private var position: Int

  /// Creates a fade for a node that answers. [main]
  init(
    inputCount: Int, outputCount: Int, sampleRateHz: Double,
    unconnected: UnsafeMutablePointer<Float>
  ) {
    (self.inputCount, self.outputCount) = (inputCount, outputCount)
    self.unconnected = unconnected
    curve = FadeCurve(frameCount: max(1, Int(Self.seconds * sampleRateHz)))
    position = curve.frameCount
    continuations = .allocate(capacity: max(1, outputCount))
    continuations.initialize(repeating: ToneExtrapolator(), count: max(1, outputCount))
    tails = .allocate(capacity: max(1, outputCount * Self.tailFrames))
    tails.initialize(repeating: 0, count: max(1, outputCount * Self.tailFrames))
  }

  deinit {
    continuations.deallocate()
    tails.deallocate()
  }

  /// Whether the outputs are exactly the node's answers. [render]
  var isIdle: Bool { @_noLocks get { isWet && position >= curve.frameCount } }

  /// Completes the outputs of a block, which contain the node's answer if `isWet`; `inputs` are passed on otherwise.
  /// [render]
  @_noLocks
  mutating func finish(
    isWet: Bool, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32,
    inputs: UnsafePointer<UnsafeMutablePointer<Float>>
  ) {
    if isWet != self.isWet { begin(isWet: isWet) }
    if !isWet { pass(inputs, to: buffers, frameCount) }
    if position < curve.frameCount { fade(buffers, Int(frameCount)) }
    for channel in 0 ..< outputCount {
      storeTail(channel, of: buffers[inputCount &+ channel], Int(frameCount))
    }
  }

  /// Keeps the last samples of an output; blocks may be shorter than the tail.
  @_noLocks
  private func storeTail(
    _ channel: Int, of samples: UnsafePointer<Float>, _ frameCount: Int
  ) {
    let tail = tails + channel &* Self.tailFrames
    let kept = max(0, Self.tailFrames &- frameCount)
    let fresh = Self.tailFrames &- kept
    if kept > 0 { crealtime_move(tail, tail + fresh, UInt32(truncatingIfNeeded: kept)) }
    crealtime_copy(
      tail + kept, samples + (frameCount &- fresh), UInt32(truncatingIfNeeded: fresh))
  }

  @_noLocks
  private mutating func begin(isWet: Bool) {
    self.isWet = isWet
    position = 0
    for channel in 0 ..< outputCount {
      continuations[channel] = ToneExtrapolator(
        after: tails + channel &* Self.tailFrames, Self.tailFrames)
    }
  }

  /// Copies each input to its output, as the engine bypasses a node.
  @_noLocks
  private func pass(
    _ inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
    to buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
  ) {
    for channel in 0 ..< outputCount {
      let output = buffers[inputCount &+ channel]
      let input = inputCount == 1 ? 0 : channel
      if input < inputCount, inputs[input] != unconnected {
        crealtime_copy(output, inputs[input], frameCount)
      } else {
        crealtime_zero(output, frameCount)
      }
    }
  }

  @_noLocks
  private mutating func fade(
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
  ) {
    let count = min(frameCount, curve.frameCount &- position)
    for channel in 0 ..< outputCount {
      let output = buffers[inputCount &+ channel]
      let continuation = continuations + channel
      for frame in 0 ..< count {
        let gain = curve.gains[position &+ frame]
        output[frame] = output[frame] * gain + continuation.pointee.next() * (1 - gain)
      }
    }
    position &+= count
  }
}
