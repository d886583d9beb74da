// LowFrequencyOscillator.swift: an oscillator for modulation. SPDX-License-Identifier: MIT

/// A low-frequency oscillator with a phase and sines.
///
/// The phase is a Double, so that its error after a day is below a millionth of a turn.
public struct LowFrequencyOscillator {
  /// Turns, 0 to below 1.
  public private(set) var phase = 0.0
  private var increment = 0.0
  private let sampleRateHz: Double

  /// Creates an oscillator with frequency 0 at phase 0.
  ///
  /// - Parameter sampleRateHz: above 0.
  public init(sampleRateHz: Double) { self.sampleRateHz = sampleRateHz }

  /// Sets the frequency from the next frame on, without a phase jump.
  ///
  /// - Parameter frequencyHz: 0 to half the sample rate. [render]
  @_noLocks
  @inline(__always)
  public mutating func set(frequencyHz: Float) { increment = Double(frequencyHz) / sampleRateHz }

  /// Sets the phase to 0. [render]
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

  /// Returns the phase plus an offset.
  ///
  /// - Parameter ahead: the offset, 0 to 1.
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
