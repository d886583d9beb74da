// PitchDetector.swift: measures the period of a sound. SPDX-License-Identifier: MIT
//
// The normalised square difference of McLeod and Wyvill, A Smarter Way to Find Pitch, ICMC 2005: the
// similarity of the last sixth of a second with itself some frames later, -1 to 1, from the transform of its
// power spectrum. The first of its peaks that is nearly as high as the highest is the period, which also
// finds a pitch whose fundamental is weak or missing. The peaks at its multiples make the result much more
// exact: an error of a tenth of a frame is a hundredth of a cent over a thousand frames.
//
// A measurement is divided into parts, spread over the time until the next one.

import ModuleABI
import ModuleKit

/// The result of a measurement.
struct Pitch {
  /// The frequency in Hz, 0 if there is none.
  var frequencyHz = 0.0
  /// The similarity of two periods, 0 to 1.
  var clarity = 0.0
  /// The power of the signal, linear.
  var power = 0.0
}

/// Finds the pitch of a signal of some 20 to 40 kHz, again and again.
struct PitchDetector {
  /// The last detected pitch.
  private(set) var pitch = Pitch()
  private let transform: FourierTransform
  private let rateHz: Double
  private let length: Int  // frames that are looked at
  private let ring: UnsafeMutablePointer<Float>
  private let frames: UnsafeMutablePointer<Float>  // followed by the same number of zeros
  private let agreement: UnsafeMutablePointer<Float>
  private let real: UnsafeMutablePointer<Float>
  private let imaginary: UnsafeMutablePointer<Float>
  private var position = 0
  private var waited = 0
  private var part: Int
  private var power = 0.0  // of the measured frames

  /// Frames after which parts are done.
  private static let partFrames = 16
  /// Measurements in the time that is looked at.
  private static let overlap = 4
  private static let seconds = 0.16
  private static let lowestHz = 25.0
  private static let highestHz = 4_500.0
  /// The minimum height of the first peak that counts, as a fraction of the highest peak.
  private static let peakShare: Float = 0.93
  private static let longestSharpLag = 64

  init(rateHz: Double) {
    self.rateHz = rateHz
    var length = 1_024
    while Double(length) < Self.seconds * rateHz, length < 32_768 { length *= 2 }
    self.length = length
    transform = FourierTransform(size: 2 * length)
    ring = .allocate(capacity: length)
    frames = .allocate(capacity: 2 * length)
    agreement = .allocate(capacity: 2 * length)
    real = .allocate(capacity: length)
    imaginary = .allocate(capacity: length)
    part = 0
    clear()
  }

  func free() {
    transform.free()
    ring.deallocate()
    frames.deallocate()
    agreement.deallocate()
    real.deallocate()
    imaginary.deallocate()
  }

  @_noLocks
  mutating func clear() {
    ring.update(repeating: 0, count: length)
    frames.update(repeating: 0, count: 2 * length)
    agreement.update(repeating: 0, count: 2 * length)
    real.update(repeating: 0, count: length)
    imaginary.update(repeating: 0, count: length)
    position = 0
    waited = 0
    part = partCount
    power = 0
    pitch = Pitch()
  }

  // MARK: - Time

  /// Takes a frame, and advances the measurement regularly.
  @_noLocks
  @inline(__always)
  mutating func take(_ sample: Float) {
    ring[position] = sample
    position = (position + 1) & (length - 1)
    waited += 1
    if waited % Self.partFrames == 0 { detectNext() }
  }

  private var partCount: Int {
    @_noLocks get { 2 * transform.stepCount + 3 }
  }

  @_noLocks
  private mutating func detectNext() {
    let hop = length / Self.overlap
    if waited == hop {
      waited = 0
      part = 0
      let late = length - position
      frames.update(from: ring, start: position, count: late)
      (frames + late).update(from: ring, start: 0, count: position)
      return
    }
    // The last parts are done just before the next measurement begins.
    let due = partCount * waited / (hop - Self.partFrames)
    while part < min(due, partCount) {
      run(part)
      part += 1
    }
  }

  @_noLocks
  private mutating func run(_ part: Int) {
    let steps = transform.stepCount
    if part < steps {
      transform.forward(step: part, frames, frames + length, real, imaginary)
    } else if part == steps {
      square()
    } else if part <= 2 * steps {
      transform.inverse(step: part - steps - 1, real, imaginary, agreement)
    } else if part == 2 * steps + 1 {
      normalise()
    } else {
      pitch = found()
    }
  }

  // MARK: - One measurement

  /// Computes the power spectrum, scaled so that its transform is the autocorrelation.
  @_noLocks
  private func square() {
    let scale = 1 / Float(2 * length)
    let (first, last) = (real[0], imaginary[0])
    for bin in stride(from: 0, to: length, by: 4) {
      let (re, im) = (UnalignedSIMD.load(real + bin), UnalignedSIMD.load(imaginary + bin))
      UnalignedSIMD.store((re * re + im * im) * scale, real + bin)
      UnalignedSIMD.store(.zero, imaginary + bin)
    }
    real[0] = first * first * scale
    imaginary[0] = last * last * scale
  }

