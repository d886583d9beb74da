// LowFrequencyOscillator.swift: what sweeps delays, filters and levels. SPDX-License-Identifier: MIT

/// A phase that turns slowly, and sines of it.
///
/// The phase is a Double, so that after a day it is still where it should be to a millionth of a turn.
public struct LowFrequencyOscillator {
  /// Turns, 0 to below 1.
  public private(set) var phase = 0.0
  private var increment = 0.0
  private let sampleRateHz: Double

  /// Stands still at phase 0.
  ///
  /// - Parameter sampleRateHz: above 0.
  public init(sampleRateHz: Double) { self.sampleRateHz = sampleRateHz }

  /// Sets the speed from the next frame on; the phase goes on from where it is.
  ///
  /// - Parameter frequencyHz: 0 to half the sample rate. [render]
  @_noLocks
  @inline(__always)
  public mutating func set(frequencyHz: Float) { increment = Double(frequencyHz) / sampleRateHz }

  /// Goes back to phase 0. [render]
  @_noLocks
  @inline(__always)
  public mutating func reset() { phase = 0 }

  /// Advances by one frame. [render]
  @_noLocks
  @inline(__always)
  public mutating func advance() { advance(frames: 1) }

  /// Advances by several frames, at most one turn. [render]
  @_noLocks
  @inline(__always)
  public mutating func advance(frames: Int) {
    phase += increment * Double(frames)
    if phase >= 1 { phase -= 1 }
  }

  /// The phase some turns ahead.
  ///
  /// - Parameter ahead: 0 to 1.
  /// - Returns: turns, 0 to below 1. [render]
  @_noLocks
  @inline(__always)
  public func phase(ahead: Double) -> Double {
    let sum = phase + ahead
    return sum >= 1 ? sum - 1 : sum
  }

  /// The sines, -1 to 1, of the phase itself and of the phase some turns ahead, 0 to 1. [render]
  @_noLocks
  @inline(__always)
  public func sines(ahead: Double) -> SIMD2<Double> {
    Sine.ofTurns(SIMD2(phase, phase(ahead: ahead)))
  }
}
