// MeterValues.swift: the reading of a meter. SPDX-License-Identifier: MIT

/// A meter's values; levels in dBFS, loudness in LUFS, nil for silence.
package struct MeterValues: Codable, Sendable, Equatable {
  /// A channel's levels.
  package struct Channel: Codable, Sendable, Equatable {
    /// The falling sample peak, and the one that is held.
    package var peak: Double?
    package var held: Double?
    /// The highest since the start, among the samples and between them.
    package var highest: Double?
    package var truePeak: Double?
    /// Mean level of the last 0.3 s.
    package var rms: Double?
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
    /// Its nominal centre, in Hz.
    package var hz: Double
    package var level: Double?

    /// A band with its level.
    package init(hz: Double, level: Double) { (self.hz, self.level) = (hz, level.finiteForJSON) }
  }

  /// `input`, `output`, or the name of a node.
  package var name: String
  /// The measured time, in seconds.
  package var seconds: Double
  package var lostFrames: Int
  package var channels: [Channel]
  package var momentary: Double?
  package var shortTerm: Double?
  package var integrated: Double?
  package var highestMomentary: Double?
  package var highestShortTerm: Double?
  /// The loudness range in LU.
  package var range: Double?
  package var correlation: Double?
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
