// ProtocolPageTests.swift: docs/reference/control-protocol.md matches the types. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Testing

@Suite struct `The protocol page` {
  private let page: String
  /// The lines of its JSON examples.
  private let examples: [String]

  init() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/reference/control-protocol.md").standardized.path
    page = try String(contentsOfFile: path, encoding: .utf8)
    var lines: [String] = []
    var isInside = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```json"
      } else if isInside, line.hasPrefix("{") {
        lines.append(String(line))
      }
    }
    examples = lines
  }

  @Test func `has a valid example of each command`() throws {
    let lines = examples.filter { $0.contains(#""command""#) }
    let names = try lines.map { try CommandMessage(line: $0.utf8).command.name }
    #expect(Set(names) == Set(Command.Name.allCases))
  }

  @Test func `has a valid example of each event`() {
    let lines = examples.filter { $0.contains(#""event""#) }
    let kinds = lines.compactMap {
      JSONLine.read(EventMessage.self, Data($0.utf8))?.event.kind
    }
    #expect(kinds.count == lines.count)
    #expect(Set(kinds) == Set(Event.Kind.allCases))
  }

  @Test func `has valid examples of replies`() {
    let lines = examples.filter { !$0.contains(#""event""#) && !$0.contains(#""command""#) }
    #expect(lines.count >= 5)
    for line in lines { #expect(JSONLine.read(ReplyMessage.self, Data(line.utf8)) != nil) }
  }

  @Test func `names each key, change, source and kind of error`() throws {
    var words = Set(StateChange.Kind.allCases.map(\.rawValue))
    words.formUnion(Event.Changed.Source.allCases.map(\.rawValue))
    words.formUnion(ErrorKind.allCases.map(\.rawValue))
    words.formUnion(Command.Record.keywords + Command.Play.keywords)
    words.formUnion(ReplyMessage.keys)
    for command in Samples.commands {
      Self.collect(CommandMessage(command, id: "a").json, &words)
    }
    for event in Samples.events {
      Self.collect(try Self.json(EventMessage(seconds: 1, event)), &words)
    }
    for reply in Samples.replies {
      Self.collect(try Self.json(ReplyMessage(reply, id: "a")), &words)
    }
    // Keys that are names chosen by a user.
    words.subtract(["mix", "level", "decay", "impulse"])
    let missing = words.filter { !page.contains("`\($0)`") }.sorted()
    #expect(missing.isEmpty)
  }

  private static func json(_ value: some Encodable) throws -> JSONValue {
    try JSONParser.parse(Array(JSONLine.data(value)))
  }

  private static func collect(_ value: JSONValue, _ words: inout Set<String>) {
    switch value {
    case .array(let values): for value in values { collect(value, &words) }
    case .object(let members):
      for member in members {
        words.insert(member.key)
        collect(member.value, &words)
      }
    default: break
    }
  }
}
