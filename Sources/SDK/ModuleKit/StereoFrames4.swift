// StereoFrames4.swift: four frames of two channels at once. SPDX-License-Identifier: MIT

/// Four stereo frames, one per lane.
///
/// The last frames may be beyond the end of a block.
public struct StereoFrames4 {
  /// The left channel.
  public var left: SIMD4<Float>
  /// The right channel.
  public var right: SIMD4<Float>

  /// Creates four frames from their channels.
  @_noLocks @inline(__always)
  public init(left: SIMD4<Float>, right: SIMD4<Float>) {
    self.left = left
    self.right = right
  }

  /// Creates four frames in sequence.
  @_noLocks @inline(__always)
  public init(
    _ first: SIMD2<Float>, _ second: SIMD2<Float>, _ third: SIMD2<Float>, _ fourth: SIMD2<Float>
  ) {
    let both = SIMD8(
      lowHalf: SIMD4(lowHalf: first, highHalf: second),
      highHalf: SIMD4(lowHalf: third, highHalf: fourth))
    left = both.evenHalf
    right = both.oddHalf
  }

  /// Returns one of the frames, 0 to 3.
  @_noLocks
  public subscript(frame: Int) -> SIMD2<Float> {
    @_noLocks @inline(__always)
    get { SIMD2(left[frame], right[frame]) }
  }

  /// Returns the frames with the side signal scaled by `width`, 0 (mono) to 1.
  @_noLocks @inline(__always)
  public func narrowed(to width: SIMD4<Float>) -> StereoFrames4 {
    let centre = (left + right) * 0.5
    let side = (left - right) * 0.5 * width
    return StereoFrames4(left: centre + side, right: centre - side)
  }
}

extension StereoBlock {
  /// Reads four frames of both inputs. [render]
  @_noLocks @inline(__always)
  public func four(at frame: Int) -> StereoFrames4 {
    StereoFrames4(
      left: UnalignedSIMD.load(leftIn + frame), right: UnalignedSIMD.load(rightIn + frame))
  }

  /// Reads 1 to 4 frames of both inputs; the remaining lanes are 0. [render]
  @_noLocks @inline(__always)
  public func four(at frame: Int, count: Int) -> StereoFrames4 {
    StereoFrames4(
      left: UnalignedSIMD.load(leftIn + frame, count: count),
      right: UnalignedSIMD.load(rightIn + frame, count: count))
  }

  /// Writes four frames of both outputs. [render]
  @_noLocks @inline(__always)
  public func output(_ sound: StereoFrames4, at frame: Int) {
    UnalignedSIMD.store(sound.left, leftOut + frame)
    UnalignedSIMD.store(sound.right, rightOut + frame)
  }

  /// Writes 1 to 4 frames of both outputs. [render]
  @_noLocks @inline(__always)
  public func output(_ sound: StereoFrames4, at frame: Int, count: Int) {
    UnalignedSIMD.store(sound.left, leftOut + frame, count: count)
    UnalignedSIMD.store(sound.right, rightOut + frame, count: count)
  }
}
