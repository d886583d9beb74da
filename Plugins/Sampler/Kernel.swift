// Kernel.swift: the weights of resampling. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// A frame of two channels as sums of every fourth tap; these are added up after all voices.
struct Partials {
  var left = SIMD4<Float>.zero
  var right = SIMD4<Float>.zero

  /// The frame itself.
  @_noLocks
  @inline(__always)
  func sum() -> SIMD2<Float> { SIMD2(UnalignedSIMD.sum(left), UnalignedSIMD.sum(right)) }
}

/// Windowed sincs for every fraction of a frame, and for the speeds from 1 to 2.
///
/// Faster playback needs a lower cutoff to avoid aliasing. There is a table for each eighth of an octave;
/// above speed 2 a decimated copy is read.
struct Kernel {
  static let tapCount = 32
  /// The number of taps before the frame of a position.
  static let tapsBefore = 15
  private static let stopbandDecibels = 80.0
  private static let phaseCount = 256
  /// The fraction bits of a position: 8 for the row of the table, 16 for interpolation between two rows.
  static let fractionBits = 24
  private static let restBits = 16
  private static let rowCount = phaseCount + 1  // the last is the first of the next frame
  /// Tables for an octave.
  private static let octaveSteps = 8
  /// Half the transition band, in turns per frame, by Kaiser's formula.
  private static let halfTransition =
    (stopbandDecibels - 7.95) / (14.36 * Double(tapCount - 1)) / 2
  private let weights: UnsafeMutablePointer<Float>
  /// Memory for the taps of two channels, if they are not contiguous.
  let taps: UnsafeMutablePointer<Float>

  /// Takes memory and fills it. [main]
  init() {
    let tableSize = Self.rowCount * Self.tapCount
    weights = .allocate(capacity: (Self.octaveSteps + 1) * tableSize)
    taps = .allocate(capacity: 2 * Self.tapCount)
    let window = UnsafeMutablePointer<Double>.allocate(capacity: tableSize)
    defer { window.deallocate() }
    for index in 0 ..< tableSize {
      let position = Self.distance(index) / Double(Self.tapCount / 2)
      window[index] = Kaiser.window(position, beta: 0.1102 * (Self.stopbandDecibels - 8.7))
    }
    for table in 0 ... Self.octaveSteps {
      Self.fill(
        weights + table * tableSize, window,
        cutoff: Self.cutoff(speed: realtime_pow(2, Double(table) / Double(Self.octaveSteps))))
    }
  }

  /// Frees the memory. [main]
  func free() {
    weights.deallocate()
    taps.deallocate()
  }

  /// From a position to the frame of a tap.
  private static func distance(_ index: Int) -> Double {
    Double(index % tapCount - tapsBefore) - Double(index / tapCount) / Double(phaseCount)
  }

  /// Returns the -6 dB frequency, in turns per frame: aliases fall into the transition band, at the top.
  private static func cutoff(speed: Double) -> Double {
    0.5 / speed - halfTransition * (1 - 1 / speed)
  }

  /// Rows that add up to 1.
  private static func fill(
    _ table: UnsafeMutablePointer<Float>, _ window: UnsafePointer<Double>, cutoff: Double
  ) {
    for row in 0 ..< rowCount {
      @inline(__always)
      func weight(_ tap: Int) -> Double {
        let index = row * tapCount + tap
        let distance = distance(index)
        // Integer positions give exactly the frames.
        if distance == 0 { return 2 * cutoff }
        if cutoff == 0.5, distance == distance.rounded() { return 0 }
        return realtime_sin(2 * .pi * cutoff * distance) / (.pi * distance) * window[index]
      }
      var sum = 0.0
      for tap in 0 ..< tapCount { sum += weight(tap) }
      for tap in 0 ..< tapCount { table[row * tapCount + tap] = Float(weight(tap) / sum) }
    }
  }

  /// Returns the table for a speed.
  ///
  /// - Parameter octaves: the speed relative to that of the recording; above 1 counts as 1.
  /// - Returns: its first row.
  @_noLocks
  func table(octaves: Double) -> UnsafePointer<Float> {
    let steps = Double(Self.octaveSteps)
    // From one table to the next, but not by the rounding of a whole number.
    let index = Int(min(max(octaves, 0), 1) * steps + 0.999_999)
    return UnsafePointer(weights + index * Self.rowCount * Self.tapCount)
  }

  /// Adds the weighted sum of 32 frames.
  ///
  /// - Parameters:
  ///   - table: from `table(octaves:)`.
  ///   - position: the position in frames, with `fractionBits`; `tapsBefore` of the 32 are before its integer
  ///     part.
  ///   - left: the frames.
  ///   - right: the same memory for a mono recording.
  ///   - gains: the gains of both sides.
  ///   - sum: the sum to add to.
  @_noLocks
  @inline(__always)
  static func add(
    _ table: UnsafePointer<Float>, _ position: Int, _ left: UnsafePointer<Float>,
    _ right: UnsafePointer<Float>, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let row = (position >> restBits) & (phaseCount - 1)
    let rest = Float(Int32(truncatingIfNeeded: position & (1 << restBits - 1))) * 0x1p-16
    let weights = table + row &* tapCount
    @_noLocks
    @inline(__always)
    func weight(_ first: Int) -> SIMD4<Float> {
      let here = UnalignedSIMD.load(weights + first)
      return here + (UnalignedSIMD.load(weights + first + tapCount) - here) * rest
    }
    let (w0, w1, w2, w3) = (weight(0), weight(4), weight(8), weight(12))
    let (w4, w5, w6, w7) = (weight(16), weight(20), weight(24), weight(28))
    @_noLocks
    @inline(__always)
    func weighted(_ frames: UnsafePointer<Float>) -> SIMD4<Float> {
      let low = w0 * UnalignedSIMD.load(frames) + w1 * UnalignedSIMD.load(frames + 4)
      let middle = w2 * UnalignedSIMD.load(frames + 8) + w3 * UnalignedSIMD.load(frames + 12)
      let upper = w4 * UnalignedSIMD.load(frames + 16) + w5 * UnalignedSIMD.load(frames + 20)
      let high = w6 * UnalignedSIMD.load(frames + 24) + w7 * UnalignedSIMD.load(frames + 28)
      return (low + middle) + (upper + high)
    }
    let lefts = weighted(left)
    sum.pointee.left += lefts * gains.x
    if left == right {
      sum.pointee.right += lefts * gains.y
    } else {
      sum.pointee.right += weighted(right) * gains.y
    }
  }
}
