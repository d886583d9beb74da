// MixControl.swift: a dry/wet control with constant loudness. SPDX-License-Identifier: MIT

/// The dry and wet gains of a mix control.
///
/// The law depends on how the two signals add up. When the wet signal is another sound than the dry one (an echo, a
/// room, another pitch), their powers add up: the gains are the cosine and the sine of a quarter turn (equal power).
/// When the wet signal is the dry one with another shape or level (a distortion, a compressor), their amplitudes add
/// up: the gains have a sum of 1 (equal gain). At 0 and 1 both laws are the same, and exact.
public struct MixControl {
  private var mix: Smoother  // of the wet signal, 0 to 1
  private var correlation: Smoother  // of the wet signal with the dry one, 0 to 1
  /// The gains of the dry and the wet signal at the last frame.
  public private(set) var gains: SIMD2<Float>

  /// - Parameters:
  ///   - timeConstantSeconds: above 0.
  ///   - sampleRateHz: above 0.
  public init(timeConstantSeconds: Float, sampleRateHz: Float) {
    mix = Smoother(
      0, timeConstantSeconds: timeConstantSeconds, sampleRateHz: sampleRateHz)
    correlation = mix
    gains = SIMD2(1, 0)
  }

  /// Sets the target from the next frame on. [render]
  ///
  /// - Parameters:
  ///   - newMix: the fraction of the wet signal, 0 to 1.
  ///   - isCorrelated: true if the amplitudes of both signals add up, false if their powers do.
  @_noLocks @inline(__always)
  public mutating func move(to newMix: Float, isCorrelated: Bool = false) {
    mix.move(to: newMix)
    correlation.move(to: isCorrelated ? 1 : 0)
  }

  /// Jumps to the target. [render]
  @_noLocks
  public mutating func finish() {
    mix.finish()
    correlation.finish()
    gains = Self.gains(mix: mix.value, correlation: correlation.value)
  }

  /// Advances by one frame and returns the dry and the wet gain. [render]
  @_noLocks @inline(__always)
  public mutating func next() -> SIMD2<Float> {
    if mix.isMoving || correlation.isMoving { advance() }
    return gains
  }

  /// Advances by 1 to 4 frames and returns their gains; the remaining lanes repeat the last. [render]
  @_noLocks @inline(__always)
  public mutating func next(_ count: Int) -> (dry: SIMD4<Float>, wet: SIMD4<Float>) {
    guard mix.isMoving || correlation.isMoving else {
      return (SIMD4(repeating: gains.x), SIMD4(repeating: gains.y))
    }
    let first = next()
    let second = count > 1 ? next() : first
    let third = count > 2 ? next() : second
    let frames = StereoFrames4(first, second, third, count > 3 ? next() : third)
    return (frames.left, frames.right)
  }

  @_noLocks @inline(never)
  private mutating func advance() {
    gains = Self.gains(mix: mix.next(), correlation: correlation.next())
  }

  /// Returns the dry and the wet gain, exact at both ends. [any]
  ///
  /// - Parameters:
  ///   - mix: the fraction of the wet signal, 0 to 1.
  ///   - correlation: 0 for equal power, 1 for equal gain.
  /// - Returns: linear.
  @_noLocks
  public static func gains(mix: Float, correlation: Float = 0) -> SIMD2<Float> {
    guard mix > 0 else { return SIMD2(1, 0) }
    guard mix < 1 else { return SIMD2(0, 1) }
    let quarter = 0.25 * Double(mix)
    let power = SIMD2<Float>(Sine.ofTurns(SIMD2(0.25 - quarter, quarter)))
    return power + (SIMD2(1 - mix, mix) - power) * correlation
  }
}

extension StereoBlock {
  /// Writes one mixed frame of a dry and a wet signal, with the gains of a `MixControl`.
  ///
  /// At a mix of 0 the dry signal passes bit for bit; at 1 only the wet signal does. [render]
  @_noLocks @inline(__always)
  public func output(dry: SIMD2<Float>, wet: SIMD2<Float>, gains: SIMD2<Float>, at frame: Int) {
    let (kept, made) = (dry * gains.x, wet * gains.y)
    output(gains.y == 0 ? kept : gains.x == 0 ? made : kept + made, at: frame)
  }

  /// Writes 1 to 4 mixed frames. [render]
  @_noLocks @inline(__always)
  public func output(
    dry: StereoFrames4, wet: StereoFrames4,
    gains: (dry: SIMD4<Float>, wet: SIMD4<Float>), at frame: Int, count: Int
  ) {
    output(
      StereoFrames4(
        left: Self.sum(dry.left * gains.dry, wet.left * gains.wet, gains),
        right: Self.sum(dry.right * gains.dry, wet.right * gains.wet, gains)),
      at: frame, count: count)
  }

  @_noLocks @inline(__always)
  private static func sum(
    _ dry: SIMD4<Float>, _ wet: SIMD4<Float>, _ gains: (dry: SIMD4<Float>, wet: SIMD4<Float>)
  ) -> SIMD4<Float> {
    (dry + wet).replacing(with: dry, where: gains.wet .== 0)
      .replacing(with: wet, where: gains.dry .== 0)
  }
}
