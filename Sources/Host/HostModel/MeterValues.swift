// MeterValues.swift: the reading of a meter. SPDX-License-Identifier: MIT

/// A meter's values; levels in dBFS, loudness in LUFS, nil for silence.
package struct MeterValues: Codable, Sendable, Equatable {
  /// A channel's levels.
  package struct Channel: Codable, Sendable, Equatable {
    /// The sample peak, which falls by 20 dB in 1.7 s.
    package var peak: Double?
    /// The highest sample of the last second.
    package var held: Double?
    /// The highest sample since the start.
    package var highest: Double?
    /// The highest true peak since the start.
    package var truePeak: Double?
    /// Mean level of the last 0.3 s.
    package var rms: Double?
    /// The number of clips since the start.
    package var clips: Int
    /// Mean of all samples.
    package var offset: Double

    /// Creates levels; omits values that are not finite.
    package init(
      peak: Double, held: Double, highest: Double, truePeak: Double, rms: Double, clips: Int,
      offset: Double
    ) {
      (self.peak, self.held) = (peak.finiteForJSON, held.finiteForJSON)
      (self.highest, self.truePeak) = (highest.finiteForJSON, truePeak.finiteForJSON)
      (self.rms, self.clips, self.offset) = (rms.finiteForJSON, clips, offset)
    }
  }

  /// A third of an octave.
  package struct Band: Codable, Sendable, Equatable {
    /// The nominal centre, in Hz.
    package var hz: Double
    /// The level in dBFS.
    package var level: Double?

    /// A band with its level.
    package init(hz: Double, level: Double) { (self.hz, self.level) = (hz, level.finiteForJSON) }
  }

  /// `input`, `output`, or the name of a node.
  package var name: String
  /// The measured time, in seconds.
  package var seconds: Double
  /// The number of frames that were not measured.
  package var lostFrames: Int
  /// The levels of the channels.
  package var channels: [Channel]
  /// The loudness of the last 0.4 s.
  package var momentary: Double?
  /// The loudness of the last 3 s.
  package var shortTerm: Double?
  /// The gated loudness since the start.
  package var integrated: Double?
  /// The highest momentary loudness since the start.
  package var highestMomentary: Double?
  /// The highest short-term loudness since the start.
  package var highestShortTerm: Double?
  /// The loudness range in LU.
  package var range: Double?
  /// The correlation of two channels, from -1 to 1.
  package var correlation: Double?
  /// The third-octave bands, if requested.
  package var bands: [Band]

  /// Creates the values of a meter without a reading.
  package init(name: String, seconds: Double, lostFrames: Int) {
    (self.name, self.seconds, self.lostFrames) = (name, seconds, lostFrames)
    channels = []
    bands = []
  }
}

extension Double {
  /// The value for JSON, which has no infinity: nil for silence, 1000 for positive infinity.
  package var finiteForJSON: Double? {
    isNaN || self == -.infinity ? nil : Swift.min(self, 1_000)
  }
}
