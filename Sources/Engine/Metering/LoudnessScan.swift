// LoudnessScan.swift: loudness and true peak of a whole file. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc
import RealtimeKit

/// The loudness and the true peak of a whole file after a gain.
package final class LoudnessScan {
  /// Frames that are read at a time.
  private static let blockFrames = 8_192

  /// The measured levels.
  package let levels: LoudnessLevels
  /// The length in frames.
  package let frameCount: Int
  /// The peak of each channel, linear.
  package let peaks: [Float]
  /// The number of samples that are NaN or infinity, which were measured as silence.
  package let invalidSampleCount: Int
  private let meter: Loudness

  /// Reads and measures a file. [any]
  ///
  /// Nil if it was stopped, and for more than 64 channels, whose loudness is not defined.
  ///
  /// - Parameters:
  ///   - reader: the file, at its start.
  ///   - gainDecibels: the gain in dB before the measurement.
  ///   - shouldContinue: called regularly; returns false to stop.
  /// - Throws: errors of the file.
  package init?(
    _ reader: inout AudioFileReader, gainDecibels: Double = 0, shouldContinue: () -> Bool = { true }
  ) throws(AudioFileError) {
    let count = reader.channelCount
    guard
      let meter = Loudness(
        channelCount: count, sampleRateHz: reader.sampleRateHz, [.truePeak])
    else { return nil }
    let rows = PlanarBuffer(channelCount: count, frameCapacity: Self.blockFrames)
    let frames = UnsafeMutablePointer<Float>.allocate(capacity: Self.blockFrames * count)
    defer { frames.deallocate() }
    let gain = Float(pow(10, gainDecibels / 20))
    var tracker = PeakTracker(channelCount: count)
    var (total, invalid) = (0, 0)
    while shouldContinue() {
      let length = try reader.read(into: rows.channels, frameCount: Self.blockFrames)
      Interleaving.join(
        rows.channels, from: 0, to: frames, channelCount: count, frameCount: length)
      invalid += SampleGain.apply(gain, to: frames, sampleCount: length * count)
      meter.measure(frames, frameCount: length)
      tracker.measure(frames, frameCount: length)
      total += length
      guard length == Self.blockFrames else {
        let peaks = tracker.peaks
        let peak = max(meter.truePeak ?? 0, Double(peaks.max() ?? 0))
        levels = LoudnessLevels(
          loudness: meter.integratedLUFS, truePeak: DecibelConversion.fromAmplitude(peak))
        (self.meter, self.peaks) = (meter, peaks)
        (frameCount, invalidSampleCount) = (total, invalid)
        return
      }
    }
    return nil
  }

  /// Returns the loudness of several files as if they were one, in LUFS. [any]
  package static func loudness(of scans: [LoudnessScan]) -> Double {
    Loudness.integratedLUFS(of: scans.map(\.meter))
  }
}
