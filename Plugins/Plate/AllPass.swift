// AllPass.swift: Schroeder's all-pass around a delay line. SPDX-License-Identifier: MIT

import ModuleKit

/// `(g + z^-n) / (1 + g z^-n)`: every frequency passes equally loud, each after another time.
struct AllPass {
  private var line: DelayLine
  private let length: Int  // frames

  /// - Parameters:
  ///   - length: frames, at least 1.
  ///   - sway: how far a modulated reading goes beyond that, in frames.
  init(length: Int, sway: Int = 0) {
    self.length = max(1, length)
    line = DelayLine(maximumAge: self.length + sway + 4)
  }

  func free() { line.free() }

  @_noLocks
  func clear() { line.clear() }

  @_noLocks
  @inline(__always)
  mutating func next(_ sample: Float, gain: Float) -> Float {
    pass(sample, line.read(age: length - 1), gain)
  }

  /// With a delay that is longer by `sway` frames, or shorter, as far as the line goes.
  @_noLocks
  @inline(__always)
  mutating func next(_ sample: Float, gain: Float, sway: Float) -> Float {
    pass(sample, line.read(age: length - 1, excess: sway), gain)
  }

  /// What entered some frames ago: a tap inside.
  @_noLocks
  @inline(__always)
  func read(age: Int) -> Float { line.read(age: age) }

  @_noLocks
  @inline(__always)
  private mutating func pass(_ sample: Float, _ delayed: Float, _ gain: Float) -> Float {
    let entering = Loop.kept(sample - gain * delayed)
    line.write(entering)
    return delayed + gain * entering
  }
}
