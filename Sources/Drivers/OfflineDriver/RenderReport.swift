// RenderReport.swift: the settings, progress and result of a rendering. SPDX-License-Identifier:
// MIT

import Glibc

/// The settings of a rendering.
package struct RenderSettings: Sendable, Equatable {
  /// How long to render after the end of the input.
  package enum Tail: Sendable, Equatable {
    /// A length in seconds, at least 0.
    case seconds(Double)
    /// Until the output stays at or below a level (linear) for a time, and no longer than a maximum.
    case untilSilent(threshold: Float, holdSeconds: Double, maximumSeconds: Double)

    /// -90 dBFS for half a second, and at most half a minute.
    package static var standard: Self {
      .untilSilent(threshold: 0x1p-15, holdSeconds: 0.5, maximumSeconds: 30)
    }
  }

  /// The block length in frames, at most the renderer's maximum.
  package var blockFrames: Int
  /// Frames that are cut from the start, so that the output is aligned with the input.
  package var latencyFrames: Int
  /// The tail after the end of the input; unused without an input.
  package var tail: Tail
  /// The length of scheduled MIDI, in seconds; nil if there is none.
  ///
  /// The input lasts at least as long; without another input it ends there.
  package var eventSeconds: Double?
  /// The length of the input to render, or the total length without an input, in seconds; nil for
  /// the whole input.
  package var seconds: Double?
  /// Whether each block is passed on at once, because a reader waits for it, and nothing is
  /// measured.
  package var flushesEveryBlock = false
  /// A tail that ends by itself continues with silence up to a multiple of this number of frames.
  ///
  /// Use more than the longest block for plugins that cut their tail at the end of a block, or 1
  /// for none.
  package var tailGridFrames = 1
  /// The longest block length of a rendering, in frames.
  package static let longestBlockFrames = 8_192
  /// Whether every block must have the whole length, because a node requires it.
  package var keepsBlocks = false

  /// Creates settings with blocks of 1024 frames, no latency, the standard tail, and the whole
  /// input.
  package init() {
    blockFrames = 1024
    latencyFrames = 0
    tail = .standard
  }
}

/// The progress of a rendering.
package struct RenderProgress: Sendable, Equatable {
  /// The audio rendered so far, in seconds.
  package var seconds: Double
  /// The length of the input in seconds, if it is known.
  package var totalSeconds: Double?
  /// The seconds of audio per second.
  package var timesRealTime: Double
}

/// The result of a rendering.
package struct RenderReport: Sendable, Equatable {
  /// The number of frames written.
  package var frameCount: Int
  /// The number of those frames after the end of the input.
  package var tailFrameCount = 0
  /// The length of the tail that was cut before it was silent, in seconds; nil otherwise.
  package var cutTailSeconds: Double?
  /// The length of the output, in seconds.
  package var seconds: Double
  /// The duration of the rendering, in seconds.
  package var elapsedSeconds: Double
  /// The peak of each channel, linear; 1 is full scale.
  package var peaks: [Float]
  /// The integrated loudness in LUFS, minus infinity for silence; nil if it is not defined.
  package var loudnessLUFS: Double?
  /// The number of samples that were clipped by an integer format.
  package var clippedSampleCount: Int
  /// The number of invalid output samples, which were replaced by silence.
  package var faultySampleCount = 0
  /// The position of the first of them, in seconds.
  package var firstFaultSeconds = 0.0
  /// The number of invalid input samples, which were replaced by silence before a node received
  /// them.
  package var faultyInputSampleCount = 0
  /// The position of the first of them, in seconds.
  package var firstInputFaultSeconds = 0.0
  /// The total gain of consecutive connections, in dB, if samples overflowed and it is above 0; infinite for a loop
  /// that amplifies; otherwise nil.
  package var overflowingGainDecibels: Double?
  /// Messages for the user.
  package var notes: [String]

  /// The seconds of audio per second.
  package var timesRealTime: Double { seconds / max(elapsedSeconds, 1e-9) }
  /// The highest peak in dBFS; minus infinity for silence.
  package var peakDecibels: Double { 20 * log10(Double(peaks.max() ?? 0)) }
}
