// Network.swift: the reverb's feedback delay network. SPDX-License-Identifier: MIT
//
// Sixteen delay lines feed each other through a Hadamard matrix, which keeps energy as it is; a
// one-pole low-pass in each line then takes exactly what the decay time asks for (Jot and Chaigne,
// Digital Delay Networks for Designing Artificial Reverberators, AES 1991). The lengths are
// different primes at every size and sample rate, so that echoes of two lines rarely coincide.

import ModuleABI
import ModuleKit

typealias Lanes = SIMD16<Float>

/// The lines, their filters and what moves them.
struct Network {
  static let lineCount = 16
  /// The lines' lengths at full size spread evenly on a logarithmic axis between these.
  static let shortestSeconds = 0.040
  static let longestSeconds = 0.135
  /// At most this far from its length does modulation carry a line, either way.
  static let swayMilliseconds: Float = 0.25
  // The lines' slow sines are set at each multiple of this many frames and run straight between.
  private static let stretch = 32

  private let samples: UnsafeMutablePointer<Float>  // line after line
  private let pitch: Int  // from one line to the next, frames
  private let mask: Int
  private var newest: Int
  private let sampleRateHz: Double

  // Derived from the parameters.
  private var lengths = SIMD16<Int32>.zero  // frames
  private var gainGoal = Lanes.zero
  private var poleGoal = Lanes.zero
  private var gain = Lanes.zero
  private var pole = Lanes.zero
  // Running state.
  private var excess = Lanes.zero  // still to glide to the length, frames
  private var sway = Lanes.zero  // frames
  private var swayStep = Lanes.zero  // frames for each frame
  private var swayDepth: Float = 0  // frames
  private var damped = Lanes.zero
  private var frame = 0  // since the last control point
  private var turns: Double = 0  // of a sine of 0.11 Hz, 0 to below 1
  private let glideRemaining: Float
  private let gainGlide: Float

  init(sampleRateHz: Double) {
    self.sampleRateHz = sampleRateHz
    let longest = Int(Self.longestSeconds * 1.05 * sampleRateHz) + 256
    var length = 64
    while length < longest + Int(0.002 * sampleRateHz) { length *= 2 }
    mask = length - 1
    newest = mask
    // Not a power of two, so that the lines do not compete for the same places in the cache.
    pitch = length + 48
    samples = .allocate(capacity: pitch * Self.lineCount)
    glideRemaining = Float(realtime_exp(-1 / (0.15 * sampleRateHz)))
    gainGlide = Float(1 - realtime_exp(-1 / (0.05 * sampleRateHz)))
    clear()
  }

  func free() { samples.deallocate() }

  @_noLocks
  mutating func clear() {
    samples.update(repeating: 0, count: pitch * Self.lineCount)
    damped = .zero
    excess = .zero
    sway = .zero
    swayStep = .zero
    frame = 0
    turns = 0
  }

  /// Whether all that leaves the lines is numbers: what is not would stay for ever.
  var isFinite: Bool { @_noLocks get { damped.sum().isFinite } }

  // MARK: - Parameters

  /// Sets lengths and decay; they are glided to.
  ///
  /// - Parameters:
  ///   - size: 0 to 1.
  ///   - decaySeconds: until the middle frequencies have fallen by 60 dB.
  ///   - dampingHz: where the decay takes half as long.
  @_noLocks
  mutating func set(size: Double, decaySeconds: Double, dampingHz: Double) {
    let scale = (0.2 + 0.8 * size) * sampleRateHz
    let spread = realtime_pow(Self.longestSeconds / Self.shortestSeconds, 1 / 15.0)
    let cosine = realtime_cos(2 * Double.pi * min(dampingHz, 0.48 * sampleRateHz) / sampleRateHz)
    var seconds = Self.shortestSeconds
    var previous = 0
    for line in 0 ..< Self.lineCount {
      let length = primeFrom(max(previous + 1, Int(seconds * scale)))
      excess[line] += Float(Int(lengths[line]) - length)
      lengths[line] = Int32(length)
      // The mids' loss of one pass, and the pole that loses as much again at `dampingHz`.
      let decibels = -60 * Double(length) / sampleRateHz / decaySeconds
      let loss = realtime_pow(10, decibels / 10)
      let a = (1 - loss * cosine) / (1 - loss)
      let p = a - realtime_sqrt(max(0, a * a - 1))
      poleGoal[line] = Float(p)
      gainGoal[line] = Float(realtime_pow(10, decibels / 20) * (1 - p))
      previous = length
      seconds *= spread
    }
  }

  /// The level of one line's output in a steady state, for noise of level 1 entering every line.
  ///
  /// Held above 0.5: in a room that decays within a few echoes the echoes may be faint.
  @_noLocks
  static func buildUp(size: Double, decaySeconds: Double) -> Double {
    let meanSeconds = 0.078 * (0.2 + 0.8 * size)
    let loss = realtime_pow(10, -6 * meanSeconds / decaySeconds)
    return max(0.5, realtime_sqrt(loss / (1 - loss)))
  }

