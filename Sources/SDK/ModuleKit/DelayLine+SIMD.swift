// DelayLine+SIMD.swift: four frames of a delay line at once. SPDX-License-Identifier: MIT

/// Access to the next four frames.
///
/// Some of them may be beyond the end of a block.
///
/// Call `put`, then `read`. If the delay is at least 4 frames, `read` may come first. Then `advance` by the number
/// of frames. A delay is relative to each frame as the newest one.
extension DelayLine {
  /// Writes the next four frames at delays from 0, without advancing. [render]
  @_noLocks
  @inline(__always)
  public func put(_ frames: SIMD4<Float>) {
    MirroredRing.put(frames, in: samples, at: (newest + 1) & mask, mask: mask)
  }

  /// Advances by 1 to 4 frames. [render]
  @_noLocks
  @inline(__always)
  public mutating func advance(_ count: Int) { newest = (newest + count) & mask }

  /// Returns the samples at an integer delay; at least 4 if called before `put`. [render]
  @_noLocks
  @inline(__always)
  public func four(delay: Int) -> SIMD4<Float> {
    UnalignedSIMD.load(samples + ((newest + 1 - delay) & mask))
  }

  /// Returns the signal with the delays `delay + excess`, as `read(delay:excess:)`.
  ///
  /// The delays are at least 5 frames before the next frames are stored, and 1 afterwards. [render]
  @_noLocks
  @inline(__always)
  public func four(delay: Int, excess: SIMD4<Float>) -> SIMD4<Float> {
    if excess == .zero { return four(delay: delay) }
    return MirroredRing.blend(samples, from: newest - 1 - delay, excess, mask: mask)
  }

  /// Returns the signal with delays of double precision, which sweeps need.
  ///
  /// The delays are at least 5 frames before the next frames are stored, and 1 afterwards. [render]
  @_noLocks
  @inline(__always)
  public func four(ages: SIMD4<Double>) -> SIMD4<Float> {
    // As in `SplitDelay`.
    let magic: Double = 6_755_399_441_055_744
    let rounded = (ages - 0.5) + magic
    let bits = unsafeBitCast(rounded, to: SIMD8<Int32>.self).evenHalf
    return MirroredRing.blend(
      samples, from: newest - 1, whole: bits, SIMD4<Float>(ages - (rounded - magic)), mask: mask)
  }
}

/// Buffers with a power-of-two length whose first eight samples are repeated after the last.
public enum MirroredRing {
  /// Writes four samples. [render]
  ///
  /// - Parameters:
  ///   - frames: the samples to write.
  ///   - row: the first sample of the buffer.
  ///   - position: the position of the first of the four, 0 to `mask`.
  ///   - mask: the length of the buffer minus 1.
  @_noLocks
  @inline(__always)
  public static func put(
    _ frames: SIMD4<Float>, in row: UnsafeMutablePointer<Float>, at position: Int, mask: Int
  ) {
    UnalignedSIMD.store(frames, row + position)
    if position < DelayLine.mirrorLength || position > mask - 3 {
      writeMirrored(frames, in: row, at: position, mask: mask)
    }
  }

  /// Writes samples at the start or end of the buffer, where copies are needed.
  @_noLocks
  @inline(never)
  private static func writeMirrored(
    _ frames: SIMD4<Float>, in row: UnsafeMutablePointer<Float>, at position: Int, mask: Int
  ) {
    for frame in 0 ..< 4 {
      let index = (position + frame) & mask
      row[index] = frames[frame]
      if index < DelayLine.mirrorLength { row[mask + 1 + index] = frames[frame] }
    }
  }

  /// Returns the signals of four consecutive frames with separate delays. [render]
  ///
  /// - Parameters:
  ///   - row: the first sample of the buffer.
  ///   - start: the position of the oldest of the first frame's four samples at an excess of 0.
  ///   - excess: the excess of each frame's age, in frames.
  ///   - mask: the length of the buffer minus 1.
  /// - Returns: one lane for each frame.
  @_noLocks
  @inline(__always)
  public static func blend(
    _ row: UnsafeMutablePointer<Float>, from start: Int, _ excess: SIMD4<Float>, mask: Int
  ) -> SIMD4<Float> {
    // As in `SplitDelay`.
    let magic: Float = 12_582_912
    let rounded = (excess - 0.5) + magic
    let fractions = excess - (rounded - magic)
    let whole = unsafeBitCast(rounded, to: SIMD4<Int32>.self) &- Int32(magic.bitPattern)
    return blend(row, from: start, whole: whole, fractions, mask: mask)
  }

  /// Returns the interpolated signals for delays whose integer part is already applied.
  @_noLocks
  @inline(__always)
  static func blend(
    _ row: UnsafeMutablePointer<Float>, from start: Int, whole: SIMD4<Int32>,
    _ fractions: SIMD4<Float>, mask: Int
  ) -> SIMD4<Float> {
    if whole == SIMD4(repeating: whole.x) {
      return blend(row + ((start - Int(whole.x)) & mask), fractions)
    }
    func taps(_ frame: Int) -> SIMD4<Float> {
      UnalignedSIMD.load(row + ((start + frame - Int(whole[frame])) & mask))
    }
    return Cubic.blend(Float4x4(taps(0), taps(1), taps(2), taps(3)).transposed(), fractions)
  }

  /// Returns the signals of four consecutive frames at the same integer delay. [render]
  ///
  /// - Parameters:
  ///   - oldest: the oldest of the first frame's four samples.
  ///   - fractions: the fractions of the frames' delays.
  /// - Returns: one lane for each frame.
  @_noLocks
  @inline(__always)
  public static func blend(
    _ oldest: UnsafePointer<Float>, _ fractions: SIMD4<Float>
  ) -> SIMD4<Float> {
    let taps = Float4x4(
      UnalignedSIMD.load(oldest), UnalignedSIMD.load(oldest + 1), UnalignedSIMD.load(oldest + 2),
      UnalignedSIMD.load(oldest + 3))
    return Cubic.blend(taps, fractions)
  }
}
