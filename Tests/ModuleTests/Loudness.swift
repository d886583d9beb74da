// Loudness.swift: loudness and true peaks, measured by libebur128. SPDX-License-Identifier: MIT

import CEbur128
import Foundation
import ModuleTestSupport

/// Measurements after ITU-R BS.1770, at 48 kHz.
enum Loudness {
  /// The integrated loudness in LUFS; one channel counts as two equal ones.
  static func integrated(_ channels: [[Float]]) -> Double {
    measure(channels) { state, _ in
      var loudness = 0.0
      ebur128_loudness_global(state, &loudness)
      return loudness
    }
  }

  /// The highest momentary loudness (400 ms) in LUFS, measured every 100 ms.
  static func highestMomentary(_ channels: [[Float]]) -> Double {
    var highest = -Double.infinity
    _ = measure(channels, step: 4_800) { state, _ in
      var loudness = 0.0
      ebur128_loudness_momentary(state, &loudness)
      highest = max(highest, loudness)
      return loudness
    }
    return highest
  }

  /// The highest true peak of all channels, in dBTP.
  static func truePeak(_ channels: [[Float]]) -> Double {
    measure(channels, mode: EBUR128_MODE_TRUE_PEAK) { state, count in
      var highest = 0.0
      for channel in 0 ..< count {
        var peak = 0.0
        ebur128_true_peak(state, UInt32(channel), &peak)
        highest = max(highest, peak)
      }
      return Measure.decibels(highest)
    }
  }

  /// The channels, scaled to a loudness.
  static func scaled(_ channels: [[Float]], to loudness: Double) -> [[Float]] {
    let gain = Float(pow(10, (loudness - integrated(channels)) / 20))
    return Programme.scaled(channels, by: gain)
  }

  private static func measure(
    _ channels: [[Float]], mode: mode = EBUR128_MODE_I, step: Int? = nil,
    _ read: (UnsafeMutablePointer<ebur128_state>?, _ channelCount: Int) -> Double
  ) -> Double {
    let sides = channels.count == 1 ? [channels[0], channels[0]] : channels
    // Only the requested mode, because true peaks need several times the time of loudness.
    var state = ebur128_init(UInt32(sides.count), 48_000, Int32(mode.rawValue))
    defer { ebur128_destroy(&state) }
    let frameCount = sides[0].count
    var result = Double.nan
    for start in stride(from: 0, to: frameCount, by: step ?? frameCount) {
      let frames = start ..< min(start + (step ?? frameCount), frameCount)
      var interleaved: [Float] = []
      interleaved.reserveCapacity(frames.count * sides.count)
      for frame in frames {
        for side in sides { interleaved.append(side[frame]) }
      }
      ebur128_add_frames_float(state, interleaved, frames.count)
      result = read(state, sides.count)
    }
    return result
  }
}
