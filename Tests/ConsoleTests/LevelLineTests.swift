// LevelLineTests.swift: levels and numbers on terminals of any width. SPDX-License-Identifier: MIT

import Testing

@testable import Console

@Suite struct LevelLineTests {
  private let line = LevelLine(
    [.init("in", peak: 0.25), .init("out", peak: 0.5)],
    values: ["load   4.1 %", "xruns 12"], others: ["clipped 3", "drift 12 ppm"])

  @Test func `a wide terminal shows all, with bars`() {
    let text = line.text(columns: 120)
    #expect(text.contains("█"))
    #expect(text.hasSuffix("load   4.1 %   xruns 12   clipped 3   drift 12 ppm"))
    #expect(text.count <= 119)
  }

  @Test(arguments: 1 ... 200)
  func `load and xruns are shown if there is room`(columns: Int) {
    let text = line.text(columns: columns)
    let shown = text.prefix(max(0, columns - 1))
    let unpadded = shown.split(separator: " ").joined(separator: " ")
    if columns > "load 4.1 % xruns 12".count {
      #expect(unpadded.contains("load 4.1 %") && unpadded.contains("xruns 12"), "\(text)")
    }
    if columns >= 40 { #expect(text.count < columns && text.contains("out"), "\(text)") }
  }

  @Test func `forty columns have room for the levels`() {
    #expect(line.text(columns: 40) == "in -12.0 out -6.0 load 4.1 % xruns 12")
  }
}
