// Kernel.swift: the weights that read a sound between its frames. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// A frame of two channels as sums of every fourth tap: adding them up is left for the end of all voices.
struct Partials {
  var left = SIMD4<Float>.zero
  var right = SIMD4<Float>.zero

  /// The frame itself.
  @_noLocks
  @inline(__always)
  func sum() -> SIMD2<Float> { SIMD2(UnalignedSIMD.sum(left), UnalignedSIMD.sum(right)) }
}

/// Windowed sines of x, for every fraction of a frame, and for the speeds from 1 to 2.
///
/// Played faster than it was recorded, a sound needs a lower cutoff, or what lies above it comes back mirrored.
/// There is a table for each eighth of an octave; what is faster than 2 is read from a decimated copy.
struct Kernel {
  static let tapCount = 32
  /// Taps before the frame that a position lies behind.
  static let tapsBefore = 15
  private static let stopbandDecibels = 80.0
  private static let phaseCount = 256
  /// The bits of a place behind the point: 8 for the row, 16 for what lies between two rows.
  static let fractionBits = 24
  private static let restBits = 16
  private static let rowCount = phaseCount + 1  // the last is the first of the next frame
  /// Tables for an octave.
  private static let octaveSteps = 8
  /// Half the way from the passband to the stopband, in turns for each frame, as Kaiser's formula has it.
  private static let halfTransition =
    (stopbandDecibels - 7.95) / (14.36 * Double(tapCount - 1)) / 2
  private let weights: UnsafeMutablePointer<Float>
  /// Room for the taps of two channels, where they do not stand in a row.
  let taps: UnsafeMutablePointer<Float>

  /// Takes memory and fills it. [main]
  init() {
    let tableSize = Self.rowCount * Self.tapCount
    weights = .allocate(capacity: (Self.octaveSteps + 1) * tableSize)
    taps = .allocate(capacity: 2 * Self.tapCount)
    let window = UnsafeMutablePointer<Double>.allocate(capacity: tableSize)
    defer { window.deallocate() }
    for index in 0 ..< tableSize {
      let place = Self.distance(index) / Double(Self.tapCount / 2)
      window[index] = Kaiser.window(place, beta: 0.1102 * (Self.stopbandDecibels - 8.7))
    }
    for table in 0 ... Self.octaveSteps {
      Self.fill(
        weights + table * tableSize, window,
        cutoff: Self.cutoff(speed: realtime_pow(2, Double(table) / Double(Self.octaveSteps))))
    }
  }

  /// Gives it back. [main]
  func free() {
    weights.deallocate()
    taps.deallocate()
  }

  /// From a position to the frame of a tap.
  private static func distance(_ index: Int) -> Double {
    Double(index % tapCount - tapsBefore) - Double(index / tapCount) / Double(phaseCount)
  }

  /// Where half is left, in turns for each frame: what is mirrored falls into the transition, at the top.
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
        // Whole frames are to be the frames themselves, to the last bit.
        if distance == 0 { return 2 * cutoff }
        if cutoff == 0.5, distance == distance.rounded() { return 0 }
        return realtime_sin(2 * .pi * cutoff * distance) / (.pi * distance) * window[index]
      }
      var sum = 0.0
      for tap in 0 ..< tapCount { sum += weight(tap) }
      for tap in 0 ..< tapCount { table[row * tapCount + tap] = Float(weight(tap) / sum) }
    }
  }

  /// The table for a speed.
  ///
  /// - Parameter octaves: of the speed above that of the recording; above 1 counts as 1.
  /// - Returns: its first row.
  @_noLocks
  func table(octaves: Double) -> UnsafePointer<Float> {
    let steps = Double(Self.octaveSteps)
    // From one table to the next, but not by the rounding of a whole number.
    let index = Int(min(max(octaves, 0), 1) * steps + 0.999_999)
    return UnsafePointer(weights + index * Self.rowCount * Self.tapCount)
  }

  /// Adds what a table makes of 32 frames.
  ///
  /// - Parameters:
  ///   - table: from `table(octaves:)`.
  ///   - place: in frames, with `fractionBits`; the whole frame has `tapsBefore` of the 32 before it.
  ///   - left: the frames.
  ///   - right: the same memory for a sound of one channel.
  ///   - gains: of both sides.
  ///   - sum: where to add.
  @_noLocks
  @inline(__always)
  static func add(
    _ table: UnsafePointer<Float>, _ place: Int, _ left: UnsafePointer<Float>,
    _ right: UnsafePointer<Float>, _ gains: SIMD2<Float>, to sum: UnsafeMutablePointer<Partials>
  ) {
    let row = (place >> restBits) & (phaseCount - 1)
    let rest = Float(Int32(truncatingIfNeeded: place & (1 << restBits - 1))) * 0x1p-16
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
