// DeviceFormat+Code.swift: the code of a sample format in the conversions. SPDX-License-Identifier: MIT

package import CSamples

extension DeviceFormat {
  /// The size of a sample, in bytes. [any]
  package var byteCount: Int { Int(csamples_byte_count(code)) }

  /// The code of the format in the conversions, which is the number that ALSA uses. [any]
  package var code: csamples_format {
    switch self {
    case .s8: CSAMPLES_S8
    case .u8: CSAMPLES_U8
    case .s16: CSAMPLES_S16
    case .u16: CSAMPLES_U16
    case .s18Packed: CSAMPLES_S18_3
    case .s20Packed: CSAMPLES_S20_3
    case .s24Packed: CSAMPLES_S24_3
    case .s20: CSAMPLES_S20
    case .s24: CSAMPLES_S24
    case .s32: CSAMPLES_S32
    case .u32: CSAMPLES_U32
    case .float: CSAMPLES_FLOAT
    case .float64: CSAMPLES_FLOAT64
    case .s16BigEndian: CSAMPLES_S16_BE
    case .u16BigEndian: CSAMPLES_U16_BE
    case .s18PackedBigEndian: CSAMPLES_S18_3_BE
    case .s20PackedBigEndian: CSAMPLES_S20_3_BE
    case .s24PackedBigEndian: CSAMPLES_S24_3_BE
    case .s20BigEndian: CSAMPLES_S20_BE
    case .s24BigEndian: CSAMPLES_S24_BE
    case .s32BigEndian: CSAMPLES_S32_BE
    case .u32BigEndian: CSAMPLES_U32_BE
    case .floatBigEndian: CSAMPLES_FLOAT_BE
    case .float64BigEndian: CSAMPLES_FLOAT64_BE
    }
  }
}
