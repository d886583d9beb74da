// MeterReading.swift: the reading of a meter. SPDX-License-Identifier: MIT

/// The values that a meter reports about the audio that passed through it.
///
/// Levels are in dBFS and loudness in LUFS; silence is minus infinity. A sine of full scale is 0
/// dBFS, in its peak as in its mean level.
package struct MeterReading: Sendable, Equatable {
  /// A channel's levels.
  package struct Channel: Sendable, Equatable {
    /// The sample peak, falling by 20 dB in 1.7 s (IEC 60268-18).
    package var peak: Double
    /// The highest recent peak, shown for 1 s (IEC 60268-18).
    package var held: Double
    /// The highest sample since the start; infinity after NaN or infinity.
    package var highest: Double
    /// The highest point between the samples since the start (ITU-R BS.1770-4, annex 2).
    package var truePeak: Double
    /// The mean level of the last 0.3 s, the integration time of a VU meter (IEC 60268-17); 0 for a
    /// full-scale sine (AES17).
    package var mean: Double
    /// The number of times that three or more consecutive samples were at full scale, or one was
    /// above it.
    package var clipCount: Int
    /// The mean of all samples; 1 is full scale.
    package var offset: Double
  }

  /// A part of the spectrum.
  package struct Band: Sendable, Equatable {
    /// The nominal middle.
    package var centreHz: Double
    /// The level of the mean power of all channels; 0 for a full-scale sine in all of them.
    package var level: Double
  }

  /// The measured time, in seconds.
  package var seconds: Double
  /// Frames that came too fast to be measured.
  package var lostFrameCount: Int
  /// The readings of the channels.
  package var channels: [Channel]
  /// The loudness of the last 0.4 s, in LUFS.
  package var momentary: Double
  /// The highest momentary loudness since the start, in LUFS, updated every 10 ms.
  package var highestMomentary: Double
  /// The loudness of the last 3 s, in LUFS.
  package var shortTerm: Double
  /// The highest short-term loudness since the start, in LUFS, updated every 100 ms.
  package var highestShortTerm: Double
  /// Gated loudness since the start.
  package var integrated: Double
  /// The loudness range in LU; nil before there are 3 s of sound.
  package var range: Double?
  /// The correlation of the two channels in the last 0.3 s: 1 for equal, -1 for inverted; nil for
  /// silence and for another number of channels.
  package var correlation: Double?
  /// Third-octave bands (IEC 61260-1), with the time constant F of a sound level meter (125 ms, IEC
  /// 61672-1); empty if not measured.
  package var bands: [Band]

  /// The highest true peak of all channels.
  package var truePeak: Double { channels.map(\.truePeak).max() ?? -.infinity }
  /// The highest sample of all channels.
  package var highest: Double { channels.map(\.highest).max() ?? -.infinity }
  /// Clips of all channels.
  package var clipCount: Int { channels.reduce(0) { $0 + $1.clipCount } }
}
