// Scenario.swift: the actions of a user, read from a file. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Manifests

/// A rig and its edits.
///
/// `Tests/Fixtures/scenarios/README.md` describes the commands.
struct Scenario: CustomTestStringConvertible {
  let name: String
  let text: String

  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/scenarios")

  static var all: [Scenario] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.path)
        .filter { $0.hasSuffix(".yaml") }.sorted()
        .map { file in
          Scenario(
            name: String(file.dropLast(5)),
            text: try String(contentsOf: directory.appending(path: file), encoding: .utf8))
        }
    }
  }

  var testDescription: String { name }

  func read() throws -> YAMLNode {
    try #require(try YAMLParser.parse(text, file: "\(name).yaml"))
  }
}

/// A rig as a user writes it, line by line.
struct RigText: Equatable {
  /// A connection with its gain or delay.
  struct Line: Equatable {
    var from: String
    var to: String
    var rest: [String] = []

    var text: String {
      rest.isEmpty
        ? "\"\(from) -> \(to)\""
        : "{" + (["from: \"\(from)\"", "to: \"\(to)\""] + rest).joined(separator: ", ") + "}"
    }
  }

  var nodes: [(name: String, text: String)] = []
  var lines: [Line] = []
  var rest: [(key: String, text: String)] = []

  static func == (a: RigText, b: RigText) -> Bool { a.text == b.text }

  init(_ node: YAMLNode) {
    nodes = (node["nodes"]?.entries ?? []).map { ($0.key, $0.value.flow) }
    lines = (node["connections"]?.items ?? []).flatMap(Self.lines)
    rest = ["scenes", "automation"].compactMap { key in node[key].map { (key, $0.flow) } }
  }

  static func lines(_ node: YAMLNode) -> [Line] {
    guard node.entries.isEmpty else {
      return [
        Line(
          from: node["from"]?.text ?? "", to: node["to"]?.text ?? "",
          rest: node.entries.filter { !["from", "to"].contains($0.key) }
            .map { "\($0.key): \($0.value.flow)" })
      ]
    }
    let ends = (node.text ?? "").components(separatedBy: "->").map(\.trimmed)
    return zip(ends, ends.dropFirst()).map { Line(from: $0, to: $1) }
  }

  var text: String {
    var text = """
      outboard: 1
      input: {device: hand, channels: 2}
      output: {device: hand, channels: 2}
      period: 64
      feedback_suppression: off
      nodes:

      """
    if nodes.isEmpty { text = text.replacing("nodes:\n", with: "nodes: {}\n") }
    for (name, node) in nodes { text += "  \(name): \(node)\n" }
    text += "connections:\n"
    for line in lines { text += "  - \(line.text)\n" }
    for (key, value) in rest { text += "\(key): \(value)\n" }
    return text
  }

  // MARK: - Edits of the text

  /// Applies a step to the text.
  ///
  /// Returns false if it does not change the text.
  mutating func write(_ step: YAMLNode) -> Bool {
    let before = self
    if let rig = step["load"] { self = RigText(rig) }
    for entry in step["add"]?.entries ?? [] { nodes.append((entry.key, entry.value.flow)) }
    for entry in step["replace"]?.entries ?? [] {
      for place in nodes.indices where nodes[place].name == entry.key {
        nodes[place].text = entry.value.flow
      }
    }
    if let name = step["move"]?.text {
      close(over: name)
      put(name, step["between"])
    }
    for entry in step["insert"]?.entries ?? [] {
      nodes.append((entry.key, entry.value.flow))
      put(entry.key, step["between"])
    }
    for name in step["remove"]?.texts ?? [] {
      close(over: name)
      nodes.removeAll { $0.name == name }
    }
    for name in step["unplug"]?.texts ?? [] {
      lines.removeAll { Self.node($0.from) == name || Self.node($0.to) == name }
      nodes.removeAll { $0.name == name }
    }
    for line in (step["disconnect"]?.items ?? []).flatMap(Self.lines) {
      lines.removeAll { $0.from == line.from && $0.to == line.to }
    }
    lines += (step["connect"]?.items ?? []).flatMap(Self.lines)
    for key in ["scenes", "automation"] {
      guard let value = step[key] else { continue }
      rest.removeAll { $0.key == key }
      rest.append((key, value.flow))
    }
    return self != before || step["load"] != nil
  }

  private static func node(_ end: String) -> String {
    String(end.split(separator: ":").first ?? "")
  }

  /// Inserts a node into a connection, whose gain stays after the node.
  private mutating func put(_ name: String, _ between: YAMLNode?) {
    guard let ends = between.map(Self.lines)?.first,
      let place = lines.firstIndex(where: { $0.from == ends.from && $0.to == ends.to })
    else {
      Issue.record("There is no connection to put \(name) into.")
      return
    }
    let rest = lines[place].rest
    lines.replaceSubrange(
      place ... place,
      with: [Line(from: ends.from, to: name), Line(from: name, to: ends.to, rest: rest)])
  }

  /// Connects the sources of a node to its destinations.
  private mutating func close(over name: String) {
    let (fed, feeding) = (lines.filter { $0.to == name }, lines.filter { $0.from == name })
    lines = lines.flatMap { line -> [Line] in
      if line.from == name { return [] }
      guard line.to == name else { return [line] }
      return feeding.map { Line(from: line.from, to: $0.to, rest: line.rest + $0.rest) }
    }
    if fed.isEmpty { lines.removeAll { $0.from == name } }
  }
}

extension YAMLNode {
  subscript(_ key: String) -> YAMLNode? { entries.first { $0.key == key }?.value }
  var entries: [Entry] { if case .mapping(let entries) = content { entries } else { [] } }
  var items: [YAMLNode] { if case .list(let items) = content { items } else { [] } }
  var text: String? { if case .text(let text, _) = content { text } else { nil } }
  /// One text, or a list of them.
  var texts: [String] { text.map { [$0] } ?? items.compactMap(\.text) }

  /// On one line.
  var flow: String {
    switch content {
    case .nothing: "{}"
    case .text(let text, _): "\"\(text.replacing("\"", with: "\\\""))\""
    case .list(let items): "[\(items.map(\.flow).joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "\"\($0.key)\": \($0.value.flow)" }.joined(separator: ", "))}"
    }
  }
}

extension RigText {
  /// As a nested rig, without devices.
  var nestedText: String {
    let own = ["input:", "output:", "period:", "feedback_suppression:"]
    return text.split(separator: "\n").filter { line in !own.contains { line.hasPrefix($0) } }
      .joined(separator: "\n") + "\n"
  }
}
