// DeviceFormat+ALSA.swift: sample formats in ALSA. SPDX-License-Identifier: MIT

package import AudioDriver
import CALSA
import CSamples

extension DeviceFormat {
  /// The formats in order of preference: first those with at least 24 bits, common ones before rare
  /// ones.
  package static let preferred: [Self] = [
    .s32, .float, .s24, .s24Packed, .u32, .float64, .s32BigEndian, .floatBigEndian, .s24BigEndian,
    .s24PackedBigEndian, .u32BigEndian, .float64BigEndian, .s20, .s20Packed, .s20BigEndian,
    .s20PackedBigEndian, .s18Packed, .s18PackedBigEndian, .s16, .s16BigEndian, .u16, .u16BigEndian,
    .s8, .u8,
  ]

  /// The ALSA format, which has the same number as in the conversions.
  var inALSA: snd_pcm_format_t { snd_pcm_format_t(Int32(code.rawValue)) }
}
