// Crossover.swift: splits stereo audio into four bands with a flat sum. SPDX-License-Identifier: MIT
//
// Linkwitz-Riley crossovers of the fourth order (S. Linkwitz, "Active Crossover Networks for Noncoincident
// Drivers", JAES 24 (1), 1976): each side is a Butterworth filter applied twice, so that both are in phase at
// every frequency and their sum is an all-pass. The signal is split in the middle, then each half again. Each
// half also passes through the all-pass of the other half's split. So the sum of all four bands is three
// all-passes in series, whose response is flat.
//
// The filters are trapezoidal state-variable filters (V. Zavalishin, The Art of VA Filter Design, 2012),
// which may be modulated at any speed. Lanes are low left, low right, high left, high right, so that both
// halves take one step.

import ModuleABI
import ModuleKit

typealias Lanes = SIMD4<Float>

/// Coefficients of four Butterworth filters.
private struct Corner {
  private let g: Lanes  // tangents of half the cutoffs
  private let a1: Lanes
  private let a2: Lanes
  static let k: Float = 1.414_213_6

  @_noLocks
  init(_ tangents: Lanes) {
    g = tangents
    a1 = 1 / (1 + g * (g + Self.k))
    a2 = g * a1
  }

  /// Returns the low, band and high outputs of a step.
  @_noLocks @inline(__always)
  func step(_ x: Lanes, _ state: inout Integrators) -> (low: Lanes, band: Lanes, high: Lanes) {
    // In this order the integrators wait for themselves the least (A. Simper, Linear Trapezoidal Integrated SVF, 2013).
    let band = a1 * state.s1 + a2 * (x - state.s2)
    let rise = g * band
    let low = state.s2 + rise
    state.s1 = (band - state.s1) + band
    state.s2 = state.s2 + (rise + rise)
    return (low, band, x - Self.k * band - low)
  }
}

private struct Integrators {
  var s1 = Lanes.zero
  var s2 = Lanes.zero

  @_noLocks
  mutating func settle() {
    s1 = SampleGuard.flushed(s1)
    s2 = SampleGuard.flushed(s2)
  }
}

/// Four bands of one frame: a lane for each, from the lowest.
struct Bands {
  let left: Lanes
  let right: Lanes
}

/// Three crossovers, the outer ones compensated for.
struct Crossover {
  // Tangents of half the cutoffs, of the lowest, middle and highest.
  private var tangents = SIMD4<Float>(repeating: 0.1)
  private var target = SIMD4<Float>(repeating: 0.1)
  // Coefficients: of the middle split, of both outer splits, and of the outer splits crossed over.
  private var middle = Corner(Lanes(repeating: 0.1))
  private var outer = Corner(Lanes(repeating: 0.1))
  private var opposite = Corner(Lanes(repeating: 0.1))
  // Running state.
  private var entry = Integrators()
  private var halves = Integrators()
  private var allPass = Integrators()
  private var split = Integrators()
  private var lower = Integrators()
  private var upper = Integrators()
  private(set) var isMoving = false
  private let coefficient: Float  // of the remaining change per frame
  private let sampleRateHz: Double

  /// - Parameters:
  ///   - glideSeconds: the time for 63 % of a change of a crossover frequency.
  ///   - sampleRateHz: above 0.
  init(glideSeconds: Double, sampleRateHz: Double) {
    coefficient = Float(1 - realtime_exp(-1 / (glideSeconds * sampleRateHz)))
    self.sampleRateHz = sampleRateHz
  }

  @_noLocks
  mutating func clear() {
    entry = Integrators()
    halves = Integrators()
    allPass = Integrators()
    split = Integrators()
    lower = Integrators()
    upper = Integrators()
  }

  /// Sets the targets: each at least a third of an octave above the previous one.
  @_noLocks
  mutating func move(to lowestHz: Float, _ middleHz: Float, _ highestHz: Float) {
    let second = max(middleHz, lowestHz * 1.26)
    target = SIMD4(tangent(lowestHz), tangent(second), tangent(max(highestHz, second * 1.26)), 1)
    isMoving = tangents != target
  }

  /// Goes there at once.
  @_noLocks
  mutating func finish() {
    tangents = target
    isMoving = false
    update()
  }

  /// Clears state that has decayed to silence; rare calls are enough, because the input is finite.
  @_noLocks
  mutating func settle() {
    entry.settle()
    halves.settle()
    allPass.settle()
    split.settle()
    lower.settle()
    upper.settle()
  }

  @_noLocks
  private func tangent(_ frequencyHz: Float) -> Float {
    Float(realtime_tan(Double.pi * min(Double(frequencyHz) / sampleRateHz, 0.45)))
  }

  /// Moves the crossovers by one frame.
  @_noLocks @inline(never)
  mutating func glide() {
    guard isMoving else { return }
    tangents += (target - tangents) * coefficient
    let left = target - tangents
    if (left * left).max() < 1e-12 {
      tangents = target
      isMoving = false
    }
    update()
  }

  @_noLocks
  private mutating func update() {
    middle = Corner(Lanes(repeating: tangents.y))
    outer = Corner(Lanes(tangents.x, tangents.x, tangents.z, tangents.z))
    opposite = Corner(Lanes(tangents.z, tangents.z, tangents.x, tangents.x))
  }

  /// Splits one frame.
  @_noLocks @inline(__always)
  mutating func next(_ left: Float, _ right: Float) -> Bands {
    let whole = middle.step(Lanes(left, right, left, right), &entry)
    let twice = middle.step(
      Lanes(lowHalf: whole.low.lowHalf, highHalf: whole.high.highHalf), &halves)
    let parts = Lanes(lowHalf: twice.low.lowHalf, highHalf: twice.high.highHalf)
    // The low and the high output minus the band: an all-pass.
    let even = parts - opposite.step(parts, &allPass).band * (2 * Corner.k)
    let ends = outer.step(even, &split)
    let low = outer.step(ends.low, &lower).low
    let high = outer.step(ends.high, &upper).high
    return Bands(
      left: Lanes(low.x, high.x, low.z, high.z), right: Lanes(low.y, high.y, low.w, high.w))
  }
}
