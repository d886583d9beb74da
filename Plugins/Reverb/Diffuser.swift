// Diffuser.swift: one click becomes a short wash. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Four all-passes in series (Schroeder 1962), in the lengths and gains that Dattorro uses for
/// his input diffusion (Effect Design, JAES 1997), stretched to primes of the sample rate.
struct Diffuser {
  private var first: DelayLine
  private var second: DelayLine
  private var third: DelayLine
  private var fourth: DelayLine
  private let ages: SIMD4<Int32>  // frames

  /// - Parameters:
  ///   - stretch: of the lengths, about 1; differs between the channels.
  ///   - sampleRateHz: above 0.
  init(stretch: Double, sampleRateHz: Double) {
    func length(_ milliseconds: Double) -> Int {
      // Four frames are made at once.
      max(5, primeFrom(Int(milliseconds * 0.001 * stretch * sampleRateHz)))
    }
    let lengths = (length(4.771), length(3.595), length(12.735), length(9.307))
    ages = SIMD4(Int32(lengths.0), Int32(lengths.1), Int32(lengths.2), Int32(lengths.3))
    first = DelayLine(maximumAge: lengths.0)
    second = DelayLine(maximumAge: lengths.1)
    third = DelayLine(maximumAge: lengths.2)
    fourth = DelayLine(maximumAge: lengths.3)
  }

  func free() {
    first.free()
    second.free()
    third.free()
    fourth.free()
  }

  @_noLocks
  func clear() {
    first.clear()
    second.clear()
    third.clear()
    fourth.clear()
  }

  /// The next 1 to 4 frames.
  @_noLocks
  @inline(__always)
  mutating func next(_ samples: SIMD4<Float>, count: Int) -> SIMD4<Float> {
    var x = samples
    x = Self.allPass(&first, Int(ages.x), 0.75, x, count)
    x = Self.allPass(&second, Int(ages.y), 0.75, x, count)
    x = Self.allPass(&third, Int(ages.z), 0.625, x, count)
    return Self.allPass(&fourth, Int(ages.w), 0.625, x, count)
  }

  @_noLocks
  @inline(__always)
  private static func allPass(
    _ line: inout DelayLine, _ length: Int, _ gain: Float, _ samples: SIMD4<Float>, _ count: Int
  ) -> SIMD4<Float> {
    let delayed = line.four(age: length)
    let entering = samples - gain * delayed
    line.put(entering)
    line.advance(count)
    return delayed + gain * entering
  }
}
