// DeviceFormatTests.swift: formats by name. SPDX-License-Identifier: MIT

import AudioDriver
import CALSA
import CSamples
import Testing

@testable import ALSADriver

@Suite struct DeviceFormatTests {
  @Test(arguments: [
    ("S16", DeviceFormat.s16), ("s16", .s16), ("S16_LE", .s16), ("S24_3LE", .s24Packed),
    ("S24_3BE", .s24PackedBigEndian), ("FLOAT_LE", .float), ("float_be", .floatBigEndian),
    ("U8", .u8), ("S20_3LE", .s20Packed), ("S20_LE", .s20), ("FLOAT64_LE", .float64),
    ("U32_BE", .u32BigEndian),
  ])
  func `a format has our name and ALSA's name`(name: String, format: DeviceFormat) {
    #expect(DeviceFormat(name: name) == format)
  }

  @Test(arguments: ["", "S17", "S8_LE", "U24_LE", "MU_LAW"])
  func `a format without conversion is unknown`(name: String) {
    #expect(DeviceFormat(name: name) == nil)
  }

  @Test(arguments: DeviceFormat.allCases)
  func `a format's name, bytes and bits are those of ALSA`(format: DeviceFormat) {
    let reference = SampleReference(format)
    let inALSA = format.inALSA
    #expect(Int(snd_pcm_format_width(inALSA)) == reference.bits)
    #expect(Int(snd_pcm_format_physical_width(inALSA)) == 8 * reference.byteCount)
    #expect(
      snd_pcm_format_big_endian(inALSA) == (reference.isBigEndian ? 1 : 0) || reference.bits == 8)
    #expect(snd_pcm_format_unsigned(inALSA) == (reference.isUnsigned ? 1 : 0) || reference.isFloat)
    #expect(format.byteCount == reference.byteCount)
  }

  @Test func `each format has a different number`() {
    #expect(Set(DeviceFormat.allCases.map(\.code.rawValue)).count == DeviceFormat.allCases.count)
  }

  @Test func `every format is in the list of preferred formats once`() {
    #expect(Set(DeviceFormat.preferred) == Set(DeviceFormat.allCases))
    #expect(DeviceFormat.preferred.count == DeviceFormat.allCases.count)
  }
}
