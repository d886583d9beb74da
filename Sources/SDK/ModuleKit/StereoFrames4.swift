// StereoFrames4.swift: four frames of two channels at once. SPDX-License-Identifier: MIT

/// Four frames, a lane for each, of which the last may be beyond the end of a block.
public struct StereoFrames4 {
  /// The left channel.
  public var left: SIMD4<Float>
  /// The right channel.
  public var right: SIMD4<Float>

  /// Four frames of their channels.
  @_noLocks @inline(__always)
  public init(left: SIMD4<Float>, right: SIMD4<Float>) {
    self.left = left
    self.right = right
  }

  /// Four frames, one after another.
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

  /// One of the frames, 0 to 3.
  @_noLocks
  public subscript(frame: Int) -> SIMD2<Float> {
    @_noLocks @inline(__always)
    get { SIMD2(left[frame], right[frame]) }
  }

  /// The same with the sides' difference times `width`, 0 to 1: 0 is mono.
  @_noLocks @inline(__always)
  public func narrowed(to width: SIMD4<Float>) -> StereoFrames4 {
    let centre = (left + right) * 0.5
    let side = (left - right) * 0.5 * width
    return StereoFrames4(left: centre + side, right: centre - side)
  }
}

extension StereoBlock {
  /// Four frames of both inputs. [render]
  @_noLocks @inline(__always)
  public func four(at frame: Int) -> StereoFrames4 {
    StereoFrames4(
      left: UnalignedSIMD.load(leftIn + frame), right: UnalignedSIMD.load(rightIn + frame))
  }

  /// 1 to 4 frames of both inputs; lanes beyond are silent. [render]
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
