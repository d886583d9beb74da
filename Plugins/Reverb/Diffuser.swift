// Diffuser.swift: diffuses impulses. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Four all-passes in series (Schroeder 1962), with the lengths and gains of Dattorro's input diffusion
/// (Effect Design, JAES 1997), scaled to primes of the sample rate.
struct Diffuser {
  private var first: DelayLine
  private var second: DelayLine
  private var third: DelayLine
  private var fourth: DelayLine
  private let ages: SIMD4<Int32>  // frames
  private var gains = Self.fullGains
  private var gainGoals = Self.fullGains
  private let sampleRateHz: Double
  private static var fullGains: SIMD4<Float> {
    @_noLocks @inline(__always)
    get { SIMD4(0.75, 0.75, 0.625, 0.625) }
  }

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
    first = DelayLine(maximumDelay: lengths.0)
    second = DelayLine(maximumDelay: lengths.1)
    third = DelayLine(maximumDelay: lengths.2)
    fourth = DelayLine(maximumDelay: lengths.3)
    self.sampleRateHz = sampleRateHz
  }

  /// Limits the gains, with ramps, so that no all-pass rings longer than the room. [render]
  ///
  /// - Parameter decaySeconds: the time for a decay by 60 dB.
  @_noLocks
  mutating func set(decaySeconds: Double) {
    for stage in 0 ..< 4 {
      let turn = Double(ages[stage]) / sampleRateHz
      let longest = Float(realtime_pow(10, -3 * turn / decaySeconds))
      gainGoals[stage] = min(Self.fullGains[stage], longest)
    }
  }

  /// Moves the gains by a step; once for each stretch of frames. [render]
  @_noLocks
  mutating func glide() {
    guard gains != gainGoals else { return }
    let difference = gainGoals - gains
    gains += difference * 0.1
    if (difference * difference).max() < 1e-8 { gains = gainGoals }
  }

  /// Ends the ramps of the gains at once. [render]
  @_noLocks
  mutating func finish() { gains = gainGoals }

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
    x = Self.allPass(&first, Int(ages.x), gains.x, x, count)
    x = Self.allPass(&second, Int(ages.y), gains.y, x, count)
    x = Self.allPass(&third, Int(ages.z), gains.z, x, count)
    return Self.allPass(&fourth, Int(ages.w), gains.w, x, count)
  }

  @_noLocks
  @inline(__always)
  private static func allPass(
    _ line: inout DelayLine, _ length: Int, _ gain: Float, _ samples: SIMD4<Float>, _ count: Int
  ) -> SIMD4<Float> {
    let delayed = line.four(delay: length)
    let entering = samples - gain * delayed
    line.put(entering)
    line.advance(count)
    return delayed + gain * entering
  }
}
