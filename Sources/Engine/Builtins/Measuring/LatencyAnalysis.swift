// LatencyAnalysis.swift: when a probe signal came back. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// The measurement of a returned probe signal.
package struct LatencyReading: Sendable, Equatable {
  /// Frames from playing to capturing, with their fraction.
  package var frames: Double
  /// Whether the signal came back with inverted polarity.
  package var isInverted: Bool
  /// The gain of the path, in decibels.
  package var gainDecibels: Double
  /// The level of the return above all other received audio, in decibels.
  package var confidenceDecibels: Double
  /// Whether the capture was driven to its limit.
  package var isClipped: Bool
}

/// Finds a probe signal in a recording.
///
/// The recording's spectrum is divided by that of the signal, within the signal's band. The result
/// is the path's impulse response, whose peak is the return (the generalised cross-correlation with
/// the Roth weight; C. Knapp and G. Carter, IEEE Trans. ASSP 24 (1976)). The peak between frames is
/// found on the exact band-limited curve, not on a parabola.
package struct LatencyAnalysis {
  /// The smallest peak above the noise that counts as a return, in decibels: in an hour of noise
  /// the highest peak of a round stays below 15 dB.
  package static let minimumConfidenceDecibels = 18.0
  /// Samples from here on count as clipped; three of them are no accident.
  private static let clippedLevel: Float = 0.999
  private static let minimumClippedCount = 3
  /// Samples within this distance belong to the return, in seconds.
  private static let neighbourhoodSeconds = 0.002
  /// The length of the fades at both ends of a recording, in seconds.
  private static let fadeSeconds = 0.015
  /// Half an octave at either end of the band is faded: a hard edge would ring.
  private static let edgeOctaves = 0.5

  /// The longest delay that is looked for, in frames.
  package let longestFrames: Int
  private let sampleRateHz: Double
  /// The transform's length.
  private let count: Int
  /// The first line of the band.
  private let firstLine: Int
  /// The factors of the lines in the band: the reciprocal of the signal's spectrum, with faded
  /// edges.
  private let real: [Double]
  private let imaginary: [Double]

  /// Prepares to find `signal` up to `longestFrames` after it was played. [main]
  package init(_ signal: SweepSignal, longestFrames: Int) {
    self.longestFrames = longestFrames
    sampleRateHz = signal.sampleRateHz
    var count = 2
    while count < signal.samples.count + longestFrames { count *= 2 }
    self.count = count
    let lineHz = signal.sampleRateHz / Double(count)
    let lowest = SweepSignal.lowestHz
    let highest = SweepSignal.highestHz(signal.sampleRateHz)
    let first = Int((lowest / lineHz).rounded(.up))
    firstLine = first
    let lines = first ... Int(highest / lineHz)
    let spectrum = Self.spectrum(signal.samples, count)
    // At the edges, where the signal is weak, the division would amplify noise.
    let floor = 1e-4 * (lines.map { spectrum.power($0) }.max() ?? 0)
    let weights = lines.map { line in
      let octaves = min(log2(Double(line) * lineHz / lowest), log2(highest / lineHz / Double(line)))
      return SweepSignal.rise(octaves / Self.edgeOctaves)
    }
    // A path without a change has a return of 1.
    let sum = max(weights.reduce(0, +), .leastNormalMagnitude)
    let scales = zip(lines, weights).map { $1 / sum / max(spectrum.power($0) + floor, 1e-300) }
    real = zip(lines, scales).map { spectrum.real[$0] * $1 }
    imaginary = zip(lines, scales).map { -spectrum.imaginary[$0] * $1 }
  }

  /// Returns when the signal arrived in a recording that starts with the signal; nil if it did not.
  /// [any]
  package func reading(of recording: [Float]) -> LatencyReading? {
    let path = path(in: recording)
    let response = response(of: path)
    // A peak out of range is a return that came too late: the samples before it are its ringing.
    guard let top = response.indices.max(by: { abs(response[$0]) < abs(response[$1]) }),
      top <= longestFrames, response[top] != 0
    else { return nil }
    let (frames, height) = refined(path, near: top)
    let confidence = 20 * log10(abs(height) / rest(response, around: top))
    guard confidence >= Self.minimumConfidenceDecibels else { return nil }
    let clipped = recording.count { abs($0) >= Self.clippedLevel }
    return LatencyReading(
      frames: frames, isInverted: height < 0, gainDecibels: 20 * log10(abs(height)),
      confidenceDecibels: confidence, isClipped: clipped >= Self.minimumClippedCount)
  }

  // MARK: - The path

  private struct ComplexLines {
    var real: [Double]
    var imaginary: [Double]

    func power(_ line: Int) -> Double {
      real[line] * real[line] + imaginary[line] * imaginary[line]
    }
  }

  private static func spectrum(_ samples: some Collection<Float>, _ count: Int) -> ComplexLines {
    var lines = ComplexLines(
      real: samples.prefix(count).map { $0.isFinite ? Double($0) : 0 },
      imaginary: [Double](repeating: 0, count: count))
    lines.real += [Double](repeating: 0, count: count - lines.real.count)
    FourierTransform.forward(&lines.real, &lines.imaginary)
    return lines
  }

  /// Returns the path's response at each line of the band.
  private func path(in recording: [Float]) -> ComplexLines {
    let recorded = Self.spectrum(regularized(recording), count)
    var lines = ComplexLines(real: real, imaginary: imaginary)
    for index in real.indices {
      let (a, b) = (recorded.real[firstLine + index], recorded.imaginary[firstLine + index])
      lines.real[index] = a * real[index] - b * imaginary[index]
      lines.imaginary[index] = a * imaginary[index] + b * real[index]
    }
    return lines
  }

  /// Returns the recording with faded ends, because hum that is cut off would cause a click.
  ///
  /// A return at an end only loses the ends of its band, which have little weight.
  private func regularized(_ recording: [Float]) -> [Float] {
    let fadeFrames = max(1, Int(Self.fadeSeconds * sampleRateHz))
    var recording = recording
    for frame in 0 ..< min(fadeFrames, recording.count / 2) {
      let gain = Float(SweepSignal.rise(Double(frame) / Double(fadeFrames)))
      recording[frame] *= gain
      recording[recording.count - 1 - frame] *= gain
    }
    return recording
  }

  /// Returns the impulse response; its end is the time before the signal, where distortion appears.
  private func response(of path: ComplexLines) -> [Double] {
    var turned = ComplexLines(
      real: [Double](repeating: 0, count: count),
      imaginary: [Double](repeating: 0, count: count))
    // The inverse transform is the forward one of the conjugate; the real part is all that is wanted.
    for index in path.real.indices {
      turned.real[firstLine + index] = path.real[index]
      turned.imaginary[firstLine + index] = -path.imaginary[index]
    }
    FourierTransform.forward(&turned.real, &turned.imaginary)
    return turned.real
  }

  /// Returns the mean level outside of the return.
  private func rest(_ response: [Double], around top: Int) -> Double {
    let near = Int(Self.neighbourhoodSeconds * sampleRateHz)
    var squares = 0.0
    var frames = 0
    for frame in 0 ... longestFrames where abs(frame - top) > near {
      squares += response[frame] * response[frame]
      frames += 1
    }
    return frames > 0 ? max((squares / Double(frames)).squareRoot(), 1e-12) : 1
  }

  // MARK: - Between frames

  /// The highest point of the curve within a frame of `top`, and its height there.
  private func refined(_ path: ComplexLines, near top: Int) -> (frames: Double, height: Double) {
    var low = Double(top) - 1
    var high = Double(top) + 1
    // The golden section; 30 steps come down to a millionth of a frame.
    let ratio = 0.5 * (5.0.squareRoot() - 1)
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var heights = (abs(height(path, at: left)), abs(height(path, at: right)))
    for _ in 0 ..< 30 {
      if heights.0 > heights.1 {
        high = right
        (right, heights.1) = (left, heights.0)
        left = high - ratio * (high - low)
        heights.0 = abs(height(path, at: left))
      } else {
        low = left
        (left, heights.0) = (right, heights.1)
        right = low + ratio * (high - low)
        heights.1 = abs(height(path, at: right))
      }
    }
    let frames = (low + high) / 2
    return (frames, height(path, at: frames))
  }

  /// The impulse response at any time, in frames: the sum that the transform is, for one point.
  private func height(_ path: ComplexLines, at frames: Double) -> Double {
    let angle = 2 * .pi * frames / Double(count)
    // The turn from line to line, by multiplication: exact enough over some thousand lines.
    let (stepCosine, stepSine) = (cos(angle), sin(angle))
    var cosine = cos(angle * Double(firstLine))
    var sine = sin(angle * Double(firstLine))
    var sum = 0.0
    for index in path.real.indices {
      sum += path.real[index] * cosine - path.imaginary[index] * sine
      (cosine, sine) = (
        cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine
      )
    }
    return sum
  }
}
