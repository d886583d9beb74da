// LoudnessTarget.swift: the loudness and the true peak that files are set to. SPDX-License-Identifier: MIT

/// A loudness, and a limit for the true peak.
package struct LoudnessTarget: Sendable, Equatable, Codable {
  /// The integrated loudness in LUFS.
  package var loudness: Double
  /// The highest true peak in dBTP.
  package var truePeak: Double

  /// The accepted range of `loudness`.
  package static let loudnessRange = -60.0 ... 0.0
  /// The accepted range of `truePeak`.
  package static let truePeakRange = -20.0 ... 0.0
  /// The limit of the true peak if none is given.
  package static let defaultTruePeak = -1.0
  /// The accepted deviation in LU.
  package static let tolerance = 0.1

  /// Creates a target.
  package init(loudness: Double, truePeak: Double = Self.defaultTruePeak) {
    (self.loudness, self.truePeak) = (loudness, truePeak)
  }

  /// Published targets by name: EBU R 128 (2023), ATSC A/85 (2013), Apple's recommendation for podcasts, what Spotify
  /// and YouTube play at, and ReplayGain 2.0.
  package static let presets: [(name: String, target: LoudnessTarget)] = [
    ("ebu-r128", LoudnessTarget(loudness: -23, truePeak: -1)),
    ("atsc-a85", LoudnessTarget(loudness: -24, truePeak: -2)),
    ("podcast", LoudnessTarget(loudness: -16, truePeak: -1)),
    ("streaming", LoudnessTarget(loudness: -14, truePeak: -1)),
    ("replaygain", LoudnessTarget(loudness: -18, truePeak: -1)),
  ]

  /// Finds a preset; nil if it is unknown. [any]
  package init?(preset name: String) {
    guard let found = Self.presets.first(where: { $0.name == name.lowercased() }) else {
      return nil
    }
    self = found.target
  }
}

/// The measured loudness and true peak of a file.
package struct LoudnessLevels: Sendable, Equatable, Codable {
  /// The integrated loudness in LUFS; minus infinity for silence and for less than 0.4 s.
  package var loudness: Double
  /// The true peak in dBTP.
  package var truePeak: Double

  /// Creates a measurement.
  package init(loudness: Double, truePeak: Double) {
    (self.loudness, self.truePeak) = (loudness, truePeak)
  }
}
