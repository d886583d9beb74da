// TruePeak.swift: the highest point of the waveform between the samples. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The peak of two channels with four times oversampling, as BS.1770-4 annex 2 requires; twice from 96 kHz
/// on, none from 192 kHz on.
///
/// A sinc of 16 frames with a Kaiser window gives three points between two frames. If the frames are so much
/// lower than the highest peak that no point between them can reach it, nothing is computed.
struct TruePeak {
  /// The highest magnitude so far, linear.
  private(set) var highest: Float = 0
  // The weights of the last 16 frames for the four points.
  private let taps: UnsafeMutablePointer<SIMD4<Float>>
  // The past and a run of each channel.
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  private let isNeeded: Bool
  private var pastPeak: Float = 0

  private static let tapCount = 16
  /// Frames of a run.
  static let runFrames = 64
  /// More than any waveform through the taps can rise above its frames: the largest sum of their magnitudes.
  private static let maximumRise: Float = 2.5

  init(sampleRateHz: Double) {
    taps = .allocate(capacity: Self.tapCount)
    left = .allocate(capacity: Self.tapCount + Self.runFrames)
    right = .allocate(capacity: Self.tapCount + Self.runFrames)
    isNeeded = sampleRateHz < 192_000
    // At the higher rates every other point suffices.
    let step = sampleRateHz < 96_000 ? 0.25 : 0.5
    for tap in 0 ..< Self.tapCount {
      for point in 0 ..< 4 {
        // The newest frame is the last tap; points follow the middle frame.
        let distance = Double(tap - Self.tapCount / 2 + 1) - step * Double(point)
        taps[tap][point] = Float(Self.sinc(distance) * Kaiser.window(distance / 8, beta: 5))
      }
    }
    var sum = SIMD4<Float>.zero
    for tap in 0 ..< Self.tapCount { sum += taps[tap] }
    for tap in 0 ..< Self.tapCount { taps[tap] /= sum }
    clear()
  }

  func free() {
    taps.deallocate()
    left.deallocate()
    right.deallocate()
  }

  @_noLocks
  mutating func clear() {
    highest = 0
    pastPeak = 0
    left.update(repeating: 0, count: Self.tapCount + Self.runFrames)
    right.update(repeating: 0, count: Self.tapCount + Self.runFrames)
  }

  /// Sets a frame of the next run, 0 to 63.
  @_noLocks
  @inline(__always)
  func put(_ frame: SIMD2<Float>, at position: Int) {
    left[Self.tapCount + position] = frame.x
    right[Self.tapCount + position] = frame.y
  }

  /// Measures a run of frames whose peak is known; while paused it is only stored.
  @_noLocks
  mutating func take(_ frameCount: Int, peak: Float, isPaused: Bool) {
    if !isPaused { highest = max(highest, peak) }
    if isNeeded, !isPaused, max(peak, pastPeak) * Self.maximumRise > highest {
      var peaks = SIMD4<Float>(repeating: highest)
      for frame in 1 ... frameCount {
        peaks = pointwiseMax(peaks, magnitude(points(left + frame)))
        peaks = pointwiseMax(peaks, magnitude(points(right + frame)))
      }
      highest = max(max(peaks.x, peaks.y), max(peaks.z, peaks.w))
    }
    // A past of 16 frames may consist of several short runs.
    pastPeak = 0
    for frame in 0 ..< Self.tapCount {
      left[frame] = left[frame + frameCount]
      right[frame] = right[frame + frameCount]
      pastPeak = max(pastPeak, max(abs(left[frame]), abs(right[frame])))
    }
  }

  @_noLocks
  @inline(__always)
  private func points(_ frames: UnsafePointer<Float>) -> SIMD4<Float> {
    var (even, odd) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for tap in stride(from: 0, to: Self.tapCount, by: 2) {
      even += taps[tap] * frames[tap]
      odd += taps[tap + 1] * frames[tap + 1]
    }
    return even + odd
  }

  @_noLocks
  @inline(__always)
  private func magnitude(_ vector: SIMD4<Float>) -> SIMD4<Float> {
    pointwiseMax(vector, -vector)
  }

  private static func sinc(_ x: Double) -> Double {
    abs(x) < 1e-9 ? 1 : realtime_sin(Double.pi * x) / (Double.pi * x)
  }
}
