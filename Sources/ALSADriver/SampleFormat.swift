// SampleFormat.swift: how a card's samples lie in memory. SPDX-License-Identifier: MIT

package import AudioDriver
import CALSA
package import CSamples

/// A sample format that the driver converts, exactly, to and from the engine's floats.
package typealias SampleFormat = DeviceFormat

extension DeviceFormat {
  /// Best first: those that hold every bit of 24-bit sound, the card's usual ones before the rare.
  package static let preferred: [Self] = [
    .s32, .float, .s24, .s24Packed, .u32, .float64, .s32BigEndian, .floatBigEndian, .s24BigEndian,
    .s24PackedBigEndian, .u32BigEndian, .float64BigEndian, .s20, .s20Packed, .s20BigEndian,
    .s20PackedBigEndian, .s18Packed, .s18PackedBigEndian, .s16, .s16BigEndian, .u16, .u16BigEndian,
    .s8, .u8,
  ]

  /// Bytes that a sample takes. [any]
  package var byteCount: Int { Int(csamples_byte_count(code)) }

  /// The format as the conversions know it, which is by ALSA's numbers. [any]
  package var code: csamples_format { csamples_format(UInt32(inALSA.rawValue)) }

  /// The format as ALSA knows it.
  var inALSA: snd_pcm_format_t {
    switch self {
    case .s8: SND_PCM_FORMAT_S8
    case .u8: SND_PCM_FORMAT_U8
    case .s16: SND_PCM_FORMAT_S16_LE
    case .u16: SND_PCM_FORMAT_U16_LE
    case .s18Packed: SND_PCM_FORMAT_S18_3LE
    case .s20Packed: SND_PCM_FORMAT_S20_3LE
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    case .s20: SND_PCM_FORMAT_S20_LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .u32: SND_PCM_FORMAT_U32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    case .float64: SND_PCM_FORMAT_FLOAT64_LE
    case .s16BigEndian: SND_PCM_FORMAT_S16_BE
    case .u16BigEndian: SND_PCM_FORMAT_U16_BE
    case .s18PackedBigEndian: SND_PCM_FORMAT_S18_3BE
    case .s20PackedBigEndian: SND_PCM_FORMAT_S20_3BE
    case .s24PackedBigEndian: SND_PCM_FORMAT_S24_3BE
    case .s20BigEndian: SND_PCM_FORMAT_S20_BE
    case .s24BigEndian: SND_PCM_FORMAT_S24_BE
    case .s32BigEndian: SND_PCM_FORMAT_S32_BE
    case .u32BigEndian: SND_PCM_FORMAT_U32_BE
    case .floatBigEndian: SND_PCM_FORMAT_FLOAT_BE
    case .float64BigEndian: SND_PCM_FORMAT_FLOAT64_BE
    }
  }
}
