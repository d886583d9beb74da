// InterpolatedSines.swift: two slow sines, four frames at a time. SPDX-License-Identifier: MIT

/// The sines of an oscillator's phase and of a shifted phase.
///
/// They are exact every few frames and linearly
/// interpolated between.
///
/// With a step of n frames the sine is off by at most (2 pi f n / rate)^2 / 8 of its amplitude.
public struct InterpolatedSines {
  private var oscillator: LowFrequencyOscillator
  private let stepFrames: Int
  private var frame = 0  // since the step began
  private var start = SIMD2<Double>.zero
  private var increment = SIMD2<Double>.zero  // a frame
  private var end = SIMD2<Double>.zero
  private var needsReset = true

  /// Creates an oscillator with frequency 0 at phase 0.
  ///
  /// - Parameters:
  ///   - stepFrames: a power of two, at least 4.
  ///   - sampleRateHz: above 0.
  public init(stepFrames: Int, sampleRateHz: Double) {
    self.stepFrames = stepFrames
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
  }

  /// Sets the frequency from the next step on. [render]
  ///
  /// - Parameter frequencyHz: 0 to the sample rate divided by the step's frames.
  @_noLocks
  @inline(__always)
  public mutating func set(frequencyHz: Float) { oscillator.set(frequencyHz: frequencyHz) }

  /// Sets the phase to 0. [render]
  @_noLocks
  public mutating func reset() {
    oscillator.reset()
    frame = 0
    needsReset = true
  }

  /// The frames until the next step, the maximum for one call. [render]
  public var framesLeft: Int { @_noLocks @inline(__always) get { stepFrames - frame } }

  /// Advances by 1 to 4 frames. [render]
  ///
  /// - Parameters:
  ///   - ahead: the phase shift of the second sine, 0 to 1 turns; used from the next step on.
  ///   - count: at most `framesLeft`.
  /// - Returns: the sines of four frames, -1 to 1.
  @_noLocks
  @inline(__always)
  public mutating func next(ahead: Double, count: Int) -> (SIMD4<Double>, SIMD4<Double>) {
    if frame == 0 { step(ahead) }
    let numbers = SIMD4<Double>(0, 1, 2, 3) + Double(frame)
    frame = (frame + count) & (stepFrames - 1)
    return (start.x + increment.x * numbers, start.y + increment.y * numbers)
  }

  @_noLocks
  private mutating func step(_ ahead: Double) {
    if needsReset { end = oscillator.sines(ahead: ahead) }
    needsReset = false
    start = end
    oscillator.advance(frames: stepFrames)
    end = oscillator.sines(ahead: ahead)
    increment = (end - start) * (1 / Double(stepFrames))
  }
}
