// TextWrappingTests.swift: text in lines of a given width. SPDX-License-Identifier: MIT

import Console
import Testing

@Suite struct `A paragraph` {
  @Test func `is broken between words at the end of a line`() {
    #expect(
      TextWrapping.lines("one two three four", indent: 2, columns: 10) == [
        "  one two", "  three", "  four",
      ])
    #expect(TextWrapping.lines("one two", indent: 2, columns: 9) == ["  one two"])
  }

  @Test func `does not break words that are too long for a line`() {
    #expect(
      TextWrapping.lines("a /sys/devices/system b", indent: 1, columns: 6) == [
        " a", " /sys/devices/system", " b",
      ])
  }

  @Test func `is one line if the output is not a terminal`() {
    #expect(TextWrapping.lines("one two three", indent: 1, columns: nil) == [" one two three"])
  }
}
