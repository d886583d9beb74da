// AllPass.swift: Schroeder's all-pass around a delay line. SPDX-License-Identifier: MIT

import ModuleKit

/// `(g + z^-n) / (1 + g z^-n)`: every frequency passes equally loud, each after another time.
struct AllPass {
  private var line: DelayLine
  private let length: Int  // frames

  /// - Parameters:
  ///   - length: frames; at least 5 more than the sway.
  ///   - sway: the largest modulation of the read position, in frames.
  init(length: Int, sway: Int = 0) {
    // Four frames are made at once.
    self.length = max(5 + sway, length)
    line = DelayLine(maximumDelay: self.length + sway + 4)
  }

  func free() { line.free() }

  @_noLocks
  func clear() { line.clear() }

  /// The next 1 to 4 frames.
  @_noLocks
  @inline(__always)
  mutating func next(_ samples: SIMD4<Float>, gain: SIMD4<Float>, count: Int) -> SIMD4<Float> {
    let (entering, leaving) = pass(samples, line.four(delay: length), gain)
    line.put(entering)
    line.advance(count)
    return leaving
  }

  /// Reads with a delay that is longer by `sway` frames, within the line.
  @_noLocks
  @inline(__always)
  mutating func next(
    _ samples: SIMD4<Float>, gain: SIMD4<Float>, sway: SIMD4<Float>, count: Int
  ) -> SIMD4<Float> {
    let delayed = line.four(delay: length, excess: sway)
    let (entering, leaving) = pass(samples, delayed, gain)
    line.put(entering)
    line.advance(count)
    return leaving
  }

  /// Lays the next four frames down without moving on, for taps inside.
  @_noLocks
  @inline(__always)
  func put(_ samples: SIMD4<Float>, gain: SIMD4<Float>) -> SIMD4<Float> {
    let (entering, leaving) = pass(samples, line.four(delay: length), gain)
    line.put(entering)
    return leaving
  }

  @_noLocks
  @inline(__always)
  mutating func advance(_ count: Int) { line.advance(count) }

  /// Returns the input of some frames ago: an inner tap.
  @_noLocks
  @inline(__always)
  func four(age: Int) -> SIMD4<Float> { line.four(delay: age) }

  @_noLocks
  @inline(__always)
  private func pass(
    _ samples: SIMD4<Float>, _ delayed: SIMD4<Float>, _ gain: SIMD4<Float>
  ) -> (entering: SIMD4<Float>, leaving: SIMD4<Float>) {
    let entering = SampleGuard.flushed(samples - gain * delayed)
    return (entering, delayed + gain * entering)
  }
}
