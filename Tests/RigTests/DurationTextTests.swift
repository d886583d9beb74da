// DurationTextTests.swift: times in the forms that people write. SPDX-License-Identifier: MIT

import Testing

@testable import Manifests

@Suite struct DurationTextTests {
  @Test func `times with units, without units, and in clock format`() {
    for (text, seconds) in [
      ("90", 90), ("1.5 min", 90), ("90 s", 90), ("1:30", 90), ("0:00.25", 0.25), ("250 ms", 0.25),
      ("1:02:03.5", 3_723.5), ("90:00", 5_400), ("2 h", 7_200),
    ] { #expect(DurationText.seconds(text) == seconds, "\(text)") }
    for text in [
      "", "1:", ":1", "1:60", "1.5:10", "1:2:3:4", "-1", "-1:00", "1:-5", "soon", "3 dB",
    ] {
      #expect(DurationText.seconds(text) == nil, "\(text)")
    }
    #expect(DurationText.text(3_723.59) == "1:02:03.5" && DurationText.text(7) == "0:07.0")
  }
}
