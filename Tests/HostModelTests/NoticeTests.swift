// NoticeTests.swift: messages about events, as data. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import TestRandom
import Testing

private struct FullDisk: HostError {
  let description = "The disk is full."
  let kind = ErrorKind.device
  let fields = ["path": "b", "device": "/dev/sda"]
}

@Suite struct `A notice` {
  @Test func `has the values of its text as fields`() {
    let notice = HostNotice("reloaded", "Reloaded {source} in {milliseconds} ms.", "{a}", "12")
    #expect("\(notice)" == "Reloaded {a} in 12 ms.")
    #expect(notice.fields == ["source": "{a}", "milliseconds": "12"])
    #expect(notice != HostNotice("loaded", "Reloaded {source} in {milliseconds} ms.", "{a}", "12"))
  }

  @Test func `takes fields of its text from the details first`() {
    let notice = HostNotice(
      "a", "{one} {two} {three}.", "1", "3", details: ["two": "2", "four": "4"])
    #expect("\(notice)" == "1 2 3.")
    #expect(notice.fields == ["one": "1", "two": "2", "three": "3", "four": "4"])
  }

  @Test func `keeps the text, the kind and the fields of an error, but has its own fields first`() {
    let notice = HostNotice("a", "{error} {path} ends.", "a", error: FullDisk())
    #expect("\(notice)" == "The disk is full. a ends.")
    #expect(
      notice.fields == [
        "path": "a", "error": "The disk is full.", "kind": "device", "device": "/dev/sda",
      ])
    struct Foreign: Error {}
    #expect(HostNotice("a", "{error}", error: Foreign()).fields["kind"] == "failure")
  }

  @Test func `can name its outcome in a further sentence`() {
    let fault = HostNotice("nodeRunaway", "{node} was muted.", "reverb")
    let notice = fault.then("bypassed", "It stays bypassed. {error}", error: FullDisk())
    #expect("\(notice)" == "reverb was muted. It stays bypassed. The disk is full.")
    #expect(notice.name == "nodeRunaway" && notice.fields["outcome"] == "bypassed")
    #expect(notice.fields["kind"] == "device")
  }

  @Test func `becomes an event with its name and fields`() throws {
    let notice = HostNotice("rigReloaded", "Reloaded {rig}.", "evening.yaml")
    let line = JSONLine.data(EventMessage(seconds: 1, .notice(.init(notice))))
    let values = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    #expect(values["notice"] as? String == "Reloaded evening.yaml.")
    #expect(values["name"] as? String == "rigReloaded")
    #expect(values["fields"] as? [String: String] == ["rig": "evening.yaml"])
  }
}

@Suite struct `A queue of notices` {
  @Test func `returns each notice once, the oldest first, and keeps the newest`() {
    let queue = NoticeQueue()
    for number in 0 ..< 1_500 { queue.append(.note("\(number)")) }
    queue.append(contentsOf: [.note("a"), .note("b")])
    let texts = queue.take().map(\.description)
    #expect(texts.count == 1_000 && texts.first == "502" && texts.suffix(2) == ["a", "b"])
    #expect(queue.take().isEmpty)
  }
}

@Suite struct `The table of notices` {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  /// The fields of each notice in the lists of the modules, by name.
  private static func written() throws -> [String: Set<String>] {
    let files = try #require(
      FileManager.default.enumerator(
        at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
    var notices: [String: Set<String>] = [:]
    for case let file as URL in files
    where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.split(separator: "HostNotice(", omittingEmptySubsequences: false).dropFirst()
      {
        guard let match = part.prefixMatch(of: /\s*"([a-zA-Z]+)",/) else { continue }
        // Up to the next notice, or to the end of the function.
        let body = part.prefix(upTo: part.range(of: "\n  }\n")?.lowerBound ?? part.endIndex)
        var fields = Set(body.matches(of: /\{([a-zA-Z]+)\}/).map { String($0.1) })
        fields.formUnion(body.matches(of: #/"([a-zA-Z]+)": /#).map { String($0.1) })
        if fields.contains("error") { fields.insert("kind") }
        notices[String(match.1), default: []].formUnion(fields)
      }
    }
    return notices
  }

  @Test func `has each notice of the program with its fields`() throws {
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("docs/reference/notices.md"), encoding: .utf8)
    var table: [String: Set<String>] = [:]
    for row in page.matches(of: /\n\| `([a-zA-Z]+)` \|[^|]*\|([^|]*)(?=\|\n)/) {
      table[String(row.1)] = Set(row.2.matches(of: /`([a-zA-Z]+)`/).map { String($0.1) })
    }
    let written = try Self.written()
    #expect(written.count > 50)
    #expect(Set(table.keys).symmetricDifference(written.keys).isEmpty)
    for (name, fields) in written { #expect(table[name] == fields, "\(name)") }
  }
}
