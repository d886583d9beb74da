// NoiseReducer.swift: removes steady noise and residual echo from a voice. SPDX-License-Identifier: MIT
//
// Half-overlapping frames. The noise in each bin is tracked as in T. Gerkmann and R. C. Hendriks, Unbiased
// MMSE-Based Noise Power Estimation with Low Complexity and Low Tracking Delay (IEEE TASLP 20 (4), 2012). The
// gain is the log-spectral amplitude estimator of Y. Ephraim and D. Malah (IEEE Trans. ASSP 33 (2), 1985)
// with their decision-directed signal-to-noise ratio, weighted by the probability of speech as in I. Cohen,
// Optimal Speech Enhancement under Signal Presence Uncertainty (IEEE SPL 9 (4), 2002).

import ModuleABI
import ModuleKit

/// The short-time spectrum of one channel, and its noise.
struct NoiseReducer {
  /// The probability of speech, 0 to 1, in the bins from 300 to 3400 Hz.
  private(set) var presence: Float = 0
  private let hop: Int
  private let transform: FourierTransform
  private let window: UnsafeMutablePointer<Float>
  private let history: UnsafeMutablePointer<Float>
  private let frame: UnsafeMutablePointer<Float>
  private let rest: UnsafeMutablePointer<Float>
  private let real: UnsafeMutablePointer<Float>
  private let imaginary: UnsafeMutablePointer<Float>
  private let noise: UnsafeMutablePointer<Float>  // power
  private let speechProbability: UnsafeMutablePointer<Float>  // speech, smoothed
  private let clean: UnsafeMutablePointer<Float>  // power, of the last frame
  private let gains: UnsafeMutablePointer<Float>
  // exp(E1(v) / 2) from 2^-12 to 2^4, 32 an octave.
  private let curve: UnsafeMutablePointer<Float>
  private let lowBin: Int
  private let highBin: Int
  private var frameCount = 0

  private static let learnedFrames = 6
  /// The assumed ratio of speech to noise in the noise estimation, 12 dB.
  private static let expected: Float = 16
  /// The prior ratio of the probabilities of no speech and speech in a bin.
  private static let absencePrior: Float = 5
  private static let minimumRatio: Float = 0.003_16  // -25 dB
  private static let minimumNoise: Float = 1e-9
  /// The weight of the last frame in the signal-to-noise ratio: more causes less musical noise, and slower
  /// attacks.
  private static let speechSmoothing: Float = 0.92

  init(hop: Int, sampleRateHz: Double) {
    self.hop = hop
    transform = FourierTransform(size: 2 * hop)
    window = .allocate(capacity: 2 * hop)
    for position in 0 ..< 2 * hop {
      window[position] = Float(realtime_sin(Double.pi * (Double(position) + 0.5) / Double(2 * hop)))
    }
    history = .allocate(capacity: hop)
    frame = .allocate(capacity: 2 * hop)
    rest = .allocate(capacity: hop)
    real = .allocate(capacity: hop)
    imaginary = .allocate(capacity: hop)
    noise = .allocate(capacity: hop)
    speechProbability = .allocate(capacity: hop)
    clean = .allocate(capacity: hop)
    gains = .allocate(capacity: hop)
    curve = .allocate(capacity: 512)
    for index in 0 ..< 512 {
      let octave = Double(index / 32 - 12)
      let v = realtime_pow(2, octave) * (1 + (Double(index % 32) + 0.5) / 32)
      curve[index] = Float(realtime_exp(0.5 * Self.exponentialIntegral(v)))
    }
    lowBin = max(1, Int(300 / sampleRateHz * Double(2 * hop)))
    highBin = min(hop - 1, Int(3_400 / sampleRateHz * Double(2 * hop)))
    clear()
  }

  func free() {
    transform.free()
    window.deallocate()
    history.deallocate()
    frame.deallocate()
    rest.deallocate()
    real.deallocate()
    imaginary.deallocate()
    noise.deallocate()
    speechProbability.deallocate()
    clean.deallocate()
    gains.deallocate()
    curve.deallocate()
  }

  @_noLocks
  mutating func clear() {
    history.update(repeating: 0, count: hop)
    rest.update(repeating: 0, count: hop)
    noise.update(repeating: 0, count: hop)
    speechProbability.update(repeating: 0, count: hop)
    clean.update(repeating: 0, count: hop)
    frameCount = 0
    presence = 0
  }

