// LoudnessMeter.swift: how loud and how high a recording is. SPDX-License-Identifier: MIT

import CEbur128

/// Integrated loudness and true peak of a stream of frames, by libebur128 (ITU-R BS.1770-4, EBU R 128).
package struct LoudnessMeter: ~Copyable {
  private let state: UnsafeMutablePointer<ebur128_state>?
  private let channelCount: Int
  private let measuresTruePeak: Bool

  /// A meter that has heard nothing.
  ///
  /// Nil where the standard does not reach: more than 64 channels, or a rate below 16 Hz. [any]
  package init?(channelCount: Int, sampleRateHz: Int, measuresTruePeak: Bool = false) {
    let mode =
      EBUR128_MODE_I.rawValue | (measuresTruePeak ? EBUR128_MODE_TRUE_PEAK.rawValue : 0)
    guard 1 ... 64 ~= channelCount, sampleRateHz >= 16,
      let state = ebur128_init(UInt32(channelCount), UInt(sampleRateHz), Int32(mode))
    else { return nil }
    self.state = state
    self.channelCount = channelCount
    self.measuresTruePeak = measuresTruePeak
    placeChannels()
  }

  deinit {
    var state = state
    ebur128_destroy(&state)
  }

  /// Takes interleaved frames into account. [any one thread]
  package func measure(_ frames: UnsafePointer<Float>, frameCount: Int) {
    // It fails only for lack of memory, and then the value would be too low, not the sound wrong.
    _ = ebur128_add_frames_float(state, frames, frameCount)
  }

  /// Integrated loudness in LUFS; minus infinity for silence and for less than 0.4 s. [any one thread]
  package var integratedLUFS: Double {
    var value = -Double.infinity
    _ = ebur128_loudness_global(state, &value)
    return value
  }

  /// The highest peak between the samples too, linear, 1 being full scale; nil if not measured.
  package var truePeak: Double? {
    guard measuresTruePeak else { return nil }
    var highest = 0.0
    for channel in 0 ..< channelCount {
      var value = 0.0
      _ = ebur128_true_peak(state, UInt32(channel), &value)
      highest = max(highest, value)
    }
    return highest
  }

  /// Tells the library the layouts that it does not know.
  ///
  /// It knows those of 1 to 6 channels, LFE fourth. Eight are 7.1 in the order of WAVE; other counts
  /// are no known layout, and every channel counts in full.
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