  /// Divides the autocorrelation by the power of the compared frames.
  @_noLocks
  private mutating func normalise() {
    var compared = 0.0
    for frame in 0 ..< length { compared += Double(frames[frame]) * Double(frames[frame]) }
    power = compared / Double(length)
    compared *= 2
    agreement[0] = 1
    for lag in 1 ... longestLag + 1 {
      let (early, late) = (Double(frames[lag - 1]), Double(frames[length - lag]))
      compared -= early * early + late * late
      agreement[lag] = compared > 1e-12 ? Float(2 * Double(agreement[lag]) / compared) : 0
    }
  }

  /// The furthest that periods are looked for: twice the longest, so that it has a multiple, too.
  private var longestLag: Int {
    @_noLocks get { min(length / 2, Int(rateHz / Self.lowestHz * 2.1)) }
  }

  /// Searches for the period.
  @_noLocks
  private func found() -> Pitch {
    var pitch = Pitch()
    pitch.power = power
    guard power > 1e-14 else { return pitch }
    let longest = longestLag
    guard let first = firstPeak(longest: min(longest, Int(rateHz / Self.lowestHz))) else {
      return pitch
    }
    let period = refined(first.lag, clarity: first.height, longest: longest)
    let frequencyHz = rateHz / period
    guard frequencyHz >= Self.lowestHz, frequencyHz <= Self.highestHz else { return pitch }
    pitch.frequencyHz = frequencyHz
    pitch.clarity = Double(min(max(first.height, 0), 1))
    return pitch
  }

  /// Returns a maximum between two frames.
  ///
  /// It is the vertex of the parabola through three points. For short periods with sharp peaks, a second
  /// parabola through three closer points refines it.
  @_noLocks
  private func vertex(_ lag: Int) -> (lag: Double, height: Float) {
    let estimate = Self.vertex(agreement[lag - 1], agreement[lag], agreement[lag + 1])
    guard lag < Self.longestSharpLag else {
      return (Double(lag) + estimate.offset, estimate.height)
    }
    let middle = Double(lag) + estimate.offset
    let fine = Self.vertex(between(middle - 0.25), between(middle), between(middle + 0.25))
    return (middle + 0.25 * fine.offset, fine.height)
  }

  @_noLocks
  private static func vertex(
    _ before: Float, _ at: Float, _ after: Float
  ) -> (offset: Double, height: Float) {
    let curvature = before - 2 * at + after
    guard curvature < 0 else { return (0, at) }
    let offset = min(max(0.5 * (before - after) / curvature, -1), 1)
    return (Double(offset), at - 0.25 * (before - after) * offset)
  }

  /// The agreement between two frames, 1 or more, by a sinc under a raised cosine; it is symmetric around 0.
  @_noLocks
  private func between(_ lag: Double) -> Float {
    let whole = Int(lag)
    let fraction = lag - Double(whole)
    let reach = 8
    // The magnitude of the sine of each distance, and the cosine of an eighth of it.
    let sine = realtime_sin(Double.pi * fraction) / Double.pi
    guard abs(sine) > 1e-9 else { return agreement[whole] }
    var sum = 0.0
    for tap in 1 - reach ... reach {
      let distance = fraction - Double(tap)
      let window = 0.5 + 0.5 * realtime_cos(Double.pi * distance / Double(reach))
      let weight = (tap & 1 == 0 ? sine : -sine) / distance * window
      sum += weight * Double(agreement[abs(whole + tap)])
    }
    return Float(sum)
  }

  /// The highest maximum of each stretch above 0 counts; the first nearly as high as any is the period.
  @_noLocks
  private func firstPeak(longest: Int) -> (lag: Double, height: Float)? {
    var highest: Float = 0
    for pass in 0 ..< 2 {
      var lag = 1
      while lag < longest, agreement[lag] > 0 { lag += 1 }
      while lag < longest {
        while lag < longest, agreement[lag] <= 0 { lag += 1 }
        var best = lag
        while lag < longest, agreement[lag] > 0 {
          if agreement[lag] > agreement[best] { best = lag }
          lag += 1
        }
        guard best < longest, agreement[best] > 0 else { break }
        // A value that still rises at the end is not a peak.
        guard agreement[best + 1] <= agreement[best] else { break }
        let peak = vertex(best)
        if pass == 0 { highest = max(highest, peak.height) }
        if pass == 1, peak.height >= Self.peakShare * highest { return peak }
      }
    }
    return nil
  }

  /// The period from the peak at the furthest multiple that still belongs to it.
  @_noLocks
  private func refined(_ lag: Double, clarity: Float, longest: Int) -> Double {
    var period = lag
    var multiple = 2.0
    while period * multiple < Double(longest - 2) {
      var near = Int(period * multiple + 0.5)
      if agreement[near - 1] > agreement[near] { near -= 1 }
      if agreement[near + 1] > agreement[near] { near += 1 }
      let peak = vertex(near)
      // A changing sound does not agree with itself at this distance.
      guard peak.height > 0.8 * clarity, abs(peak.lag - period * multiple) < 0.2 * period else {
        break
      }
      period = peak.lag / multiple
      multiple *= 2
    }
    return period
  }
}

extension UnsafeMutablePointer<Float> {
  /// Copies a part of an array.
  @_noLocks
  fileprivate func update(from row: UnsafeMutablePointer<Float>, start: Int, count: Int) {
    UnsafeMutableRawPointer(self).copyMemory(from: row + start, byteCount: count * 4)
  }
}
