// PatternTests.swift: address patterns. SPDX-License-Identifier: MIT

import Testing

@testable import OSC

@Suite struct `Address patterns` {
  @Test(arguments: [
    ("/a/b", "/a/b", true), ("/a/b", "/a/bc", false), ("/a/?", "/a/b", true),
    ("/a/?", "/a/bc", false), ("/a?b", "/a/b", false), ("/*/mix", "/reverb/mix", true),
    ("/*/mix", "/voice/reverb/mix", false), ("/*", "/", true), ("/*", "/a/b", false),
    ("/a*c*e", "/abcde", true), ("/a*c*e", "/abcd", false), ("/[a-c]x", "/bx", true),
    ("/[a-c]x", "/dx", false), ("/[!a-c]x", "/dx", true), ("/[!a-c]x", "/bx", false),
    ("/[c-a]x", "/bx", true), ("/[ab-]x", "/-x", true), ("/[!a]", "/a", false),
    ("/[!a]b", "//b", false), ("/{low,high}/q", "/high/q", true),
    ("/{low,high}/q", "/mid/q", false), ("/{a,ab}c", "/abc", true), ("/{,x}a", "/a", true),
    ("/node/*/{bypass,wet}", "/node/a/wet", true),
  ])
  func `match as the specification says`(pattern: String, address: String, isMatch: Bool) throws {
    #expect(try #require(OSCPattern(pattern)).matches(address) == isMatch)
  }

  @Test(arguments: ["/[a", "/a]", "/{a", "/a}", "/[]", "/[!]"])
  func `with a bracket that does not fit are refused`(pattern: String) {
    #expect(OSCPattern(pattern) == nil)
  }

  @Test func `without wildcards are addresses`() {
    #expect(OSCPattern("/a/b")?.literal == "/a/b")
    #expect(OSCPattern("/a/*")?.literal == nil)
  }

  @Test func `of a hostile sender take no exponential time`() throws {
    // A matcher that tries every division of the text needs more than 2^60 steps.
    let pattern = "/" + String(repeating: "*a", count: 60) + "b"
    #expect(
      !(try #require(OSCPattern(pattern)).matches("/" + String(repeating: "a", count: 1_000))))
  }
}
