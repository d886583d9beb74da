// PeakEnvelope.swift: the true peak of all channels around each frame. SPDX-License-Identifier: MIT

package import AudioFiles
import CEbur128
import RealtimeKit

/// The true peak around each frame, highest of all channels, as audio that a stereo limiter accepts.
///
/// The limiter's gain for this envelope is the linked gain of all channels. The second channel is a constant
/// below every ceiling, which does not affect the limiter. Its output divided by the constant is the gain.
package enum PeakEnvelope {
  /// The constant in the second channel: a power of two, so that the division is exact.
  package static let constant: Float = 0x1p-10

  /// Frames that are read at a time.
  private static let pieceFrames = 8_192

  /// Writes the envelope of a file to a temporary file. [any]
  ///
  /// - Parameters:
  ///   - reader: the source, at its start, with at most 64 channels. NaN and infinity are silence.
  ///   - shouldContinue: called regularly; returns false to stop.
  /// - Returns: nil if it was stopped.
  /// - Throws: errors of both files.
  package static func of(
    _ reader: inout AudioFileReader, shouldContinue: () -> Bool = { true }
  ) throws(AudioFileError) -> UnnamedFile? {
    let (count, rate) = (reader.channelCount, reader.sampleRateHz)
    guard let meter = FramePeaks(channelCount: count, sampleRateHz: rate) else { return nil }
    let file = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: rate, channelCount: 2), stream: file.descriptor,
      name: "A temporary envelope of \(reader.path)")
    let rows = PlanarBuffer(channelCount: count, frameCapacity: pieceFrames)
    let frames = UnsafeMutablePointer<Float>.allocate(capacity: pieceFrames * count)
    let envelope = UnsafeMutablePointer<Float>.allocate(capacity: pieceFrames * 2)
    defer {
      frames.deallocate()
      envelope.deallocate()
    }
    for frame in 0 ..< pieceFrames { envelope[2 * frame + 1] = constant }
    // The envelope is late by the delay of the meter, so its first frames are dropped.
    var lead = meter.delayFrames
    func write(_ length: Int) throws(AudioFileError) {
      for frame in 0 ..< length { envelope[2 * frame] = meter.next(frames + frame * count) }
      let dropped = min(lead, length)
      lead -= dropped
      try writer.write(envelope + 2 * dropped, frameCount: length - dropped)
    }
    while shouldContinue() {
      let length = try reader.read(into: rows.channels, frameCount: pieceFrames)
      Interleaving.join(rows.channels, from: 0, to: frames, channelCount: count, frameCount: length)
      _ = SampleGain.apply(1, to: frames, sampleCount: length * count)
      try write(length)
      guard length < pieceFrames else { continue }
      frames.update(repeating: 0, count: meter.delayFrames * count)
      try write(meter.delayFrames)
      try writer.finish()
      return file
    }
    return nil
  }
}

/// The true peak of all channels, frame by frame, with the interpolation of libebur128.
///
/// The limiter sees the peaks that `Loudness` measures.
private final class FramePeaks {
  private let state: UnsafeMutablePointer<ebur128_state>
  private let channelCount: Int
  /// The peaks of the last two frames.
  private var last: (Float, Float) = (0, 0)

  /// By how much a peak is late: the delay of the interpolator, which has 49 taps at the oversampled rate, and one frame
  /// for the interval before.
  let delayFrames: Int

  init?(channelCount: Int, sampleRateHz: Int) {
    let mode = Int32(EBUR128_MODE_TRUE_PEAK.rawValue)
    guard let state = ebur128_init(UInt32(channelCount), UInt(sampleRateHz), mode) else {
      return nil
    }
    self.state = state
    self.channelCount = channelCount
    let factor = sampleRateHz < 96_000 ? 4 : sampleRateHz < 192_000 ? 2 : 0
    delayFrames = 1 + (factor == 0 ? 0 : 24 / factor)
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Returns the highest peak within one frame of the frame that arrived `delayFrames` before.
  func next(_ frame: UnsafePointer<Float>) -> Float {
    _ = ebur128_add_frames_float(state, frame, 1)
    var newest = 0.0
    for channel in 0 ..< channelCount {
      var peak = 0.0
      _ = ebur128_prev_true_peak(state, UInt32(channel), &peak)
      newest = max(newest, peak)
    }
    let highest = max(Float(newest), last.0, last.1)
    last = (Float(newest), last.0)
    return highest
  }
}
