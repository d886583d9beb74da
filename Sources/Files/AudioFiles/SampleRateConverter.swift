// SampleRateConverter.swift: converts audio to another sample rate in chunks.
// SPDX-License-Identifier: MIT

import CSampleRate

/// libsamplerate's best sinc filter: 144 dB of signal to noise, flat up to 0.94 of the lower rate's half.
///
/// The first frame out is the first one in: the filter's delay is made up for. [any one thread]
@safe package final class SampleRateConverter {
  /// The sample rate of the input, in Hz.
  package let inputRateHz: Int
  private let channelCount: Int
  private let ratio: Double
  private let state: OpaquePointer
  /// The input, interleaved, from `used` to `given`.
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private let pieceFrames: Int
  private var (used, given) = (0, 0)

  /// Whether a filter for these rates exists. [any]
  package static func converts(from rateHz: Int, to wantedHz: Double) -> Bool {
    src_is_valid_ratio(wantedHz / Double(rateHz)) != 0
  }

  /// Creates a converter for chunks of at most `pieceFrames`, in both directions.
  ///
  /// Returns nil if libsamplerate does not support the ratio, which may be at most 256 in either
  /// direction.
  package init?(from rateHz: Int, to wantedHz: Double, channelCount: Int, pieceFrames: Int) {
    ratio = wantedHz / Double(rateHz)
    var code: Int32 = 0
    guard src_is_valid_ratio(ratio) != 0,
      let state = unsafe src_new(Int32(SRC_SINC_BEST_QUALITY), Int32(channelCount), &code)
    else { return nil }
    unsafe self.state = state
    inputRateHz = rateHz
    self.channelCount = channelCount
    self.pieceFrames = pieceFrames
    unsafe input = .allocate(capacity: channelCount * pieceFrames)
    unsafe output = .allocate(capacity: channelCount * pieceFrames)
    unsafe input.initialize(repeating: 0, count: channelCount * pieceFrames)
    unsafe output.initialize(repeating: 0, count: channelCount * pieceFrames)
  }

  deinit {
    unsafe src_delete(state)
    unsafe input.deallocate()
    unsafe output.deallocate()
  }

  /// Whether input is left.
  package var hasInput: Bool { used < given }

  /// Adds input, after the previous input was used.
  package func push(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    unsafe Interleaving.join(
      rows, from: 0, to: input, channelCount: channelCount, frameCount: frameCount)
    (used, given) = (0, frameCount)
  }

  /// Returns the frames that are available now, at most `frameCount`, and their number.
  package func pull(
    into rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    unsafe process(rows, frameCount, isLast: false)
  }

  /// Returns the remaining frames at the end of the input; 0 when there are none left.
  package func flush(
    into rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    unsafe process(rows, frameCount, isLast: true)
  }

  private func process(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, isLast: Bool
  ) -> Int {
    var data = unsafe SRC_DATA()
    unsafe data.data_in = UnsafePointer(input + used * channelCount)
    unsafe data.input_frames = given - used
    unsafe data.data_out = output
    unsafe data.output_frames = min(frameCount, pieceFrames)
    unsafe data.end_of_input = isLast ? 1 : 0
    unsafe data.src_ratio = ratio
    guard unsafe src_process(state, &data) == 0 else {
      used = given
      return 0
    }
    unsafe used += data.input_frames_used
    let made = unsafe data.output_frames_gen
    unsafe Interleaving.split(output, to: rows, channelCount: channelCount, frameCount: made)
    return made
  }
}
