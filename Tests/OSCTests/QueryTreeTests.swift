// QueryTreeTests.swift: the description of addresses for generic clients. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import OSC

@Suite struct `The tree of OSCQuery` {
  private static func state(_ nodes: [(name: String, plugin: String)], scenes: [String] = [])
    -> SessionState
  {
    SessionState(
      rig: "r",
      nodes: nodes.map {
        .init(name: $0.name, plugin: $0.plugin, parameters: [.init(symbol: "level", value: 0.1)])
      }, scenes: scenes.map { .init(name: $0, over: nil, current: false) })
  }

  private static let facts = PluginDetails(
    .object(of: [
      (
        "parameters",
        .array([
          .object(of: [
            ("symbol", "level"), ("name", "Level"), ("unit", "dB"), ("minimum", .integer(-60)),
            ("maximum", .number(12.5)), ("scale", "linear"),
          ])
        ])
      ), ("presets", .array([.object(of: [("name", "Soft")])])),
    ]))

  @Test func `has ranges, units and names of plugins`() throws {
    let space = OSCAddressSpace(Self.state([("a", "p"), ("b", "other")]))
    let tree = OSCQueryTree(space, []) { $0 == "p" ? Self.facts : nil }
    let level = try #require(tree.description(at: "/node/a/level"))
    #expect(
      level.line
        == #"{"FULL_PATH":"/node/a/level","ACCESS":3,"TYPE":"f","VALUE":[0.1],"#
        + #""RANGE":[{"MIN":-60.0,"MAX":12.5}],"UNIT":["gain.db-raw"],"DESCRIPTION":"Level in dB","#
        + #""CLIPMODE":["both"]}"#)
    #expect(
      tree.attribute("RANGE", at: "/node/a/preset")?.line == #"{"RANGE":[{"VALS":["Soft"]}]}"#)
    // A plugin without a description has its values, and no presets.
    #expect(tree.description(at: "/node/b/level")?["RANGE"] == nil)
    #expect(tree.description(at: "/node/b/level")?["VALUE"] == .array([.number(0.1)]))
    #expect(tree.description(at: "/node/b/preset") == nil)
    #expect(tree.attribute("TYPE", at: "/node")?.line == "{}")
    #expect(tree.description(at: "/node/a/level/x") == nil)
    #expect(tree.description(at: "/")?["CONTENTS"]?["node"]?["CONTENTS"]?["a"] != nil)
  }

  @Test func `reports the highest paths that differ`() {
    let old = OSCAddressSpace(Self.state([("a", "p"), ("b", "p")]))
    let new = OSCAddressSpace(Self.state([("a", "q"), ("c", "p")], scenes: ["x"]))
    #expect(
      OSCQueryTree.changes(from: old, to: new) == [
        .init(command: "PATH_REMOVED", path: "/level/node/b"),
        .init(command: "PATH_REMOVED", path: "/node/b"),
        .init(command: "PATH_ADDED", path: "/level/node/c"),
        .init(command: "PATH_ADDED", path: "/node/c"),
        .init(command: "PATH_ADDED", path: "/scene/recall"),
        .init(command: "PATH_CHANGED", path: "/node/a"),
        .init(command: "PATH_CHANGED", path: "/scene"),
      ])
    #expect(OSCQueryTree.changes(from: old, to: old).isEmpty)
  }
}
