// InputDecoderTests.swift: keys, mouse and paste from bytes. SPDX-License-Identifier: MIT

import Testing

@testable import TerminalUI

@Suite struct InputDecoderTests {
  private func events(_ text: String) -> [InputEvent] {
    var decoder = InputDecoder()
    return decoder.feed(text.utf8) + decoder.flush()
  }

  @Test(arguments: [
    ("\u{1b}[A", InputEvent.Key.up), ("\u{1b}OB", .down), ("\u{1b}[1~", .home), ("\u{1b}[F", .end),
    ("\u{1b}[5~", .pageUp), ("\u{1b}[3~", .delete), ("\u{1b}OP", .function(1)),
    ("\u{1b}[15~", .function(5)), ("\u{1b}[[C", .function(3)), ("\u{1b}[Z", .backTab),
    ("\r", .enter), ("\t", .tab), ("\u{7f}", .backspace), ("\u{1b}", .escape),
    ("é", .character("é")),
    ("鼓", .character("鼓")), ("🎛", .character("🎛")),
  ]) func `keys of terminals`(text: String, key: InputEvent.Key) {
    #expect(events(text) == [.key(key, [])])
  }

  @Test func `modifiers are decoded`() {
    #expect(events("\u{1b}[1;5C") == [.key(.right, .control)])
    #expect(events("\u{1b}[1;2A") == [.key(.up, .shift)])
    #expect(events("\u{1b}x") == [.key(.character("x"), .alt)])
    #expect(events("\u{3}") == [.key(.character("c"), .control)])
  }

  @Test func `an escape waits for the rest of a key, and is a key after a pause`() {
    var decoder = InputDecoder()
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.feed("[".utf8) == [])
    #expect(decoder.feed("B".utf8) == [.key(.down, [])])
    #expect(!decoder.isWaiting)
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.flush() == [.key(.escape, [])])
    #expect(!decoder.isWaiting)
    #expect(events("\u{1b}\u{1b}[A") == [.key(.escape, []), .key(.up, [])])
  }

  @Test func `the mouse is decoded, with coordinates beyond 223`() {
    func mouse(
      _ action: InputEvent.Mouse.Action, _ row: Int, _ column: Int,
      _ modifiers: InputEvent.Modifiers = []
    ) -> InputEvent {
      .mouse(.init(action: action, row: row, column: column, modifiers: modifiers))
    }
    #expect(events("\u{1b}[<0;300;12M") == [mouse(.press(0), 11, 299)])
    #expect(events("\u{1b}[<32;5;6M") == [mouse(.drag, 5, 4)])
    #expect(events("\u{1b}[<0;5;6m") == [mouse(.release, 5, 4)])
    #expect(
      events("\u{1b}[<64;1;1M\u{1b}[<69;1;1M") == [
        mouse(.wheel(1), 0, 0), mouse(.wheel(-1), 0, 0, .shift),
      ])
    // Numbers out of range, and too few of them, are nothing.
    #expect(events("\u{1b}[<0;0;1M\u{1b}[<0;1M\u{1b}[<999999999999999999999;1;1M") == [])
  }

  @Test func `pasted text is one event, and no keys`() {
    #expect(
      events("\u{1b}[200~a\rb\u{1b}[A\u{1b}[201~c") == [
        .paste("a\rb\u{1b}[A"), .key(.character("c"), []),
      ])
    var decoder = InputDecoder()
    #expect(decoder.feed("\u{1b}[200~ab\u{1b}[20".utf8) == [])
    #expect(!decoder.isWaiting)
    #expect(decoder.feed("1~".utf8) == [.paste("ab")])
  }

  @Test func `an endless paste and an endless sequence use bounded memory`() {
    var decoder = InputDecoder()
    _ = decoder.feed("\u{1b}[200~".utf8)
    for _ in 0 ..< 64 { _ = decoder.feed([UInt8](repeating: 0x61, count: 8_192)) }
    guard case .paste(let text)? = decoder.feed("\u{1b}[201~".utf8).first else {
      Issue.record("The paste did not end.")
      return
    }
    #expect(text.utf8.count <= 70_000)
    #expect(decoder.feed("\u{1b}[".utf8 + [UInt8](repeating: 0x31, count: 500)) == [])
    #expect(decoder.feed("q".utf8) == [.key(.character("q"), [])])
  }

  @Test func `answers of the terminal and invalid UTF-8 are nothing`() {
    #expect(events("\u{1b}[?2026;2$y\u{1b}[?62;4c") == [])
    var decoder = InputDecoder()
    #expect(
      decoder.feed([0xff, 0xc0, 0x80, 0xe2, 0x28, 0x61]) == [
        .key(.character("("), []), .key(.character("a"), []),
      ])
    // A character in two parts.
    #expect(decoder.feed([0xc3]) == [])
    #expect(decoder.feed([0xa9]) == [.key(.character("é"), [])])
  }

  @Test func `any bytes are decoded without end or crash, in any parts`() {
    var random = SystemRandomNumberGenerator()
    let interesting: [UInt8] = [
      0x1b, 0x5b, 0x3c, 0x4d, 0x6d, 0x7e, 0x3b, 0x30, 0x32, 0x4f, 0xc3, 0xe2, 0xf0, 0x80,
    ]
    for _ in 0 ..< 2_000 {
      var decoder = InputDecoder()
      for _ in 0 ..< Int.random(in: 1 ... 12, using: &random) {
        let bytes = (0 ..< Int.random(in: 0 ... 9, using: &random)).map { _ in
          Bool.random(using: &random)
            ? interesting.randomElement(using: &random) ?? 0
            : UInt8.random(in: 0 ... 255, using: &random)
        }
        _ = decoder.feed(bytes)
      }
      _ = decoder.flush()
      // A paste that has begun ends only with its mark.
      _ = decoder.feed("\u{1b}[201~".utf8)
      _ = decoder.flush()
      #expect(decoder.feed("z".utf8).contains(.key(.character("z"), [])))
    }
  }
}
