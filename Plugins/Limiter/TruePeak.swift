// TruePeak.swift: the highest point of the waveform between samples. SPDX-License-Identifier: MIT
//
// Three points between each two frames, from a sinc of 32 frames under a Kaiser window (flat to 0.44 of the sample
// rate), and between these points a parabola: four points alone read up to 0.17 dB too little at a quarter of the rate.

import ModuleABI
import ModuleKit

/// A frame in the delay: left, right, and its ceiling.
typealias Waiting = SIMD4<Float>

/// Measures intervals between the frames that wait in the delay.
struct TruePeak {
  static let tapCount = 32
  /// Frames from the newest one back to the one that is measured.
  static let lag: UInt32 = 16
  /// The waveform cannot rise further above its frames: the largest sum of the taps' magnitudes is 2.7.
  private static let maximumRise: Float = 3
  /// 0.4 dB is added to the measurement: a changing gain bends the waveform, and the sinc falls above 21 kHz.
  private static let margin: Float = 1.047_1

  // The weights of the last 32 frames for the four points.
  private let taps: UnsafeMutablePointer<SIMD4<Float>>
  private var last = SIMD2<Float>.zero  // the point before the measured frame, of both channels
  private var before: Float = 0  // the highest magnitude of the interval before
  private var loudFrames: UInt32 = 0  // until no frame can reach the ceiling

  init() {
    taps = .allocate(capacity: Self.tapCount)
    for tap in 0 ..< Self.tapCount {
      for point in 0 ..< 4 {
        let distance = Double(tap - Self.tapCount / 2 + 1) - 0.25 * Double(point)
        let window = Kaiser.window(distance / 16, beta: 6)
        taps[tap][point] = Float(Self.sinc(distance) * window)
      }
    }
    var sum = SIMD4<Float>.zero
    for tap in 0 ..< Self.tapCount { sum += taps[tap] }
    for tap in 0 ..< Self.tapCount { taps[tap] /= sum }
  }

  func free() { taps.deallocate() }

  @_noLocks
  mutating func clear() {
    last = .zero
    before = 0
    loudFrames = UInt32(Self.tapCount)
  }

  /// Returns the highest magnitude from one frame before the measured one to one frame after it. [render]
  ///
  /// - Parameters:
  ///   - delay: contains the last 32 frames.
  ///   - mask: the mask of positions in it.
  ///   - frame: the newest one.
  ///   - peak: its magnitude.
  /// - Returns: linear, 0.4 dB more than measured; the frame's own magnitude if no frame can reach the
  ///   ceiling.
  @_noLocks @inline(__always)
  mutating func next(
    _ delay: UnsafeMutablePointer<Waiting>, mask: UInt32, newest frame: UInt32, peak: Float
  ) -> Float {
    let measured = delay[Int((frame &- Self.lag) & mask)]
    if peak * Self.maximumRise > delay[Int(frame & mask)].z {
      loudFrames = UInt32(Self.tapCount)
    } else if loudFrames > 0 {
      loudFrames -= 1
    }
    let loudest = max(abs(measured.x), abs(measured.y))
    guard loudFrames > 0 else {
      last = .zero
      before = loudest
      return loudest
    }
    let interval = interval(delay, mask, frame)
    let highest = max(max(before, interval), loudest)
    before = interval
    return highest * Self.margin
  }

  /// Returns the highest magnitude of the interval that begins with the measured frame.
  @_noLocks
  private mutating func interval(
    _ delay: UnsafeMutablePointer<Waiting>, _ mask: UInt32, _ frame: UInt32
  ) -> Float {
    var (left, right) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    let first = frame &- UInt32(Self.tapCount - 1)
    for tap in 0 ..< Self.tapCount {
      let waiting = delay[Int((first &+ UInt32(tap)) & mask)]
      left += taps[tap] * waiting.x
      right += taps[tap] * waiting.y
    }
    let next = delay[Int((frame &- Self.lag &+ 1) & mask)]
    let highest = max(
      Self.highest(last.x, left, next.x), Self.highest(last.y, right, next.y))
    last = SIMD2(left.w, right.w)
    return highest
  }

  /// The highest magnitude of a waveform through six points, near the four in the middle.
  @_noLocks @inline(__always)
  private static func highest(_ before: Float, _ points: SIMD4<Float>, _ after: Float) -> Float {
    let earlier = SIMD4(before, points.x, points.y, points.z)
    let later = SIMD4(points.y, points.z, points.w, after)
    let size = UnalignedSIMD.magnitude(points)
    let bend = UnalignedSIMD.magnitude(earlier - 2 * points + later) + 1e-30
    let slope = earlier - later
    // The vertex of the parabola, if the middle one of three points is the highest.
    let vertex = size + slope * slope / (8 * bend)
    let isTop =
      (size .>= UnalignedSIMD.magnitude(earlier)) .& (size .>= UnalignedSIMD.magnitude(later))
    return size.replacing(with: vertex, where: isTop).max()
  }

  private static func sinc(_ x: Double) -> Double {
    abs(x) < 1e-9 ? 1 : realtime_sin(Double.pi * x) / (Double.pi * x)
  }
}
