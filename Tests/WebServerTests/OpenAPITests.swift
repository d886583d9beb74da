// OpenAPITests.swift: /openapi.json matches the types. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Testing

@testable import WebServer

@Suite struct `The OpenAPI document` {
  private let json: JSONValue

  init() throws { json = try JSONParser.parse(Array(OpenAPIDocument.data)) }

  private func keys(_ value: JSONValue?) -> [String] {
    guard case .object(let members)? = value else { return [] }
    return members.map(\.key)
  }

  private func examples() throws -> [JSONValue] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/reference/control-protocol.md").standardized.path
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix(#"{"command""#) }.map { try JSONParser.parse(Array($0.utf8)) }
  }

  @Test func `has the keys of every command that the protocol page shows`() throws {
    let lines = try examples()
    #expect(lines.count >= Command.Name.allCases.count)
    for line in lines {
      guard case .string(let word)? = line["command"], let name = Command.Name(rawValue: word)
      else {
        Issue.record("\(line)")
        continue
      }
      let known = Set(CommandSchema(name).keys.map(\.name) + ["command", "id", "protocol"])
      #expect(Set(keys(line)).subtracting(known).isEmpty, "\(word)")
    }
  }

  @Test(arguments: Command.Name.allCases)
  func `has only keys that the decoder knows`(name: Command.Name) {
    for key in CommandSchema(name).keys {
      let value: JSONValue =
        switch key.kind {
        case .string: .string("x")
        case .integer: .integer(1)
        case .number: .number(1.5)
        case .boolean: .bool(true)
        case .values: .object([.init("mix", .integer(1))])
        case .events: .array([.string("changed")])
        }
      let line = JSONValue.object([
        .init("command", .string(name.rawValue)), .init(key.name, value),
      ])
      do {
        _ = try CommandMessage(json: line)
      } catch {
        if case .unknownKey(key.name, _) = error, key.name != "text" {
          Issue.record("\(name.rawValue): \(error)")
        }
        if case .type(key.name, _) = error { Issue.record("\(name.rawValue): \(error)") }
      }
    }
  }

  @Test(arguments: Command.Name.allCases)
  func `requires what the decoder requires`(name: Command.Name) {
    let required = CommandSchema(name).keys.filter(\.isRequired).map(\.name)
    let line = JSONValue.object([.init("command", .string(name.rawValue))])
    do {
      _ = try CommandMessage(json: line)
      #expect(required.isEmpty)
    } catch {
      if case .missing(let key, _) = error, name != .move {
        #expect(required.contains(key))
      }
    }
  }

  @Test func `has the keys of replies, and is served`() throws {
    let reply = json["components"]?["schemas"]?["Reply"]?["properties"]
    #expect(keys(reply).sorted() == ReplyMessage.keys.sorted())
    let session = try WebSession()
    defer { session.stop() }
    let response = try session.request("GET /openapi.json")
    #expect(response.status == 200 && Data(response.body.utf8) == OpenAPIDocument.data)
  }
}
