// ScreenUpdateTests.swift: the grid of cells, and what is written for its changes. SPDX-License-Identifier: MIT

import Testing

@testable import TerminalUI

@Suite struct ScreenUpdateTests {
  private func buffer(_ lines: [String], columns: Int = 20) -> CellBuffer {
    var buffer = CellBuffer(rows: lines.count, columns: columns)
    for (row, line) in lines.enumerated() {
      buffer.write(line, in: buffer.bounds.line(row), .plain)
    }
    return buffer
  }

  /// What a terminal shows after the text, for the few sequences that are used.
  private func shown(_ text: String, over old: CellBuffer?, rows: Int, columns: Int) -> [String] {
    var grid = (0 ..< rows).map { row in
      (0 ..< columns).map { old?[row, $0].character ?? " " }
    }
    var place = (row: 0, column: 0)
    var rest = Substring(text)
    while let character = rest.popFirst() {
      guard character == "\u{1b}" else {
        grid[place.row][place.column] = character
        place.column += 1
        continue
      }
      let body = rest.dropFirst().prefix { !$0.isLetter }
      rest = rest.dropFirst(1 + body.count)
      let final = rest.popFirst()
      if final == "H" {
        let numbers = body.split(separator: ";").compactMap { Int($0) }
        place = (numbers[0] - 1, numbers[1] - 1)
      } else if final == "J" {
        grid = grid.map { $0.map { _ in " " } }
      }
    }
    return grid.map { String($0) }
  }

  @Test func `only changed cells are written`() {
    let old = buffer(["level -12.3 dB", "second"])
    let new = buffer(["level -12.4 dB", "second"])
    let text = ScreenUpdate.text(from: old, to: new, depth: .none)
    #expect(text == "\u{1b}[?2026h\u{1b}[1;11H\u{1b}[0m4\u{1b}[0m\u{1b}[?2026l")
    #expect(ScreenUpdate.text(from: new, to: new, depth: .palette) == "")
  }

  @Test func `a screen of unknown contents or another size is written as a whole`() {
    let new = buffer(["one", "two"])
    for old in [nil, buffer(["one", "two", "three"])] {
      let text = ScreenUpdate.text(from: old, to: new, depth: .none)
      #expect(text.contains("\u{1b}[2J"))
      #expect(
        shown(text, over: nil, rows: 2, columns: 20).map { $0.split(separator: " ") } == [
          ["one"], ["two"],
        ])
    }
  }

  @Test func `any change of a screen leads to the new screen`() {
    var random = SystemRandomNumberGenerator()
    var old = buffer(Array(repeating: "", count: 5))
    for _ in 0 ..< 500 {
      var new = old
      for _ in 0 ..< Int.random(in: 0 ... 6, using: &random) {
        var place = new.bounds.line(Int.random(in: 0 ..< 5, using: &random))
        place.column = Int.random(in: -2 ..< 22, using: &random)
        new.write(
          ["a", "bc", "━━●──", "x y"].randomElement(using: &random) ?? "", in: place,
          Style([.plain, .accent].randomElement(using: &random) ?? .plain))
      }
      let text = ScreenUpdate.text(from: old, to: new, depth: .sixteen)
      let expected = (0 ..< 5).map { row in String((0 ..< 20).map { new[row, $0].character }) }
      #expect(shown(text, over: old, rows: 5, columns: 20) == expected)
      old = new
    }
  }

  @Test func `hostile names cannot steer the terminal`() {
    let hostile =
      "\u{1b}[2J\u{9b}31m\u{202e}name\u{7}\r\n" + String(repeating: "\u{301}", count: 5_000)
    let text = ScreenUpdate.text(
      from: nil, to: buffer([hostile], columns: 80), depth: .none)
    let sequences = text.split(separator: "\u{1b}").map { $0.prefix(6) }
    #expect(!sequences.dropFirst(3).contains { $0.hasPrefix("[2J") })
    #expect(!text.unicodeScalars.contains { [0x9b, 0x202e, 0x07, 0x0d, 0x0a].contains($0.value) })
    #expect(text.unicodeScalars.count < 500)
  }

  @Test func `wide characters take two cells, and half of one is never left`() {
    var buffer = CellBuffer(rows: 1, columns: 6)
    #expect(buffer.write("鼓a鼓b", in: buffer.bounds, .plain) == 6)
    #expect(buffer.text(row: 0) == "鼓a鼓b")
    // The last one does not fit.
    #expect(buffer.write("abcde鼓", in: buffer.bounds, .plain) == 5)
    buffer.write("鼓鼓鼓", in: buffer.bounds, .plain)
    buffer.write("x", in: Rectangle(row: 0, column: 1, rows: 1, columns: 1), .plain)
    buffer.write("y", in: Rectangle(row: 0, column: 4, rows: 1, columns: 1), .plain)
    #expect(buffer.text(row: 0) == " x鼓y")
    // After a wide character the cursor is placed again, as terminals disagree about widths.
    let text = ScreenUpdate.text(from: nil, to: self.buffer(["鼓a"]), depth: .none)
    #expect(text.contains("鼓\u{1b}[1;3Ha"))
  }

  @Test func `writing outside of the grid does nothing`() {
    var buffer = CellBuffer(rows: 2, columns: 4)
    buffer.write("text", in: Rectangle(row: 5, column: 0, rows: 1, columns: 4), .plain)
    buffer.write("text", in: Rectangle(row: -1, column: 0, rows: 1, columns: 4), .plain)
    buffer.write("text", in: Rectangle(row: 0, column: 9, rows: 1, columns: 4), .plain)
    buffer.clear(Rectangle(row: -3, column: -3, rows: 99, columns: 99))
    #expect(buffer == CellBuffer(rows: 2, columns: 4))
    #expect(CellBuffer(rows: -1, columns: 3).cells.isEmpty)
  }

  @Test func `colours follow the environment`() {
    let palette = ["TERM": "xterm-256color"]
    #expect(ColourDepth(environment: palette) == .palette)
    #expect(ColourDepth(environment: ["TERM": "xterm"]) == .sixteen)
    #expect(ColourDepth(environment: ["TERM": "xterm", "COLORTERM": "truecolor"]) == .palette)
    #expect(ColourDepth(environment: ["TERM": "vt100"]) == .none)
    #expect(ColourDepth(environment: palette.merging(["NO_COLOR": "1"]) { $1 }) == .none)
    for role in [Style.Role.good, .bad, .accent, .track] {
      let style = Style(role, on: .selection)
      #expect(!style.parameters(.none).contains("3"))
      #expect(style.parameters(.palette).contains("38;5"))
    }
  }
}
