// ShellTests.swift: words, completion and editing of lines. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import TerminalUI

@Suite struct ShellTests {
  // MARK: - Words

  @Test(arguments: [
    ("set reverb mix=30", ["set", "reverb", "mix=30"]),
    ("  set\t\"in -> reverb\"  gain='-6 dB' ", ["set", "in -> reverb", "gain=-6 dB"]),
    ("a\\ b \"\" c\\\"d 'it\"s'", ["a b", "", "c\"d", "it\"s"]),
    ("save # now", ["save"]), ("a#b", ["a#b"]), ("", []), ("   ", []), ("# only", []),
  ]) func `lines are split as in a shell`(line: String, words: [String]) throws {
    #expect(try ShellWords.split(line) == words)
  }

  @Test func `an open quotation mark is an error`() {
    #expect(throws: ShellWords.OpenQuote(mark: "\"")) { try ShellWords.split("set \"x") }
    #expect(throws: ShellWords.OpenQuote(mark: "'")) { try ShellWords.split("set 'x\" y") }
  }

  @Test(arguments: ["plain", "in -> reverb", "key=Side chain", "a\"b\\c", "it's", "a b=c d", "#x"])
  func `quoted words are read as they were`(text: String) throws {
    #expect(try ShellWords.split(ShellWords.quoted(text)) == [text])
  }

  // MARK: - Completion

  private func completion() -> ShellCompletion {
    let plugin = JSONValue.object(of: [
      ("name", "Reverb"),
      (
        "parameters",
        .array([
          .object(of: [("symbol", "mix")]),
          .object(of: [("symbol", "frozen"), ("scale", "toggle")]),
          .object(of: [
            ("symbol", "key"),
            (
              "choices",
              .array([
                .object(of: [("name", "The sound itself"), ("value", .integer(0))]),
                .object(of: [("name", "Side chain"), ("value", .integer(1))]),
              ])
            ),
          ]),
        ])
      ), ("presets", .array([.object(of: [("name", "Vocal hall")])])),
    ])
    let state = SessionState(
      rig: "r",
      nodes: [
        .init(
          name: "reverb", plugin: "p",
          parameters: ["mix", "frozen", "key"].map { .init(symbol: $0, value: 0) }),
        .init(name: "tape", plugin: "recorder"), .init(name: "bad\u{1b}[2J", plugin: "x"),
      ], nestedRigs: [.init(name: "strip", bypass: false, wet: 1)],
      connections: [.init(name: "in -> reverb", gain: 0)],
      scenes: [
        .init(name: "verse", over: nil, current: false),
        .init(name: "last chorus", over: nil, current: false),
      ])
    return ShellCompletion(
      verbs: ["set", "scene", "show", "save"],
      names: .init(
        state: state, descriptions: ["p": plugin], plugins: ["outboard.reverb", "outboard.gate"]))
  }

  @Test(arguments: [
    ("", 0, ["save", "scene", "set", "show"]), ("s", 0, ["save", "scene", "set", "show"]),
    ("sc", 0, ["scene"]), ("nothing", 0, []),
    ("set re", 4, ["reverb"]), ("set in", 4, ["\"in -> reverb\""]),
    ("set \"in -", 4, ["\"in -> reverb\""]),
    ("set ", 4, ["\"in -> reverb\"", "reverb", "strip", "tape"]),
    ("set reverb m", 11, ["mix="]), ("set reverb mix=1 k", 17, ["key="]),
    ("set reverb key=Si", 11, ["key=\"Side chain\""]),
    ("set reverb frozen=", 11, ["frozen=off", "frozen=on", "frozen=toggle"]),
    ("set reverb preset=v", 11, ["preset=\"Vocal hall\""]),
    ("set \"in -> reverb\" ", 19, ["gain="]),
    ("set strip w", 10, ["wet="]), ("set nobody ", 11, []),
    ("scene la", 6, ["\"last chorus\""]), ("scene --n", 6, ["--next"]), ("show t", 5, ["tape"]),
    ("insert outboard.g", 7, ["outboard.gate"]),
    ("insert outboard.gate ", 21, ["after", "before", "on"]),
    ("move tape before o", 17, ["out"]), ("record ta", 7, ["tape"]), ("watch ", 6, ["off", "on"]),
    ("learn reverb.m", 6, ["reverb.mix"]), ("bypass reverb of", 14, ["off"]),
  ]) func `the last word is completed`(line: String, start: Int, words: [String]) {
    let result = completion().complete(line)
    #expect(result.start == start)
    #expect(result.words == words)
  }

  @Test func `the common beginning of words is found`() {
    func common(_ typed: String, _ texts: [String]) -> String? {
      ShellCompletion.Result(start: 0, typed: typed, texts: texts).common
    }
    #expect(common("m", ["mode=", "modulation="]) == "mod")
    #expect(common("mo", ["mode=", "mix="]) == nil)
    #expect(common("ha", ["hall", "hall -> out"]) == "hall")
    #expect(common("in", ["in -> a", "in -> b"]) == "\"in -> ")
    #expect(common("", []) == nil)
  }

  // MARK: - Editing

  private func field(_ text: String, _ keys: [(InputEvent.Key, InputEvent.Modifiers)]) -> TextField
  {
    var field = TextField(text)
    for (key, modifiers) in keys { _ = field.handle(key, modifiers) }
    return field
  }

  @Test func `keys edit a line as in a shell`() {
    let control = InputEvent.Modifiers.control
    #expect(field("set reverb mix", [(.character("w"), control)]).text == "set reverb ")
    #expect(field("set reverb", [(.character("u"), control)]).text == "")
    #expect(field("abc", [(.character("a"), control), (.character("x"), [])]).text == "xabc")
    #expect(field("abc", [(.left, []), (.character("k"), control)]).text == "ab")
    #expect(field("abc", [(.home, []), (.delete, []), (.end, []), (.backspace, [])]).text == "b")
    #expect(field("", [(.backspace, []), (.delete, []), (.left, []), (.right, [])]).text == "")
    #expect(field("aé鼓", [(.left, []), (.character("ß"), [])]).text == "aéß鼓")
    #expect(field("one two", [(.left, control), (.left, control), (.right, control)]).cursor == 3)
  }

  @Test func `pasted control characters are left out, and length is bounded`() {
    var field = TextField()
    field.insert("a\u{1b}[2J\r\nb\u{9b}")
    #expect(field.text == "a[2Jb")
    field.insert(String(repeating: "x", count: 100_000))
    #expect(field.text.utf8.count <= 4_096)
  }

  @Test func `the history keeps lines, and the one that is being edited`() {
    var history = LineHistory()
    #expect(history.previous("") == nil)
    for line in ["one", "two", "two", ""] { history.add(line) }
    #expect(history.previous("draft") == "two")
    #expect(history.previous("two") == "one")
    #expect(history.previous("one") == nil)
    #expect(history.next() == "two")
    #expect(history.next() == "draft")
    #expect(history.next() == nil)
  }

  @Test func `any keys leave the cursor in the text`() {
    var random = SystemRandomNumberGenerator()
    let keys: [InputEvent.Key] = [
      .left, .right, .home, .end, .delete, .backspace, .character("w"), .character("k"),
      .character("u"),
      .character("x"), .character("鼓"), .character("\u{301}"),
    ]
    var field = TextField()
    for _ in 0 ..< 5_000 {
      _ = field.handle(
        keys.randomElement(using: &random) ?? .left, Bool.random(using: &random) ? [] : .control)
      #expect(0 ... field.scalars.count ~= field.cursor)
      if field.scalars.count > 50 { field = TextField() }
    }
  }
}
