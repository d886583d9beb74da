// Oversampler.swift: oversampling by four or eight. SPDX-License-Identifier: MIT

/// Half-band filters for oversampling a nonlinear process.
public struct Oversampler {
  /// The longest run, in frames of the lower rate.
  public static let maximumFrameCount = 32
  private static let stopbandDecibels = 100.0

  /// The number of frames at each stage.
  public let factor: Int
  /// The latency of all filters: 39 frames of the first, 12 / 2 of the second and 8 / 4 of the third.
  ///
  /// The
  /// latter two have one more frame of their own rate, so that the sum is an integer.
  public let delayFrames: Int
  private let up2, up4, up8: HalfBandUpsampler
  private let down2, down4, down8: HalfBandDownsampler
  private let low: UnsafeMutablePointer<SIMD2<Float>>  // at one and four times the rate
  private let upsampled: UnsafeMutablePointer<SIMD2<Float>>  // at two and eight times
  private var held4 = SIMD2<Float>.zero  // the frame more, at four times the rate
  private var held2 = SIMD2<Float>.zero  // at twice the rate

  /// Allocates memory. [main]
  ///
  /// - Parameter factor: 4 or 8.
  public init(factor: Int) {
    self.factor = factor
    delayFrames = factor == 8 ? 47 : 45
    let (count, decibels) = (Self.maximumFrameCount, Self.stopbandDecibels)
    func up(_ tapCount: Int, _ factor: Int) -> HalfBandUpsampler {
      HalfBandUpsampler(
        tapCount: tapCount, stopbandDecibels: decibels, maximumFrameCount: factor * count)
    }
    func down(_ tapCount: Int, _ factor: Int) -> HalfBandDownsampler {
      HalfBandDownsampler(
        tapCount: tapCount, stopbandDecibels: decibels, maximumFrameCount: factor * count)
    }
    (up2, up4, up8) = (up(40, 1), up(12, 2), up(8, 4))
    (down2, down4, down8) = (down(40, 1), down(12, 2), down(8, 4))
    low = .allocate(capacity: 4 * count)
    upsampled = .allocate(capacity: 8 * count)
  }

  /// Frees all memory. [main]
  public func free() {
    up2.free()
    up4.free()
    up8.free()
    down8.free()
    down4.free()
    down2.free()
    low.deallocate()
    upsampled.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  public mutating func clear() {
    up2.clear()
    up4.clear()
    up8.clear()
    down8.clear()
    down4.clear()
    down2.clear()
    held4 = .zero
    held2 = .zero
  }

  /// Returns a run at the higher rate, to be processed in place. [render]
  ///
  /// - Parameters:
  ///   - frames: at the lower rate.
  ///   - frameCount: at most the maximum.
  /// - Returns: `factor` times as many, until the next call.
  @_noLocks
  public func up(
    _ frames: UnsafePointer<SIMD2<Float>>, frameCount: Int
  ) -> UnsafeMutablePointer<SIMD2<Float>> {
    up2.render(frames, to: upsampled, frameCount: frameCount)
    up4.render(upsampled, to: low, frameCount: 2 * frameCount)
    guard factor == 8 else { return low }
    up8.render(low, to: upsampled, frameCount: 4 * frameCount)
    return upsampled
  }

  /// Writes the processed run of `up` at the lower rate. [render]
  ///
  /// - Parameters:
  ///   - frames: room for the run.
  ///   - frameCount: the same as that of `up`.
  @_noLocks
  public mutating func down(to frames: UnsafeMutablePointer<SIMD2<Float>>, frameCount: Int) {
    if factor == 8 {
      down8.render(upsampled, to: low, frameCount: 4 * frameCount)
      Self.delay(low, by: &held4, count: 4 * frameCount)
    }
    down4.render(low, to: upsampled, frameCount: 2 * frameCount)
    Self.delay(upsampled, by: &held2, count: 2 * frameCount)
    down2.render(upsampled, to: frames, frameCount: frameCount)
  }

  /// Shifts a run by one frame.
  @_noLocks
  private static func delay(
    _ frames: UnsafeMutablePointer<SIMD2<Float>>, by previous: inout SIMD2<Float>, count: Int
  ) {
    for frame in 0 ..< count { swap(&frames[frame], &previous) }
  }
}
