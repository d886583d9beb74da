// NumberFormatTests.swift: numbers in a readable form. SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct NumberFormatTests {
  @Test(
    arguments: [
      (-0.04, 1, "0.0"), (-0.05, 1, "-0.1"), (-0.06, 1, "-0.1"), (0.05, 1, "0.1"), (0, 2, "0.00"),
      (-0.0, 2, "0.00"), (1.005, 1, "1.0"), (9.999, 2, "10.00"), (0.007, 3, "0.007"),
      (12.5, 0, "13"), (-12.5, 0, "-13"), (1234567.891, 2, "1234567.89"),
      (.nan, 1, "nan"), (.infinity, 3, "inf"), (-.infinity, 0, "-inf"), (1e300, 2, "1e+300"),
      (-1e300, 2, "-1e+300"), (.greatestFiniteMagnitude, 9, "1.7976931348623157e+308"),
      (.leastNonzeroMagnitude, 4, "0.0000"),
    ] as [(Double, Int, String)])
  func `a number has its decimals, no sign at zero, and is correct at the limits`(
    value: Double, places: Int, text: String
  ) {
    #expect(NumberFormat.fixed(value, places: places) == text)
  }

  @Test(
    arguments: [
      (1.5, "1.5"), (2, "2"), (100, "100"), (0.1 + 0.2, "0.3"), (-0.000_01, "0"), (31.25, "31.25"),
      (1.5e20, "1.5e+20"), (1e300, "1e+300"), (.nan, "nan"), (-.infinity, "-inf"),
    ] as [(Double, String)])
  func `a short number loses only trailing zeros`(value: Double, text: String) {
    #expect(NumberFormat.short(value) == text)
  }

  @Test(
    arguments: [
      (0, "0.00 s"), (0.734, "0.73 s"), (9.994, "9.99 s"), (9.996, "10.0 s"), (59.94, "59.9 s"),
      (59.96, "1 min 00 s"), (187, "3 min 07 s"), (3_599.4, "59 min 59 s"),
      (3_599.6, "1 h 00 min"), (7_384, "2 h 03 min"), (1e300, "1e+300 s"), (.infinity, "inf s"),
      (.nan, "nan s"),
    ] as [(Double, String)])
  func `a time span has readable units`(seconds: Double, text: String) {
    #expect(NumberFormat.duration(seconds) == text)
  }

  @Test func `levels and percentages have one decimal`() {
    #expect(NumberFormat.decibels(linear: 0) == "-inf")
    #expect(NumberFormat.decibels(linear: 1) == "0.0")
    #expect(NumberFormat.decibels(linear: 0.5) == "-6.0")
    #expect(NumberFormat.decibels(linear: .nan) == "nan")
    #expect(NumberFormat.percent(0.0423) == "4.2 %")
    #expect(NumberFormat.percent(12) == "1200.0 %")
  }

  @Test func `text is padded by its display width`() {
    #expect(NumberFormat.right("-6.0", 6) == "  -6.0")
    #expect(NumberFormat.right("音", 4) == "  音")
    #expect(NumberFormat.right("too long", 3) == "too long")
  }
}
