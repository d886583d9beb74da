// NotchFilter.swift: one notch of feedback suppression, over all channels. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// A notch in the output with a variable depth.
///
/// The band-pass of a state-variable filter with trapezoidal integration (A. Simper, "Linear
/// trapezoidal optimised SVF", Cytomic 2013) has gain 1 and phase 0 at its centre. So
/// `input - depth * band` is a notch whose depth can change without a click, and which outputs exactly the
/// input at depth 0.
struct NotchFilter: BitwiseCopyable {
  /// The stage of a notch.
  enum Stage: BitwiseCopyable {
    /// Not in use.
    case idle
    /// Put in to see whether the captured tone falls.
    case probing
    /// Kept, as it did.
    case holding
    /// Slowly being taken away.
    case releasing

    // Those of the library are generic, which a debug build looks up while it runs.
    @_noLocks
    static func == (one: Stage, other: Stage) -> Bool {
      switch (one, other) {
      case (.idle, .idle), (.probing, .probing), (.holding, .holding), (.releasing, .releasing):
        true
      default: false
      }
    }

    @_noLocks
    static func != (one: Stage, other: Stage) -> Bool { !(one == other) }
  }

  var stage = Stage.idle
  var frequencyHz: Float = 0
  var bandwidthHz: Float = 0
  /// The tone's line in the spectrum.
  var line = 0
  /// The tone's level when it was noticed, in dB.
  var referenceDecibels: Float = 0
  /// The remaining hops of this stage.
  var hopsLeft = 0
  /// The target depth, in dB.
  var decibels: Float = 0
  /// The hold time if the tone proves to be feedback, in hops.
  var holdHops = 0
  /// Whether the notch was held before, so that another trial is at full depth at once.
  var isKnown = false
  /// The number of consecutive hops in which the captured tone was as loud as before the notch.
  var loudHops = 0

  // The data that the filter needs for each frame.
  var damping: Float = 0
  var a1: Float = 0
  var a2: Float = 0
  var a3: Float = 0
  /// The current depth, 0 to 1.
  var depth: Float = 0
  var target: Float = 0
  var step: Float = 0

  /// Creates an inactive notch.
  @_noLocks init() {}

  /// Whether the output differs from the input.
  var isActive: Bool {
    @_noLocks get { stage != .idle || depth > 0 }
  }

  /// Sets the centre, given the tangent of half of its angle.
  @_noLocks
  mutating func tune(tangent: Float) {
    damping = bandwidthHz / frequencyHz
    a1 = 1 / (1 + tangent * (tangent + damping))
    a2 = tangent * a1
    a3 = tangent * a2
  }

  /// Moves to a depth in this number of frames.
  @_noLocks
  mutating func move(to newDepth: Float, frames: Float) {
    target = newDepth
    step = (newDepth - depth) / max(1, frames)
  }

  /// The depth after the next frame.
  @_noLocks
  func advanced(_ depth: Float) -> Float {
    let next = depth + step
    return step > 0 ? min(target, next) : max(target, next)
  }

  /// Filters one channel in place, with its two state values; the depth starts at its current
  /// value. [render]
  @_noLocks
  func filter(
    _ samples: UnsafeMutablePointer<Float>, _ frameCount: Int,
    _ memory: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    var (first, second) = (memory.pointee.x, memory.pointee.y)
    var newDepth = depth
    for frame in 0 ..< frameCount {
      let input = samples[frame]
      let v3 = input - second
      let v1 = a1 * first + a2 * v3
      let v2 = second + a2 * first + a3 * v3
      first = 2 * v1 - first
      second = 2 * v2 - second
      newDepth = advanced(newDepth)
      samples[frame] = input - newDepth * damping * v1
    }
    // A sample that is not finite must not persist in the filter.
    memory.pointee = (first + second).isFinite ? SIMD2(first, second) : SIMD2(0, 0)
  }
}
