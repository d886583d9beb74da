// CommandTests.swift: parsing of valid and invalid command lines. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import TestRandom
import Testing

@Suite struct `A command` {
  private func read(_ line: String) throws(ProtocolError) -> CommandMessage {
    try CommandMessage(line: line.utf8)
  }

  private func values(_ json: String) throws -> [Command.Assignment] {
    guard
      case .set(let set) = try read(#"{"command": "set", "node": "x", "values": \#(json)}"#).command
    else { return [] }
    return set.values
  }

  @Test func `has a sample of each kind`() {
    #expect(Set(Samples.commands.map(\.name)) == Set(Command.Name.allCases))
  }

  @Test(arguments: Samples.commands)
  func `survives encoding to a line`(command: Command) throws {
    for id in [nil, .string("a"), .integer(7)] as [JSONValue?] {
      let message = CommandMessage(command, id: id)
      #expect(try read(message.line) == message)
    }
  }

  @Test func `keeps values in the order in which they were sent`() throws {
    let symbols = (0 ..< 40).map { "s\(($0 * 17) % 40)" }
    let object = symbols.map { #""\#($0)": 1"# }.joined(separator: ", ")
    let pairs = symbols.map { #"["\#($0)", 1]"# }.joined(separator: ", ")
    #expect(try values("{\(object)}").map(\.symbol) == symbols)
    #expect(try values("[\(pairs)]").map(\.symbol) == symbols)
    // Pairs may set the same symbol twice.
    #expect(try values(#"[["a", 1], ["b", 2], ["a", 3]]"#).map(\.value) == ["1", "2", "3"])
  }

  @Test(arguments: [
    (#""40 %""#, "40 %"), ("40", "40"), ("-6.5", "-6.5"), ("40.0", "40"), ("true", "true"),
    ("false", "false"), ("1", "1"), ("0", "0"), ("0.1", "0.1"), ("1e3", "1000"),
    (#""\u00e9\ud83c\udfb8\n""#, "é🎸\n"),
  ])
  func `sets values that are texts, numbers and booleans`(json: String, text: String) throws {
    #expect(try values(#"{"mix": \#(json)}"#) == [.init("mix", text)])
  }

  @Test(arguments: [
    (#""values": {"mix": [1]}"#, #"The value of "mix" must be a string, a number, true or false."#),
    (#""values": {"mix": {}}"#, #"The value of "mix" must be a string, a number, true or false."#),
    (
      #""values": {"mix": null}"#, #"The value of "mix" must be a string, a number, true or false."#
    ),
    (
      #""values": 5"#,
      #""values" must be an object of values by symbol, such as {"mix": 40}, or a list of pairs."#
    ),
    (
      #""values": ["mix"]"#,
      #""values" must be an object of values by symbol, such as {"mix": 40}, or a list of pairs."#
    ),
    (#""node": 5"#, #""node" must be a string."#),
    (#""node": "a\u0000""#, #""node" contains a NUL character; remove it."#),
    (#""values": {"a\u0000": 1}"#, #""values" contains a NUL character; remove it."#),
    (#""values": {"a": "\u0000"}"#, #""values" contains a NUL character; remove it."#),
    (#""values": {}"#, #"set needs "values"."#), (#""values": {"a": 1}, "node": """#, nil),
    (#""values": {"a": 1, "a": 2}"#, #"The key "a" occurs twice; remove one."#),
    (#""values": {"a": 1}, "wait": 1"#, #"set has no key "wait"; remove it."#),
    (#""id": {}, "values": {"a": 1}"#, #""id" must be a string or a whole number."#),
    (
      #""protocol": 2, "values": {"a": 1}"#,
      "Protocol 2 is not supported; this session uses protocol 1."
    ),
  ])
  func `says which key is wrong`(json: String, message: String?) throws {
    let node = json.contains(#""node""#) ? "" : #""node": "x", "#
    let error = #expect(throws: ProtocolError.self) {
      try read(#"{"command": "set", \#(node)\#(json)}"#)
    }
    if let message { #expect(error?.description == message) }
    #expect(error?.exitStatus == 2)
  }

  @Test(arguments: [
    (
      #"{"command": "plugins", "query": ""# + String(repeating: "x", count: 201) + #""}"#,
      #""query" must be a text of at most 200 bytes."#
    ),
    (#"{"command": "save", "file": "/x", "force": "yes"}"#, #""force" must be true or false."#),
    (
      #"{"command": "scene", "scene": "x", "over": "2"}"#,
      #""over" must be a number of seconds."#
    ),
    (#"{"command": "scene", "store": true}"#, #"scene needs "scene"."#),
    (
      #"{"command": "record", "action": "explode"}"#,
      #""action" cannot be "explode"; use "start", "stop", "pause", "resume", "split" or "mark"."#
    ),
    (#"{"command": "record", "action": "mark"}"#, #"mark needs "text"."#),
    (#"{"command": "play", "text": "x"}"#, #"this action has no key "text"; remove it."#),
    (#"{"command": "subscribe", "events": ["loudness"]}"#, nil),
    (
      #"{"command": "subscribe", "levels": 31}"#,
      #""levels" must be a whole number from 1 to 30."#
    ),
    (
      #"{"command": "subscribe", "levels": 0.5}"#,
      #""levels" must be a whole number from 1 to 30."#
    ), (#"{"command": "acknowledge"}"#, #"acknowledge needs "sequence"."#),
    (#"{"command": "plugin"}"#, #"plugin needs "plugin"."#),
    (#"{"command": "files", "directory": 5}"#, #""directory" must be a string."#),
    (#"{"command": "subscribe", "events": "level"}"#, #""events" must be a list of strings."#),
    (
      #"{"command": "subscribe", "revision": -1}"#,
      #""revision" must be a whole number, 0 or more."#
    ), (#"{"command": "undo", "node": "x"}"#, #"undo has no key "node"; remove it."#),
    (#"{"command": "explode"}"#, nil), ("[]", nil), ("nonsense", nil), ("{", nil), ("\u{0}", nil),
    (#"{"command": "undo"} {}"#, nil), (String(repeating: "[", count: 100_000), nil),
    (#"{"command": "undo", "x": 1e999}"#, nil), (#"{"command": "\ud800"}"#, nil),
  ])
  func `reports what is wrong with a line`(line: String, message: String?) throws {
    let error = #expect(throws: ProtocolError.self) { try read(line) }
    if let message { #expect(error?.description == message) }
  }

  @Test func `is refused with the known commands if there is none of its name`() {
    let error = #expect(throws: ProtocolError.self) {
      try read(#"{"command": "explode", "id": 3}"#)
    }
    let message = error?.description ?? ""
    #expect(message.hasPrefix(#""command" cannot be "explode"; use "status", "set", "#))
    #expect(message.hasSuffix(#""map" or "transport"."#))
  }

  @Test func `has an identifier that its reply repeats, also if it is not a command`() {
    #expect(CommandMessage.identifier(in: #"{"command": "x", "id": 7}"#.utf8) == .integer(7))
    #expect(CommandMessage.identifier(in: #"{"id": "a"}"#.utf8) == .string("a"))
    #expect(CommandMessage.identifier(in: "{".utf8) == nil)
  }

  /// Valid lines with bytes changed, removed, doubled and inserted.
  @Test func `is read from any line, or refused with a reason`() {
    var random = Random(seed: 20)
    let lines = Samples.commands.map { Array(CommandMessage($0, id: "i").line.utf8) }
    var accepted = 0
    for _ in 0 ..< 30_000 {
      let line = random.mutated(lines)
      do {
        let message = try CommandMessage(line: line)
        // The command survives writing and reading.
        #expect((try? CommandMessage(line: message.line.utf8)) == message)
        accepted += 1
      } catch {
        #expect(!error.description.isEmpty && error.description.hasSuffix("."))
      }
    }
    #expect(accepted > 300)
  }
}
