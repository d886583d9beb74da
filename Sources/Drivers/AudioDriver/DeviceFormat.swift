// DeviceFormat.swift: the sample formats of devices. SPDX-License-Identifier: MIT

/// A sample format of a device, named as in requests, rigs and reports.
///
/// The list contains the linear formats of kernel drivers and of ALSA's plug-ins: sound cards, USB
/// and FireWire devices, on-board chips (18 and 20 bits), virtual machines (unsigned 16 and 32
/// bits), and 64-bit float. Names without a byte order are little-endian.
package enum DeviceFormat: String, CaseIterable, Sendable {
  /// 8 bits.
  case s8 = "S8"
  /// 8 bits, silence at 128.
  case u8 = "U8"
  /// 16 bits.
  case s16 = "S16"
  /// 16 bits, silence at 32768.
  case u16 = "U16"
  /// 18 bits in the low end of three bytes.
  case s18Packed = "S18_3"
  /// 20 bits in the low end of three bytes.
  case s20Packed = "S20_3"
  /// 24 bits in three bytes.
  case s24Packed = "S24_3"
  /// 20 bits in the low end of four bytes.
  case s20 = "S20"
  /// 24 bits in the low end of four bytes.
  case s24 = "S24"
  /// 32 bits.
  case s32 = "S32"
  /// 32 bits, silence at 2^31.
  case u32 = "U32"
  /// 32-bit float.
  case float = "FLOAT"
  /// 64-bit float.
  case float64 = "FLOAT64"

  /// 16 bits, big-endian.
  case s16BigEndian = "S16_BE"
  /// 16 bits, silence at 32768, big-endian.
  case u16BigEndian = "U16_BE"
  /// 18 bits in the low end of three bytes, big-endian.
  case s18PackedBigEndian = "S18_3_BE"
  /// 20 bits in the low end of three bytes, big-endian.
  case s20PackedBigEndian = "S20_3_BE"
  /// 24 bits in three bytes, big-endian.
  case s24PackedBigEndian = "S24_3_BE"
  /// 20 bits in the low end of four bytes, big-endian.
  case s20BigEndian = "S20_BE"
  /// 24 bits in the low end of four bytes, big-endian.
  case s24BigEndian = "S24_BE"
  /// 32 bits, big-endian.
  case s32BigEndian = "S32_BE"
  /// 32 bits, silence at 2^31, big-endian.
  case u32BigEndian = "U32_BE"
  /// 32-bit float, big-endian.
  case floatBigEndian = "FLOAT_BE"
  /// 64-bit float, big-endian.
  case float64BigEndian = "FLOAT64_BE"

  /// Finds a format by its name, ignoring case; accepts ALSA's spelling, `S16_LE` or `S24_3LE`.
  /// [any]
  package init?(name: String) {
    let name = name.uppercased()
    guard let found = Self.allCases.first(where: { $0.spellings.contains(name) }) else {
      return nil
    }
    self = found
  }

  /// The name, and ALSA's if that differs.
  private var spellings: [String] {
    if self == .s8 || self == .u8 { return [rawValue] }
    if rawValue.hasSuffix("_3_BE") { return [rawValue, "\(rawValue.dropLast(3))BE"] }
    if rawValue.hasSuffix("_BE") { return [rawValue] }
    return [rawValue, "\(rawValue)_LE"] + (rawValue.hasSuffix("_3") ? ["\(rawValue)LE"] : [])
  }

  /// The names of all formats. [any]
  package static var names: [String] { allCases.map(\.rawValue) }
}
