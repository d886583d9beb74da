// SampleFormatTests.swift: formats by name. SPDX-License-Identifier: MIT

import CSamples
import Testing

@testable import ALSADriver

@Suite struct SampleFormatTests {
  @Test(arguments: [
    ("S16", SampleFormat.s16), ("s16", .s16), ("S16_LE", .s16), ("S24_3LE", .s24Packed),
    ("S24_3BE", .s24PackedBigEndian), ("FLOAT_LE", .float), ("float_be", .floatBigEndian),
  ])
  func `a format is known by our name and by ALSA's`(name: String, format: SampleFormat) {
    #expect(SampleFormat(name: name) == format)
  }

  @Test(arguments: ["", "S17", "U8", "MU_LAW"])
  func `a format that is not converted is not known`(name: String) {
    #expect(SampleFormat(name: name) == nil)
  }

  @Test func `each format has a number of its own, in the order of the names`() {
    #expect(SampleFormat.allCases.map(\.code.rawValue) == Array(0 ..< 10))
  }

  @Test func `every format is among the preferred, once`() {
    #expect(Set(SampleFormat.preferred) == Set(SampleFormat.allCases))
    #expect(SampleFormat.preferred.count == SampleFormat.allCases.count)
  }
}
