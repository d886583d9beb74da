// PluginMeasurement.swift: what a plugin did to the measurement signal. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc
import RealtimeKit

/// Response, distortion, static curve, step, decay, noise and delay, from the output for `MeasurementSignal`.
package struct PluginMeasurement: Sendable {
  /// A tone and what came out.
  package struct Tone: Sendable, Equatable {
    /// The frequency in Hz.
    package var hertz: Double
    /// The level of the input in dBFS.
    package var inputLevel: Double
    /// The level of the fundamental in dBFS.
    package var level: Double
    /// Harmonics 2 to 10 relative to the fundamental, in dB; NaN if all are above half the rate.
    package var distortion: Double
    /// All but the fundamental and DC relative to the fundamental, in dB.
    package var distortionAndNoise: Double
    /// Harmonics that were folded back from above half the rate, relative to the fundamental, in dB.
    package var aliases: Double
    /// The mean of the samples.
    package var offset: Double
  }

  /// A point of the frequency response.
  package struct Point: Sendable, Equatable {
    /// The frequency in Hz.
    package var hertz: Double
    /// The gain in dB.
    package var gain: Double
    /// The phase in degrees, -180 to 180, after `delayFrames` were removed.
    package var phase: Double
    /// The group delay in seconds, after `delayFrames` were removed.
    package var groupDelay: Double
  }

  /// The delay of the output in frames, after the declared latency was removed.
  package let delayFrames: Int
  /// Whether the output is inverted.
  package let isInverted: Bool
  /// The level without input, in dBFS; a sine of full scale has 0.
  package let noise: Double
  /// The mean of the samples without input.
  package let offset: Double
  /// The gain from 20 Hz to 20 kHz, 24 points per octave.
  package let response: [Point]
  /// The tones of 1 kHz by level.
  package let tones: [Tone]
  /// The tones at `MeasurementSignal.frequencyLevel` by frequency.
  package let frequencyTones: [Tone]
  /// Tones of all levels at all frequencies, by frequency, then by level; empty without a grid.
  package let grid: [Tone]
  /// The intermodulation of two tones.
  package let intermodulation: Intermodulation
  /// The reaction to a step of the level.
  package let step: StepResponse
  /// The impulse response from `-impulseLeadFrames` on, after `delayFrames` were removed.
  package let impulseResponse: [Float]
  /// The decay of the impulse response; nil if it is too short for a reverb.
  package let reverberation: Reverberation?

  /// The length of `impulseResponse` in frames, and the part of it before the direct sound.
  package static let (impulseFrames, impulseLeadFrames) = (4_096, 16)

  private static let pointsPerOctave = 24
  private static let lowestHz = 20.0
  private static let highestHz = 20_000.0
  private static let harmonicCount = 10
  /// Frames of the impulse response before and after its main part; distortion is before it.
  private static let (framesBefore, framesAfter) = (1 << 10, 1 << 16)
  /// The frames at the end of the impulse response that fade out.
  private static let fadeFrames = 1 << 14
  /// The farthest delay that is looked for.
  private static let reach = 1 << 15

  /// Measures the first channel of a rendering, and the second one if it differs. [any]
  ///
  /// - Throws: errors of the file.
  package static func channels(
    of rendering: UnnamedFile, _ signal: MeasurementSignal
  ) throws(AudioFileError) -> [PluginMeasurement] {
    var reader = try AudioFileReader(path: rendering.path)
    let rows = PlanarBuffer(
      channelCount: reader.channelCount, frameCapacity: signal.frameCount)
    let read = try reader.read(into: rows.channels, frameCount: signal.frameCount)
    var samples: [[Float]] = []
    for channel in 0 ..< min(2, reader.channelCount) {
      let row = UnsafeBufferPointer(start: rows[channel], count: read)
      let finite = row.map { $0.isFinite ? $0 : 0 }
      if samples.first != finite { samples.append(finite) }
    }
    return samples.map { PluginMeasurement($0, signal) }
  }

  /// Measures a rendering of the signal.
  package init(_ output: [Float], _ signal: MeasurementSignal) {
    let padded = output + [Float](repeating: 0, count: max(0, signal.frameCount - output.count))
    let silence = padded[signal.sweepStart / 2 ..< signal.sweepStart].map(Double.init)
    offset = silence.reduce(0, +) / Double(silence.count)
    let power = silence.reduce(0) { $0 + $1 * $1 } / Double(silence.count)
    noise = DecibelConversion.ofMeanSquare(power)
    let alignment = Self.alignment(padded, signal)
    delayFrames = alignment.delayFrames
    let impulse = Self.impulse(padded, signal)
    isInverted = (impulse.max { abs($0) < abs($1) } ?? 0) < 0
    response = Self.response(of: impulse, delayFrames, signal)
    let size = impulse.count
    let delay = delayFrames
    impulseResponse = (-Self.impulseLeadFrames ..< Self.impulseFrames - Self.impulseLeadFrames).map
    {
      Float(impulse[((delay + $0) % size + size) % size])
    }
    reverberation = Reverberation(impulse, from: delay, sampleRateHz: signal.sampleRateHz)
    tones = MeasurementSignal.toneLevels.enumerated().map { index, level in
      Tone(padded, signal.toneStart(index), signal.tonePeriods, level, signal)
    }
    frequencyTones = signal.frequencyPeriods.enumerated().map { index, periods in
      Tone(
        padded, signal.frequencyStart(index), periods, MeasurementSignal.frequencyLevel, signal)
    }
    let others = signal.gridTones.enumerated().map { index, tone in
      Tone(padded, signal.gridStart(index), tone.periods, tone.level, signal)
    }
    grid =
      signal.hasGrid
      ? (tones + frequencyTones + others).sorted {
        ($0.hertz, $0.inputLevel) < ($1.hertz, $1.inputLevel)
      } : []
    intermodulation = Intermodulation(padded, signal)
    step = StepResponse(padded, delayFrames: delay, signal)
  }

  private static func alignment(_ output: [Float], _ signal: MeasurementSignal) -> Alignment {
    let start = signal.sweepStart
    // The part before the sweep is silent and shorter than the farthest delay.
    let lead = [Float](repeating: 0, count: max(0, reach - start))
    let region = lead + output[max(0, start - reach) ..< start + 2 * MeasurementSignal.sweepFrames]
    return Alignment(
      [signal.sweep], [Array(region.prefix(MeasurementSignal.sweepFrames + 2 * reach))],
      reach: reach)
  }

  // MARK: - Response

  /// The impulse response, by division of the spectra; frames before 0 are at the end.
  private static func impulse(_ output: [Float], _ signal: MeasurementSignal) -> [Double] {
    let size = 2 * MeasurementSignal.sweepFrames
    let silence = [Double](repeating: 0, count: MeasurementSignal.sweepFrames)
    // Both are the two parts of one complex transform.
    var real = signal.sweep.map(Double.init) + silence
    var imaginary = output[signal.sweepStart ..< signal.sweepStart + size].map(Double.init)
    FourierTransform.forward(&real, &imaginary)
    var quotients = (
      real: [Double](repeating: 0, count: size), imaginary: [Double](repeating: 0, count: size)
    )
    let energies = (0 ..< size).map { line -> Double in
      let mirror = (size - line) % size
      let one = (real[line] + real[mirror]) / 2
      let other = (imaginary[line] - imaginary[mirror]) / 2
      return one * one + other * other
    }
    // Beyond the sweep there is nothing to divide by.
    let floor = (energies.max() ?? 0) * 1e-8
    for line in 0 ..< size {
      let mirror = (size - line) % size
      let (inReal, inImaginary) = (
        (real[line] + real[mirror]) / 2, (imaginary[line] - imaginary[mirror]) / 2
      )
      let (outReal, outImaginary) = (
        (imaginary[line] + imaginary[mirror]) / 2, (real[mirror] - real[line]) / 2
      )
      let divisor = energies[line] + floor
      quotients.real[line] = (outReal * inReal + outImaginary * inImaginary) / divisor
      // The conjugate: the inverse transform is done by a forward one.
      quotients.imaginary[line] = -(outImaginary * inReal - outReal * inImaginary) / divisor
    }
    FourierTransform.forward(&quotients.real, &quotients.imaginary)
    return quotients.real.map { $0 / Double(size) }
  }

  private static func response(
    of impulse: [Double], _ delay: Int, _ signal: MeasurementSignal
  ) -> [Point] {
    let size = impulse.count
    let count = 2 * framesAfter
    var real = [Double](repeating: 0, count: count)
    // The response times the frame, for the group delay.
    var imaginary = real
    for frame in -framesBefore ..< framesAfter {
      let rest = framesAfter - frame
      let weight =
        frame < -framesBefore / 2
        ? 0.5 + 0.5 * cos(.pi * Double(-frame - framesBefore / 2) / Double(framesBefore / 2))
        : rest < fadeFrames ? 0.5 - 0.5 * cos(.pi * Double(rest) / Double(fadeFrames)) : 1
      let position = ((delay + frame) % size + size) % size
      real[(frame + count) % count] = weight * impulse[position]
      imaginary[(frame + count) % count] = Double(frame) * weight * impulse[position]
    }
    FourierTransform.forward(&real, &imaginary)
    let spectrum = TransformPair(real, imaginary)
    let lineHz = Double(signal.sampleRateHz) / Double(count)
    let top = min(highestHz, 0.45 * Double(signal.sampleRateHz))
    // 1 kHz is one of the points.
    let first = Int((log2(lowestHz / 1_000) * Double(pointsPerOctave)).rounded(.up))
    let last = Int((log2(top / 1_000) * Double(pointsPerOctave)).rounded(.down))
    return (first ... last).map { step in
      let hertz = 1_000 * pow(2, Double(step) / Double(pointsPerOctave))
      let position = hertz / lineHz
      let line = Int(position)
      let fraction = position - Double(line)
      let (one, next) = (spectrum.first(line), spectrum.first(line + 1))
      let power = (one * one).sum() * (1 - fraction) + (next * next).sum() * fraction
      let near = one * (1 - fraction) + next * fraction
      let moment = spectrum.second(line) * (1 - fraction) + spectrum.second(line + 1) * fraction
      let divisor = max((near * near).sum(), 1e-30)
      return Point(
        hertz: hertz, gain: DecibelConversion.fromPower(power),
        phase: atan2(near.y, near.x) * 180 / .pi,
        groupDelay: (moment * near).sum() / divisor / Double(signal.sampleRateHz))
    }
  }
}
