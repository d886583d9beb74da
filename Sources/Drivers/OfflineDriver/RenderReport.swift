// RenderReport.swift: what to render, how far it is, what came out. SPDX-License-Identifier: MIT

import Glibc

/// How a rendering is done.
package struct RenderSettings: Sendable, Equatable {
  /// What follows the end of the input.
  package enum Tail: Sendable, Equatable {
    /// A length in seconds, at least 0.
    case seconds(Double)
    /// Until the output stays at or below a level (linear) for a time, and no longer than a maximum.
    case untilSilent(threshold: Float, holdSeconds: Double, maximumSeconds: Double)

    /// -90 dBFS for half a second, and half a minute at most.
    package static var standard: Self {
      .untilSilent(threshold: 0x1p-15, holdSeconds: 0.5, maximumSeconds: 30)
    }
  }

  /// Frames in every block, at most the renderer's maximum.
  package var blockFrames: Int
  /// Frames cut from the start, so that the output is in line with the input.
  package var latencyFrames: Int
  /// What follows the end of the input; nothing does where there is none.
  package var tail: Tail
  /// How long MIDI that was laid down lasts, in seconds; nil where there is none.
  ///
  /// The input ends no sooner; without any other input that is its end.
  package var eventSeconds: Double?
  /// Where the input is cut, in seconds, and the whole length where there is none; nil for its end.
  package var seconds: Double?
  /// Whether each block is handed on at once, as somebody waits for it, and nothing is measured.
  package var isPrompt = false
  /// A tail that ends abruptly continues with silence up to a multiple of this number of frames.
  ///
  /// Use more than the longest block for plugins that cut their tail at the end of a block, or 1
  /// for none.
  package var tailGridFrames = 1
  /// The longest block that a rendering is made in, in frames.
  package static let longestBlockFrames = 8_192
  /// Whether every block has the whole length, as a node insists on it.
  package var keepsBlocks = false

  /// Blocks of 1024 frames, no latency, the standard tail, the whole input.
  package init() {
    blockFrames = 1024
    latencyFrames = 0
    tail = .standard
  }
}

/// How far a rendering is.
package struct RenderProgress: Sendable, Equatable {
  /// Sound rendered so far, in seconds.
  package var seconds: Double
  /// Length of the input in seconds, if that is known.
  package var totalSeconds: Double?
  /// Sound per time.
  package var timesRealTime: Double
}

/// What a rendering came to.
package struct RenderReport: Sendable, Equatable {
  /// Frames written.
  package var frameCount: Int
  /// Frames of them behind the end of the input.
  package var tailFrameCount = 0
  /// Length of the output in seconds.
  package var seconds: Double
  /// Time it took in seconds.
  package var elapsedSeconds: Double
  /// The peak of each channel, linear, 1 being full scale.
  package var peaks: [Float]
  /// Integrated loudness in LUFS, minus infinity for silence; nil where it is not defined.
  package var loudnessLUFS: Double?
  /// Samples that were clipped by an integer format.
  package var clippedSampleCount: Int
  /// Samples that were no numbers, and are silent.
  package var faultySampleCount = 0
  /// The place of the first of them, in seconds.
  package var firstFaultSeconds = 0.0
  /// Samples of the input that were not numbers, and became silence before any node received them.
  package var faultyInputSampleCount = 0
  /// The place of the first of them, in seconds.
  package var firstInputFaultSeconds = 0.0
  /// What the gains of connections in a row come to, in dB, where samples overflowed and these are so high that
  /// they are the likely cause; nil otherwise.
  package var overflowingGainDecibels: Double?
  /// Messages for the user, one sentence each.
  package var notes: [String]

  /// Sound per time.
  package var timesRealTime: Double { seconds / max(elapsedSeconds, 1e-9) }
  /// The highest peak in dBFS; minus infinity for silence.
  package var peakDecibels: Double { 20 * log10(Double(peaks.max() ?? 0)) }
}
