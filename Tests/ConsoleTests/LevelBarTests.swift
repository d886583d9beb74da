// LevelBarTests.swift: a level as a bar of text. SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct LevelBarTests {
  @Test(
    arguments: [
      (-.infinity, "··········"), (-200, "··········"), (-60, "··········"), (-59.2, "▏·········"),
      (-54, "█·········"), (-30, "█████·····"), (-27, "█████▌····"), (-0.000_001, "█████████▉"),
      (0, "██████████"), (0.1, "█████████!"), (.infinity, "█████████!"), (.nan, "█████████!"),
    ] as [(Double, String)])
  func `a bar reaches from the floor to full scale, and shows an overload`(
    decibels: Double, bar: String
  ) {
    #expect(LevelBar.text(decibels: decibels, width: 10) == bar)
  }

  @Test(arguments: [0, 1, 2, 12, 200])
  func `a bar has the requested width at every level`(width: Int) {
    for decibels in stride(from: -70.0, through: 6, by: 0.37) {
      #expect(LevelBar.text(decibels: decibels, width: width).count == width)
    }
  }

  @Test func `a linear level is converted to decibels`() {
    #expect(LevelBar.text(linear: 0, width: 4) == "····")
    #expect(LevelBar.text(linear: 1, width: 4) == "████")
    #expect(LevelBar.text(linear: 1.01, width: 4) == "███!")
  }
}
