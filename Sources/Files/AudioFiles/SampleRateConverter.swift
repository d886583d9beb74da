// SampleRateConverter.swift: sound that is read piece by piece, at another rate. SPDX-License-Identifier: MIT

import CSampleRate

/// libsamplerate's best sinc filter: 144 dB of signal to noise, flat up to 0.94 of the lower rate's half.
///
/// The first frame out is the first one in: the filter's delay is made up for. [any one thread]
package final class SampleRateConverter {
  /// Frames a second of what is given.
  package let inputRateHz: Int
  private let channelCount: Int
  private let ratio: Double
  private let state: OpaquePointer
  /// What was given, interleaved, from `used` to `given`.
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private let pieceFrames: Int
  private var (used, given) = (0, 0)

  /// Whether there is a filter for these rates. [any]
  package static func converts(from rateHz: Int, to wantedHz: Double) -> Bool {
    src_is_valid_ratio(wantedHz / Double(rateHz)) != 0
  }

  /// A converter that is given at most `pieceFrames` at a time, and asked for as many; nil where
  /// libsamplerate does not take the ratio, which may be 256 at most, either way.
  package init?(from rateHz: Int, to wantedHz: Double, channelCount: Int, pieceFrames: Int) {
    ratio = wantedHz / Double(rateHz)
    var code: Int32 = 0
    guard src_is_valid_ratio(ratio) != 0,
      let state = src_new(Int32(SRC_SINC_BEST_QUALITY), Int32(channelCount), &code)
    else { return nil }
    self.state = state
    inputRateHz = rateHz
    self.channelCount = channelCount
    self.pieceFrames = pieceFrames
    input = .allocate(capacity: channelCount * pieceFrames)
    output = .allocate(capacity: channelCount * pieceFrames)
    input.initialize(repeating: 0, count: channelCount * pieceFrames)
    output.initialize(repeating: 0, count: channelCount * pieceFrames)
  }

  deinit {
    src_delete(state)
    input.deallocate()
    output.deallocate()
  }

  /// Whether there is something left of what was given.
  package var hasInput: Bool { used < given }

  /// Gives frames, once nothing is left of what was given before.
  package func give(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    Interleaving.join(
      rows, from: 0, to: input, channelCount: channelCount, frameCount: frameCount)
    (used, given) = (0, frameCount)
  }

  /// Takes what can be had now, at most `frameCount`; returns how many frames.
  package func take(
    into rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    process(rows, frameCount, isLast: false)
  }

  /// Takes what is left once nothing follows; 0 when that was all.
  package func takeLast(
    into rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    process(rows, frameCount, isLast: true)
  }

  private func process(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, isLast: Bool
  ) -> Int {
    var data = SRC_DATA()
    data.data_in = UnsafePointer(input + used * channelCount)
    data.input_frames = given - used
    data.data_out = output
    data.output_frames = min(frameCount, pieceFrames)
    data.end_of_input = isLast ? 1 : 0
    data.src_ratio = ratio
    guard src_process(state, &data) == 0 else {
      used = given
      return 0
    }
    used += data.input_frames_used
    let made = data.output_frames_gen
    Interleaving.split(output, to: rows, channelCount: channelCount, frameCount: made)
    return made
  }
}
