// Network.swift: the reverb's feedback delay network. SPDX-License-Identifier: MIT
//
// Sixteen delay lines feed each other through a Hadamard matrix, which preserves energy; a one-pole low-pass
// in each line then applies exactly the attenuation for the decay time (Jot and Chaigne, Digital Delay
// Networks for Designing Artificial Reverberators, AES 1991). The lengths are different primes at every size
// and sample rate, so that echoes of two lines rarely coincide.

import ModuleABI
import ModuleKit

typealias Lanes = SIMD16<Float>

/// The lines, their filters and their modulation.
struct Network {
  static let lineCount = 16
  /// The lines' lengths at full size spread evenly on a logarithmic axis between these.
  static let shortestSeconds = 0.040
  static let longestSeconds = 0.135
  /// The largest change of a line's length by modulation, in either direction.
  static let modulationMilliseconds: Float = 0.25
  // The lines' slow sines are set at each multiple of this many frames and run straight between.
  static let stretch = 32

  // Line after line, each as `MirroredRing` says.
  let samples: UnsafeMutablePointer<Float>
  let pitch: Int  // from one line to the next, frames
  let mask: Int
  var newest: Int
  let sampleRateHz: Double

  // Derived from the parameters.
  var lengths = SIMD16<Int32>.zero  // frames
  var gainGoal = Lanes.zero
  var poleGoal = Lanes.zero
  var gain = Lanes.zero
  var pole = Lanes.zero
  // Running state.
  var excess = Lanes.zero  // still to glide to the length, frames
  var isGliding = false
  var sway = Lanes.zero  // at the end of the stretch, frames
  var ages = SIMD16<Int32>.zero  // whole frames at the stretch's beginning, lengths and sway
  var fraction = Lanes.zero  // the fractional parts
  var crosses = SIMD16<Int32>.zero  // 1: a whole number within the stretch
  var modulationStep = Lanes.zero  // frames for each frame
  var modulationDepth: Float = 0  // frames
  var damped = Lanes.zero
  var frame = 0  // since the last control point
  var turns: Double = 0  // of a sine of 0.11 Hz, 0 to below 1
  let glideRemaining: Float
  let gainGlide: Float

  init(sampleRateHz: Double) {
    self.sampleRateHz = sampleRateHz
    let longest = Int(Self.longestSeconds * 1.05 * sampleRateHz) + 256
    var length = 64
    while length < longest + Int(0.002 * sampleRateHz) { length *= 2 }
    mask = length - 1
    newest = mask
    // Not a power of two, so that the lines do not compete for the same cache sets.
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
    frame = 0
    turns = 0
  }

  /// Whether the output of all lines is finite: NaN would circulate for ever.
  var isFinite: Bool { @_noLocks get { damped.sum().isFinite } }

  // MARK: - Parameters

  /// Sets lengths and decay, with ramps.
  ///
  /// - Parameters:
  ///   - size: 0 to 1.
  ///   - decaySeconds: the time for a decay of the mid frequencies by 60 dB.
  ///   - dampingHz: the frequency at which the decay takes half as long.
  @_noLocks
  mutating func set(size: Double, decaySeconds: Double, dampingHz: Double) {
    let scale = (0.2 + 0.8 * size) * sampleRateHz
    let spread = realtime_pow(Self.longestSeconds / Self.shortestSeconds, 1 / 15.0)
    let cosine = realtime_cos(2 * Double.pi * min(dampingHz, 0.48 * sampleRateHz) / sampleRateHz)
    var seconds = Self.shortestSeconds
    var previous = 0
    for line in 0 ..< Self.lineCount {
      let length = primeFrom(max(previous + 1, Int(seconds * scale)))
      let change = Int32(length) - lengths[line]
      excess[line] -= Float(change)
      ages[line] += change
      lengths[line] += change
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
    isGliding = true
  }

  /// Returns the level of one line's output in a steady state, for noise of level 1 into every line.
  ///
  /// It is at least 0.5: in a room that decays within a few echoes, the echoes may be faint.
  @_noLocks
  static func buildUp(size: Double, decaySeconds: Double) -> Double {
    let meanSeconds = 0.078 * (0.2 + 0.8 * size)
    let loss = realtime_pow(10, -6 * meanSeconds / decaySeconds)
    return max(0.5, realtime_sqrt(loss / (1 - loss)))
  }

  /// The modulation depth of the lines, 0 to 1.
  @_noLocks
  mutating func set(modulation: Float) {
    modulationDepth = modulation * Self.modulationMilliseconds * 0.001 * Float(sampleRateHz)
  }

  /// Ends all ramps at once.
  @_noLocks
  mutating func finish() {
    excess = .zero
    gain = gainGoal
    pole = poleGoal
    isGliding = false
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