  /// How far the lines sway, 0 to 1.
  @_noLocks
  mutating func set(modulation: Float) {
    swayDepth = modulation * Self.swayMilliseconds * 0.001 * Float(sampleRateHz)
  }

  /// Arrives at once where the glides were going.
  @_noLocks
  mutating func finish() {
    excess = .zero
    gain = gainGoal
    pole = poleGoal
  }

  // MARK: - One frame

  /// Takes what enters each line and returns what leaves it, damped.
  @_noLocks
  @inline(__always)
  mutating func next(_ entering: Lanes) -> Lanes {
    if frame == 0 { startStretch() }
    frame = frame + 1 == Self.stretch ? 0 : frame + 1
    sway += swayStep
    excess *= glideRemaining
    gain += (gainGoal - gain) * gainGlide
    pole += (poleGoal - pole) * gainGlide

    damped = read() * gain + damped * pole
    write(Self.mixed(damped) + entering)
    return damped
  }

  /// The Hadamard matrix, scaled to keep energy: four rounds of sums and differences of pairs.
  @_noLocks
  @inline(__always)
  static func mixed(_ lanes: Lanes) -> Lanes {
    var x = lanes
    for _ in 0 ..< 4 {
      let (even, odd) = (x.evenHalf, x.oddHalf)
      x = Lanes(lowHalf: even + odd, highHalf: even - odd)
    }
    return x * 0.25
  }

  @_noLocks
  @inline(__always)
  private func read() -> Lanes {
    // All lanes split into whole frames and fractions at once, as in `WholeAndFraction`.
    let offset = excess + sway
    let magic: Float = 12_582_912
    let rounded = (offset - 0.5) + magic
    let fractions = offset - (rounded - magic)
    let whole = unsafeBitCast(rounded, to: SIMD16<Int32>.self) &- Int32(magic.bitPattern)
    let starts =
      (Int32(truncatingIfNeeded: newest) &- 1 &- lengths &- whole)
      & Int32(truncatingIfNeeded: mask)
    return Lanes(
      lowHalf: .init(lowHalf: four(0, starts, fractions), highHalf: four(4, starts, fractions)),
      highHalf: .init(lowHalf: four(8, starts, fractions), highHalf: four(12, starts, fractions)))
  }

  /// Four neighbouring lines' signals, from products that are added up in pairs.
  @_noLocks
  @inline(__always)
  private func four(_ line: Int, _ starts: SIMD16<Int32>, _ fractions: Lanes) -> SIMD4<Float> {
    let first = Self.pairs(
      weighted(line, starts, fractions), weighted(line + 1, starts, fractions))
    let second = Self.pairs(
      weighted(line + 2, starts, fractions), weighted(line + 3, starts, fractions))
    return Self.pairs(first, second)
  }

  @_noLocks
  @inline(__always)
  private func weighted(
    _ line: Int, _ starts: SIMD16<Int32>, _ fractions: Lanes
  ) -> SIMD4<Float> {
    UnsafeRawPointer(samples + line * pitch + Int(starts[line]))
      .loadUnaligned(as: SIMD4<Float>.self) * Cubic.weights(fractions[line])
  }

  @_noLocks
  @inline(__always)
  private static func pairs(_ low: SIMD4<Float>, _ high: SIMD4<Float>) -> SIMD4<Float> {
    let both = SIMD8(lowHalf: low, highHalf: high)
    return both.evenHalf + both.oddHalf
  }

  @_noLocks
  @inline(__always)
  private mutating func write(_ lanes: Lanes) {
    newest = (newest + 1) & mask
    for line in 0 ..< Self.lineCount { samples[line * pitch + newest] = lanes[line] }
    guard newest < 3 else { return }
    for line in 0 ..< Self.lineCount { samples[line * pitch + mask + 1 + newest] = lanes[line] }
  }

  /// Aims each line's sway at where its sine will be one stretch later, and ends spent glides.
  @_noLocks
  @inline(never)
  private mutating func startStretch() {
    // The sines have 3 to 10 times this frequency, so that all are whole when `turns` wraps.
    turns += 0.11 * Double(Self.stretch) / sampleRateHz
    if turns >= 1 { turns -= 1 }
    for line in 0 ..< Self.lineCount {
      let own = turns * Double(3 + line % 8) + Double(line) * 0.381_966
      let goal = Float(Sine.ofTurns(own - Double(Int(own)))) * swayDepth
      swayStep[line] = (goal - sway[line]) / Float(Self.stretch)
      if abs(excess[line]) < 1e-3 { excess[line] = 0 }
      if abs(gainGoal[line] - gain[line]) < 1e-4 { gain[line] = gainGoal[line] }
      if abs(poleGoal[line] - pole[line]) < 1e-4 { pole[line] = poleGoal[line] }
    }
  }
}

/// The least prime that is not below `number`.
@_noLocks
func primeFrom(_ number: Int) -> Int {
  var candidate = max(3, number | 1)
  while true {
    var divisor = 3
    while divisor * divisor <= candidate, candidate % divisor != 0 { divisor += 2 }
    if divisor * divisor > candidate { return candidate }
    candidate += 2
  }
}
