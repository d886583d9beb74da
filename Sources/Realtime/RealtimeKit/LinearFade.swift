// LinearFade.swift: a gain that moves linearly between silence and unity. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// A gain that moves by the same step in each frame, from 0 to 1 and back.
package struct LinearFade {
  /// The gain after the last block, from 0 to 1.
  package private(set) var gain: Float
  private let stepPerFrame: Float

  /// Creates a fade that rests at a gain; a whole fade takes `seconds`, above 0. [main]
  package init(at gain: Float, seconds: Double, sampleRateHz: Double) {
    self.gain = gain
    stepPerFrame = Float(1 / (seconds * sampleRateHz))
  }

  /// Sets the gain to 0 at once. [render]
  @_noLocks
  package mutating func silence() { gain = 0 }

  /// Scales a block of some channels, and moves the gain towards `target`, which is 0 or 1. [render]
  @_noLocks
  package mutating func apply(
    to buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ channels: Range<Int>,
    _ frameCount: Int, towards target: Float
  ) {
    let start = gain
    let step = target > start ? stepPerFrame : -stepPerFrame
    for channel in channels {
      let samples = buffers[channel]
      for frame in 0 ..< frameCount {
        samples[frame] *= min(1, max(0, start + step * Float(frame &+ 1)))
      }
    }
    gain = min(1, max(0, start + step * Float(frameCount)))
  }
}
