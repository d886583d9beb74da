// MeasurementSignal.swift: the signal that plugins are measured with. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// Silence, a sweep, and tones of rising level, the same on all channels.
package struct MeasurementSignal: Sendable {
  /// The sample rate in Hz.
  package let sampleRateHz: Int
  /// The levels of the tones in dBFS.
  package static let toneLevels = Array(stride(from: -60.0, through: 0, by: 6))
  /// The level of the sweep in dBFS.
  package static let sweepLevel = -20.0

  /// The length of the sweep in frames; as many silent frames follow.
  static let sweepFrames = 1 << 17
  /// The frames of a tone that are measured, at its end.
  static let toneFrames = 1 << 15

  private static let (lowestHz, highestShare) = (10.0, 0.49)
  private static let (fadeSeconds, settleSeconds) = (0.02, 0.8)
  /// The end of a tone, which a look-ahead may treat as the beginning of the next one.
  private static let guardSeconds = 0.1

  /// Creates a signal for a rate.
  package init(sampleRateHz: Int) { self.sampleRateHz = sampleRateHz }

  /// The start of the sweep: silence comes first.
  var sweepStart: Int { sampleRateHz }
  /// The start of the first tone.
  private var tonesStart: Int { sweepStart + 2 * Self.sweepFrames }
  private var toneLength: Int {
    Int(Self.settleSeconds * Double(sampleRateHz)) + Self.toneFrames + guardFrames
  }
  private var guardFrames: Int { Int(Self.guardSeconds * Double(sampleRateHz)) }

  /// The first measured frame of a tone.
  func toneStart(_ index: Int) -> Int {
    tonesStart + (index + 1) * toneLength - Self.toneFrames - guardFrames
  }

  /// The number of periods in the measured frames of a tone: about 1 kHz.
  var tonePeriods: Int {
    Int((1_000 * Double(Self.toneFrames) / Double(sampleRateHz)).rounded())
  }

  /// The frequency of the tones in Hz.
  package var toneHz: Double {
    Double(tonePeriods) * Double(sampleRateHz) / Double(Self.toneFrames)
  }

  /// The length in frames; half a second of silence is the end.
  package var frameCount: Int {
    tonesStart + Self.toneLevels.count * toneLength + sampleRateHz / 2
  }

  /// The samples of each channel.
  package var samples: [Float] {
    var samples = [Float](repeating: 0, count: frameCount)
    for (frame, value) in sweep.enumerated() { samples[sweepStart + frame] = value }
    let step = 2 * .pi * Double(tonePeriods) / Double(Self.toneFrames)
    for (index, level) in Self.toneLevels.enumerated() {
      let peak = pow(10, level / 20)
      let start = tonesStart + index * toneLength
      for frame in 0 ..< toneLength {
        samples[start + frame] = Float(
          peak * sin((Double(frame) * step).remainder(dividingBy: 2 * .pi)))
      }
    }
    return samples
  }

  /// An exponential sweep from 10 Hz to nearly half the rate (Farina, 2000), with short fades.
  var sweep: [Float] {
    let (count, rate) = (Self.sweepFrames, Double(sampleRateHz))
    let (peak, length) = (pow(10, Self.sweepLevel / 20), Double(count) / rate)
    let octaves = log(Self.highestShare * rate / Self.lowestHz)
    let fade = Self.fadeSeconds * rate
    return (0 ..< count).map { frame in
      let time = Double(frame) / rate
      let phase = 2 * .pi * Self.lowestHz * length / octaves * (exp(time / length * octaves) - 1)
      let edge = min(1, Double(frame) / fade, Double(count - 1 - frame) / fade)
      return Float(peak * sin(phase) * (0.5 - 0.5 * cos(.pi * edge)))
    }
  }

  /// Writes the signal on `channelCount` channels to a temporary file. [any]
  ///
  /// - Throws: if the temporary file cannot be written.
  package func file(channelCount: Int) throws(AudioFileError) -> UnnamedFile {
    let file = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: sampleRateHz, channelCount: channelCount),
      stream: file.descriptor, name: "The measurement signal")
    let frames = samples.flatMap { Array(repeating: $0, count: channelCount) }
    try writer.write(frames, frameCount: frames.count / channelCount)
    try writer.finish()
    file.rewind()
    return file
  }
}
