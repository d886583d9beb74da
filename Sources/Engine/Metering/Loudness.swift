// Loudness.swift: how loud frames are, and how high between the samples. SPDX-License-Identifier: MIT

import CEbur128

/// Loudness and true peaks of a stream of frames, with libebur128 (ITU-R BS.1770-4, EBU R 128, Tech
/// 3341 and 3342).
///
/// The library's filter is that of the standard at every sample rate. True peaks are measured with
/// four times oversampling, twice from 96 kHz on, and without from 192 kHz on.
package final class Loudness {
  /// The measured values in addition to the integrated loudness.
  package struct Options: OptionSet, Sendable {
    /// Bits of libebur128's modes.
    package let rawValue: Int32
    /// Creates options from bits.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The true peak of each channel, which costs more than all the rest.
    package static let truePeak = Options(rawValue: Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
    /// Short-term loudness.
    package static let shortTerm = Options(rawValue: Int32(EBUR128_MODE_S.rawValue))
    /// The loudness range.
    package static let range = Options(rawValue: Int32(EBUR128_MODE_LRA.rawValue))
    /// Counts blocks in steps of 0.1 LU instead of storing them, so that the memory does not grow.
    package static let counted = Options(rawValue: Int32(EBUR128_MODE_HISTOGRAM.rawValue))
  }

  private let state: UnsafeMutablePointer<ebur128_state>
  private let channelCount: Int
  private let parts: Options

  /// Creates an empty meter.
  ///
  /// Nil beyond the standard: more than 64 channels, or a rate below 16 Hz. [any]
  package init?(channelCount: Int, sampleRateHz: Int, _ parts: Options = []) {
    let mode = Int32(EBUR128_MODE_I.rawValue) | parts.rawValue
    guard 1 ... 64 ~= channelCount, sampleRateHz >= 16,
      let state = ebur128_init(UInt32(channelCount), UInt(sampleRateHz), mode)
    else { return nil }
    self.state = state
    self.channelCount = channelCount
    self.parts = parts
    placeChannels()
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Adds interleaved frames; NaN would stay in the filters for ever. [any one thread]
  package func measure(_ frames: UnsafePointer<Float>, frameCount: Int) {
    // This fails only for lack of memory; then the value is too low, and the audio is unaffected.
    _ = ebur128_add_frames_float(state, frames, frameCount)
  }

  /// Integrated loudness in LUFS, gated; minus infinity for silence and for less than 0.4 s. [any one thread]
  package var integratedLUFS: Double { value(ebur128_loudness_global) }

  /// Returns the integrated loudness of several streams as if they were one, in LUFS. [any one thread]
  static func integratedLUFS(of meters: [Loudness]) -> Double {
    var value = -Double.infinity
    var states = meters.map { Optional($0.state) }
    guard
      ebur128_loudness_global_multiple(&states, states.count, &value) == EBUR128_SUCCESS.rawValue
    else { return -.infinity }
    return value
  }

  /// Loudness of the last 0.4 s in LUFS; minus infinity for silence.
  package var momentaryLUFS: Double { value(ebur128_loudness_momentary) }

  /// Loudness of the last 3 s in LUFS; minus infinity for silence.
  package var shortTermLUFS: Double {
    parts.isSuperset(of: .shortTerm) ? value(ebur128_loudness_shortterm) : -.infinity
  }

  /// The loudness range in LU, 0 for less than 3 s above the gate; nil if not measured.
  package var rangeLU: Double? {
    guard parts.isSuperset(of: .range) else { return nil }
    var range = 0.0
    guard ebur128_loudness_range(state, &range) == EBUR128_SUCCESS.rawValue else { return nil }
    return range
  }

  /// The highest peak between the samples too, linear, 1 being full scale; nil if not measured.
  package var truePeak: Double? {
    guard parts.isSuperset(of: .truePeak) else { return nil }
    return (0 ..< channelCount).map { truePeak(ofChannel: $0) }.max()
  }

  /// The true peak of a channel; 0 if not measured.
  package func truePeak(ofChannel channel: Int) -> Double {
    var peak = 0.0
    _ = ebur128_true_peak(state, UInt32(channel), &peak)
    return peak
  }

  /// The true peak of a channel in the frames that were measured last; 0 if not measured.
  package func lastTruePeak(ofChannel channel: Int) -> Double {
    var peak = 0.0
    _ = ebur128_prev_true_peak(state, UInt32(channel), &peak)
    return peak
  }

  private func value(
    _ ask: (UnsafeMutablePointer<ebur128_state>, UnsafeMutablePointer<Double>) -> Int32
  ) -> Double {
    var value = -Double.infinity
    guard ask(state, &value) == EBUR128_SUCCESS.rawValue else { return -.infinity }
    return value
  }

  /// Sets the channel layouts that the library lacks.
  ///
  /// It has those of 1 to 6 channels, LFE fourth. Eight channels are 7.1 in the order of WAVE.
  /// Other counts have no known layout, and every channel counts in full.
  private func placeChannels() {
    guard channelCount > 6 else { return }
    for channel in 0 ..< channelCount {
      _ = ebur128_set_channel(
        state, UInt32(channel), Int32(channelCount == 8 ? wave71[channel] : EBUR128_LEFT.int))
    }
  }
}

private let wave71 = [
  EBUR128_LEFT.int, EBUR128_RIGHT.int, EBUR128_CENTER.int, EBUR128_UNUSED.int,
  EBUR128_Mp135.int, EBUR128_Mm135.int, EBUR128_Mp090.int, EBUR128_Mm090.int,
]

extension channel {
  fileprivate var int: Int { Int(rawValue) }
}
