// SampleFormat.swift: how a card's samples lie in memory. SPDX-License-Identifier: MIT

import CALSA
package import CSamples

/// A sample format that the driver converts, exactly, to and from the engine's floats.
package enum SampleFormat: String, CaseIterable, Sendable {
  /// 16 bits, little-endian (`SND_PCM_FORMAT_S16_LE`).
  case s16 = "S16"
  /// 24 bits in three bytes, little-endian (`SND_PCM_FORMAT_S24_3LE`).
  case s24Packed = "S24_3"
  /// 24 bits in the low end of four bytes, little-endian (`SND_PCM_FORMAT_S24_LE`).
  case s24 = "S24"
  /// 32 bits, little-endian (`SND_PCM_FORMAT_S32_LE`).
  case s32 = "S32"
  /// 32-bit float, little-endian (`SND_PCM_FORMAT_FLOAT_LE`).
  case float = "FLOAT"
  /// 16 bits, big-endian (`SND_PCM_FORMAT_S16_BE`).
  case s16BigEndian = "S16_BE"
  /// 24 bits in three bytes, big-endian (`SND_PCM_FORMAT_S24_3BE`).
  case s24PackedBigEndian = "S24_3_BE"
  /// 24 bits in the low end of four bytes, big-endian (`SND_PCM_FORMAT_S24_BE`).
  case s24BigEndian = "S24_BE"
  /// 32 bits, big-endian (`SND_PCM_FORMAT_S32_BE`).
  case s32BigEndian = "S32_BE"
  /// 32-bit float, big-endian (`SND_PCM_FORMAT_FLOAT_BE`).
  case floatBigEndian = "FLOAT_BE"

  /// Best first: those that hold every bit of 24-bit sound, the card's usual ones before the rare.
  package static let preferred: [Self] = [
    .s32, .float, .s24, .s24Packed, .s16, .s32BigEndian, .floatBigEndian, .s24BigEndian,
    .s24PackedBigEndian, .s16BigEndian,
  ]

  /// The format of that name, in either case; ALSA's own spelling, `S16_LE` or `S24_3LE`, will do. [any]
  package init?(name: String) {
    let name = name.uppercased()
    let found = Self.allCases.first { format in
      format.rawValue == name || String(cString: snd_pcm_format_name(format.inALSA)) == name
        || format.rawValue + "_LE" == name
    }
    guard let found else { return nil }
    self = found
  }

  /// Bytes that a sample takes. [any]
  package var byteCount: Int {
    switch self {
    case .s16, .s16BigEndian: 2
    case .s24Packed, .s24PackedBigEndian: 3
    default: 4
    }
  }

  /// The format as the conversions know it. [any]
  package var code: csamples_format {
    switch self {
    case .s16: CSAMPLES_S16
    case .s24Packed: CSAMPLES_S24_3
    case .s24: CSAMPLES_S24
    case .s32: CSAMPLES_S32
    case .float: CSAMPLES_FLOAT
    case .s16BigEndian: CSAMPLES_S16_BE
    case .s24PackedBigEndian: CSAMPLES_S24_3_BE
    case .s24BigEndian: CSAMPLES_S24_BE
    case .s32BigEndian: CSAMPLES_S32_BE
    case .floatBigEndian: CSAMPLES_FLOAT_BE
    }
  }

  /// The format as ALSA knows it.
  var inALSA: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .s16BigEndian: SND_PCM_FORMAT_S16_BE
    case .s24PackedBigEndian: SND_PCM_FORMAT_S24_3BE
    case .s24BigEndian: SND_PCM_FORMAT_S24_BE
    case .s32BigEndian: SND_PCM_FORMAT_S32_BE
    case .floatBigEndian: SND_PCM_FORMAT_FLOAT_BE
    }
  }
}
