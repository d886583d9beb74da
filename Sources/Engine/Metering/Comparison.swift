// Comparison.swift: the differences between two files. SPDX-License-Identifier: MIT

/// How two files are compared.
package struct ComparisonSettings: Sendable, Equatable {
  /// How the second file is aligned with the first one.
  package enum Delay: Sendable, Equatable {
    /// By the delay that is found.
    case automatic
    /// The number of frames by which the second file is later.
    case frames(Int)
  }

  /// How the files are aligned.
  package var delay = Delay.automatic
  /// Whether the first file is multiplied by the level difference before the files are subtracted.
  package var matchesLevel = false
  /// The difference that does not count for `Comparison.first`, in dBFS; nil for any difference.
  package var threshold: Double?
  /// Whether the data for a plot is collected.
  package var isDrawn = false

  /// Aligns automatically and subtracts the files as they are.
  package init() {}
}

/// The differences between two files: the second one minus the first one.
///
/// Levels are in dB, or in dBFS for peaks: a sample of 1 has 0 dBFS. Minus infinity is no difference.
package struct Comparison: Sendable {
  /// A sample of the difference.
  package struct Position: Sendable, Equatable {
    /// The frame in the first file.
    package var frame: Int
    /// The channel, from 0.
    package var channel: Int
    /// The level of the difference in dBFS; infinity if only one file has NaN or infinity there.
    package var level: Double
  }

  /// The values of one channel, or of all.
  package struct Levels: Sendable, Equatable {
    /// The level of the second file relative to the first one, by least squares; nil if the first file is silent or
    /// the files have nothing in common.
    package var gain: Double?
    /// The mean level of the difference relative to the first file; infinity if only that file is silent.
    package var null: Double
    /// The null depth after the level difference was removed.
    package var matchedNull: Double
    /// The largest sample of the difference in dBFS.
    package var peak: Double
  }

  /// A part of the spectrum, one octave wide.
  package struct Band: Sendable, Equatable {
    /// The nominal centre in Hz.
    package var centreHz: Double
    /// The mean level of the difference relative to the first file in this band; nil if that is silent there.
    package var null: Double?
  }

  /// Samples of a file that are NaN or infinity.
  ///
  /// Invalid samples are compared as silence.
  package struct Invalid: Sendable, Equatable {
    /// The number of samples.
    package var count = 0
    /// The frame of the first one.
    package var firstFrame = 0
  }

  /// The first file.
  package let first: Side
  /// The second file.
  package let second: Side
  /// Whether all samples of both files have the same bits, and no delay was applied.
  package let isIdentical: Bool
  /// The number of frames that the second file is later.
  package let delayFrames: Int
  /// Whether other delays align the files as well, because the sound is periodic.
  ///
  /// The delay is then the smallest of those.
  package let isDelayAmbiguous: Bool
  /// How similar the aligned files are, from 0 to 1; nil if the delay was given.
  package let similarity: Double?
  /// Whether the second file is inverted.
  package let isInverted: Bool
  /// The number of compared frames.
  package let frameCount: Int
  /// The number of silent frames that were added to the first file, or to the second one if negative.
  package let paddingFrames: Int
  /// The values of all channels together.
  package let total: Levels
  /// The values of each channel.
  package let channels: [Levels]
  /// The octaves from 31.5 Hz to 16 kHz below half the sample rate.
  package let bands: [Band]
  /// The largest difference; nil if there is none.
  package let largest: Position?
  /// The first difference above the threshold; nil if there is none.
  package let earliest: Position?
  /// The data for a plot; nil if none was requested.
  package let history: ComparisonHistory?

  /// One of the files.
  package struct Side: Sendable, Equatable {
    /// The name for messages.
    package var name: String
    /// The sample rate in Hz.
    package var sampleRateHz: Int
    /// The number of channels.
    package var channelCount: Int
    /// The length in frames.
    package var frameCount: Int
    /// The highest sample in dBFS.
    package var peak: Double
    /// The invalid samples.
    package var invalid: Invalid
    /// A message about the file; nil for none.
    package var note: String?

    /// Whether all samples are 0 or invalid.
    package var isSilent: Bool { peak == -.infinity }
  }

  /// Below this similarity, the files have nothing in common and are not aligned.
  package static let minimumSimilarity = Alignment.minimumSimilarity
}

/// The data for a plot of a comparison, with as many points as a plot can show.
package struct ComparisonHistory: Sendable {
  /// The seconds of each point.
  package var step: Double
  /// The peak of the first file at each point, in dBFS.
  package var reference: [Double]
  /// The peak of the difference at each point, in dBFS.
  package var difference: [Double]
  /// Frequencies on a logarithmic scale.
  package var bandHz: [Double]
  /// The mean spectrum of the first file at these frequencies; 0 dB is a sine of full scale.
  package var referenceSpectrum: [Double]
  /// The mean spectrum of the difference.
  package var differenceSpectrum: [Double]
}
