// MeasurementSignal.swift: the signal that plugins are measured with. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// Silence, a sweep, tones of rising level and frequency, pairs of tones, a step, and the tones of the grid, the same
/// on all channels.
package struct MeasurementSignal: Sendable {
  /// The sample rate in Hz.
  package let sampleRateHz: Int
  /// Whether tones of all levels at all frequencies follow the step.
  package let hasGrid: Bool
  /// The levels of the tones in dBFS.
  package static let toneLevels = Array(stride(from: -60.0, through: 0, by: 6))
  /// The level of the tones of other frequencies, and the peak of the pairs of tones, in dBFS.
  package static let frequencyLevel = -6.0
  /// The levels of the step in dBFS: before, during and after it.
  package static let stepLevels = [-40.0, -10, -40]
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
  package init(sampleRateHz: Int, hasGrid: Bool = false) {
    (self.sampleRateHz, self.hasGrid) = (sampleRateHz, hasGrid)
  }

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

  /// The periods of the tones of other frequencies in the measured frames: octaves from 62.5 Hz to 16 kHz.
  ///
  /// They are odd, so that aliases do not fall on harmonics.
  var frequencyPeriods: [Int] {
    let rate = Double(sampleRateHz)
    return (-4 ... 4).filter { $0 != 0 }.map { 1_000 * pow(2, Double($0)) }
      .filter { $0 < 0.4 * rate }
      .map { periods(at: $0) | 1 }
  }

  /// The periods of two tones: 60 Hz with 7 kHz at a quarter of its level (SMPTE), and 19 with 20 kHz (CCIF), or lower
  /// ones at low rates.
  var pairPeriods: [(low: Int, high: Int)] {
    let high = min(20_000, 0.42 * Double(sampleRateHz))
    return [
      (periods(at: 60), periods(at: min(7_000, high / 2))),
      (periods(at: high - 1_000), periods(at: high)),
    ]
  }

  /// The amplitudes of the two tones.
  static let pairLevels = [(low: 0.8, high: 0.2), (low: 0.5, high: 0.5)]

  private func periods(at hertz: Double) -> Int {
    Int((hertz * Double(Self.toneFrames) / Double(sampleRateHz)).rounded())
  }

  /// The frequency of a number of periods in the measured frames, in Hz.
  func hertz(of periods: Int) -> Double {
    Double(periods) * Double(sampleRateHz) / Double(Self.toneFrames)
  }

  /// The number of tones and pairs of tones before the step.
  private var slotCount: Int {
    Self.toneLevels.count + frequencyPeriods.count + pairPeriods.count
  }

  /// The periods and the level of the tones of the grid that are not among the other ones.
  var gridTones: [(periods: Int, level: Double)] {
    guard hasGrid else { return [] }
    return frequencyPeriods.flatMap { periods in
      Self.toneLevels.filter { $0 != Self.frequencyLevel }.map { (periods, $0) }
    }
  }

  /// The first measured frame of a tone of another frequency, and of a pair of tones.
  func frequencyStart(_ index: Int) -> Int { toneStart(Self.toneLevels.count + index) }
  func pairStart(_ index: Int) -> Int { frequencyStart(frequencyPeriods.count + index) }
  func gridStart(_ index: Int) -> Int {
    gridSlot(index).upperBound - Self.toneFrames - guardFrames
  }
  private func gridSlot(_ index: Int) -> Range<Int> {
    let start = silenceAfterStep.upperBound + index * toneLength
    return start ..< start + toneLength
  }

  /// The first frame of the step, and the length of its three parts in frames.
  var stepStart: Int { tonesStart + slotCount * toneLength }
  var stepFrames: [Int] { [0.5, 1, 1.5].map { Int($0 * Double(sampleRateHz)) } }

  /// Half a second in which a plugin returns to rest.
  private var silenceAfterStep: Range<Int> {
    let start = stepStart + stepFrames.reduce(0, +)
    return start ..< start + sampleRateHz / 2
  }

  /// The length in frames; half a second of silence is the end.
  package var frameCount: Int {
    hasGrid
      ? gridSlot(gridTones.count).lowerBound + sampleRateHz / 2 : silenceAfterStep.upperBound
  }

  /// The samples of each channel.
  package var samples: [Float] {
    var samples = [Float](repeating: 0, count: frameCount)
    for (frame, value) in sweep.enumerated() { samples[sweepStart + frame] = value }
    func add(_ periods: Int, _ peak: Double, _ range: Range<Int>) {
      let step = 2 * .pi * Double(periods) / Double(Self.toneFrames)
      for frame in range {
        samples[frame] += Float(
          peak * sin((Double(frame - range.lowerBound) * step).remainder(dividingBy: 2 * .pi)))
      }
    }
    func slot(_ index: Int) -> Range<Int> {
      let start = tonesStart + index * toneLength
      return start ..< start + toneLength
    }
    for (index, level) in Self.toneLevels.enumerated() {
      add(tonePeriods, pow(10, level / 20), slot(index))
    }
    let peak = pow(10, Self.frequencyLevel / 20)
    let others = frequencyPeriods
    for (index, periods) in others.enumerated() {
      add(periods, peak, slot(Self.toneLevels.count + index))
    }
    for (index, (pair, levels)) in zip(pairPeriods, Self.pairLevels).enumerated() {
      let range = slot(Self.toneLevels.count + others.count + index)
      add(pair.low, peak * levels.low, range)
      add(pair.high, peak * levels.high, range)
    }
    for (index, tone) in gridTones.enumerated() {
      add(tone.periods, pow(10, tone.level / 20), gridSlot(index))
    }
    var start = stepStart
    for (level, count) in zip(Self.stepLevels, stepFrames) {
      add(tonePeriods, pow(10, level / 20), start ..< start + count)
      start += count
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
