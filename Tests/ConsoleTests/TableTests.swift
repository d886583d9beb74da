// TableTests.swift: columns of tables. SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct TableTests {
  private func table(_ rows: [[String]], titles: [String] = ["Name", "In", "Id"]) -> Table {
    var table = Table([
      .init(titles[0], canShrink: true), .init(titles[1], .right), .init(titles[2]),
    ])
    for row in rows { table.add(row) }
    return table
  }

  @Test func `columns align with their headings, and no line ends in blanks`() {
    let lines = table([["Reverb", "2", "outboard.reverb"], ["Gate", "12", ""]]).lines(width: nil)
    #expect(
      lines == [
        "Name    In  Id",
        "Reverb   2  outboard.reverb",
        "Gate    12",
      ])
  }

  @Test func `without headings there is no heading line`() {
    #expect(table([["a", "1", "b"]], titles: ["", "", ""]).lines(width: 80) == ["a  1  b"])
    #expect(table([], titles: ["", "", ""]).lines(width: 80) == [])
  }

  @Test func `the widest column that may shrinks until the row fits, and is marked`() {
    let lines = table([["A very long name indeed", "2", "id.one"], ["Short", "1", "id.two"]])
      .lines(width: 24)
    #expect(
      lines == [
        "Name          In  Id",
        "A very long…   2  id.one",
        "Short          1  id.two",
      ])
  }

  @Test(arguments: [0, 1, 5, 10])
  func `if no column can shrink, the row is longer than the line, and nothing else is cut`(
    width: Int
  ) {
    let lines = table([["A very long name indeed", "2", "http://example.org/plugin"]])
      .lines(width: width)
    #expect(lines[1] == "A very …   2  http://example.org/plugin")
  }

  @Test func `wide letters have two columns, in the padding and in the cut`() {
    let lines = table([["音響効果の残響装置", "2", "x"], ["Reverb", "2", "y"]]).lines(width: 20)
    #expect(lines[1] == "音響効果の…    2  x")
    #expect(lines[2] == "Reverb         2  y")
  }

  @Test func `letters with marks and emoji line up with plain ones`() {
    let names = ["e\u{301}te\u{301}", "ete", "🎛️ desk", "👩‍🎤", "ﬁn"]
    let lines = table(names.map { [$0, "1", "|"] }).lines(width: nil)
    #expect(Set(lines.dropFirst().map(\.columnCount)).count == 1)
  }

  @Test func `control characters are escaped`() {
    let lines = table([["bad\u{1b}[2Jname\n", "1", "a\tb"]]).lines(width: nil)
    #expect(lines[1] == "bad\\u{1B}[2Jname    1  a b")
  }

  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("音", 2), ("한국", 4),
      ("ﾊ", 1), ("Ｈ", 2), ("🎸", 2), ("❤️", 2), ("🇩🇪", 2), ("█▏·", 3), ("𠮷", 2),
    ] as [(String, Int)])
  func `text takes the columns that a terminal gives it`(text: String, columns: Int) {
    #expect(text.columnCount == columns)
  }

  @Test func `a wide letter that does not fit completely is omitted`() {
    #expect("a音b".prefix(columns: 2) == "a")
    #expect("a音b".prefix(columns: 3) == "a音")
    #expect("abc".prefix(columns: 0) == "")
    #expect("abc".prefix(columns: 9) == "abc")
  }
}