  /// Returns the exponential integral E1: from its series below 1.5, otherwise from its continued fraction.
  private static func exponentialIntegral(_ x: Double) -> Double {
    if x < 1.5 {
      var (term, sum) = (1.0, -0.577_215_664_901_532_9 - 2.302_585_092_994_046 * realtime_log10(x))
      for n in 1 ... 30 {
        term *= -x / Double(n)
        sum -= term / Double(n)
      }
      return sum
    }
    var fraction = 0.0
    for n in stride(from: 40, through: 1, by: -1) {
      fraction = Double(n) / (1 + Double(n) / (x + fraction))
    }
    return realtime_exp(-x) / (x + fraction)
  }

  /// Takes a block, and replaces it by the previous one with reduced noise.
  ///
  /// - Parameters:
  ///   - block: `hop` frames.
  ///   - echo: the power of the residual echo, for each bin.
  ///   - reduction: dB, 0 or more; at 0 the block passes unchanged.
  @_noLocks
  mutating func reduce(
    _ block: UnsafeMutablePointer<Float>, echo: UnsafePointer<Float>, reduction: Float
  ) {
    for position in 0 ..< hop {
      frame[position] = history[position] * window[position]
      frame[hop + position] = block[position] * window[hop + position]
      history[position] = block[position]
    }
    transform.forward(frame, real, imaginary)
    findNoise()
    findGains(echo, floorDecibels: -reduction)
    // The first and the last bin share a position; they use the gain of a neighbour.
    gains[0] = gains[1]
    let scale = 1 / Float(2 * hop)
    for bin in 0 ..< hop {
      real[bin] *= gains[bin] * scale
      imaginary[bin] *= gains[bin] * scale
    }
    transform.inverse(real, imaginary, frame)
    for position in 0 ..< hop {
      block[position] = rest[position] + frame[position] * window[position]
      rest[position] = frame[hop + position] * window[hop + position]
    }
  }

  @_noLocks
  @inline(__always)
  private func power(_ bin: Int) -> Float {
    real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
  }

  /// Updates the noise estimate, according to the probability that the signal is noise.
  @_noLocks
  private mutating func findNoise() {
    frameCount = min(frameCount + 1, Self.learnedFrames + 1)
    guard frameCount > Self.learnedFrames else {
      let coefficient = 1 / Float(frameCount)
      for bin in 0 ..< hop { noise[bin] += (power(bin) - noise[bin]) * coefficient }
      return
    }
    let exponent = Self.expected / (1 + Self.expected) * 8.685_89
    for bin in 0 ..< hop {
      let ratio = min(power(bin) / max(noise[bin], Self.minimumNoise), 1_000)
      var speech = 1 / (1 + (1 + Self.expected) * Decibels.fastAmplitude(-ratio * exponent))
      speechProbability[bin] += (speech - speechProbability[bin]) * 0.1
      // A signal that has counted as speech for long may be louder noise.
      if speechProbability[bin] > 0.99 { speech = min(speech, 0.95) }
      let now = speech * noise[bin] + (1 - speech) * power(bin)
      noise[bin] += (now - noise[bin]) * 0.1
    }
  }

  @_noLocks
  private mutating func findGains(_ echo: UnsafePointer<Float>, floorDecibels: Float) {
    let floor = Decibels.amplitude(floorDecibels)
    var total: Float = 0
    for bin in 0 ..< hop {
      let disturbance = max(noise[bin] + 2 * echo[bin], Self.minimumNoise)
      let after = min(power(bin) / disturbance, 1_000)
      let before = max(
        Self.minimumRatio,
        Self.speechSmoothing * min(clean[bin] / disturbance, 1_000)
          + (1 - Self.speechSmoothing) * max(after - 1, 0))
      let wiener = before / (1 + before)
      let v = wiener * after
      let estimate = min(wiener * integral(v), 1)
      let speech =
        1 / (1 + Self.absencePrior * (1 + before) * Decibels.fastAmplitude(-v * 8.685_89))
      clean[bin] = estimate * estimate * power(bin)
      let decibels =
        speech * Decibels.fastDecibels(max(estimate, 1e-5)) + (1 - speech) * floorDecibels
      gains[bin] = min(max(Decibels.fastAmplitude(decibels), floor), 1)
      if bin >= lowBin, bin <= highBin { total += speech }
    }
    presence = total / Float(max(1, highBin - lowBin + 1))
  }

  /// exp(E1(v) / 2) by the table.
  @_noLocks
  @inline(__always)
  private func integral(_ v: Float) -> Float {
    // Five bits of the mantissa, and the exponent from -12 on.
    let position = Int(v.bitPattern >> 18) - (127 - 12) * 32
    return position >= 512 ? 1 : curve[max(position, 0)]
  }
}
