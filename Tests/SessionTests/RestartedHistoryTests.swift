// RestartedHistoryTests.swift: the history of a session after a restart. SPDX-License-Identifier: MIT

import Foundation
import Manifests
import PluginModel
import RigSchema
import RigTestSupport
import Testing

@testable import Session

@Suite(.serialized) struct `The history of a restarted session` {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain"]) }

  private func session() throws -> ManualSession {
    try ManualSession(Self.rig(nodeCount: 1), workshop)
  }

  private static func rig(nodeCount: Int) -> String {
    let names = (0 ..< nodeCount).map { "n\($0)" }
    return """
      outboard: 1
      nodes: {\(names.map { "\($0): {plugin: outboard.gain}" }.joined(separator: ", "))}
      connections: [in -> \(names.joined(separator: " -> ")) -> out]
      """
  }

  private func gain(_ manual: ManualSession) -> Float? {
    let node = manual.session.nodeValues.first { $0.name == "n0" }
    return node?.plugin.parameters.index(ofSymbol: "gain").map { node?.values[$0] ?? .nan }
  }

  @Test func `keeps values that were set by hand out of the rig`() throws {
    let before = try session()
    _ = try before.session.set("n0", to: [("gain", "-6")])
    before.session.recordValues([ValueChange(node: "n0", symbol: "gain", old: 0, new: -6)])
    try before.load(Self.rig(nodeCount: 2))
    let manual = try before.restarted()
    #expect(gain(manual) == -6)
    // The rig before did not set the value, so it stays, as it would without the restart.
    _ = try manual.session.undo()
    #expect(manual.session.nodeValues.map(\.name) == ["n0"] && gain(manual) == -6)
    _ = try manual.session.undo()
    #expect(gain(manual) == 0)
    #expect(throws: EditError.nothingToUndo) { try manual.session.undo() }
    _ = try manual.session.redo()
    #expect(gain(manual) == -6)
  }

  @Test func `saves in the file that was read`() throws {
    let manual = try session().restarted()
    _ = try manual.session.set("n0", to: [("gain", "-6")])
    try manual.session.saveInPlace(replaces: false)
    #expect(
      try String(contentsOfFile: workshop.path + "/rig.yaml", encoding: .utf8).contains("gain: -6"))
  }

  @Test(arguments: [100, 20_000, 200_000])
  func `has the last changes that fit`(limit: Int) throws {
    let before = try session()
    for count in 2 ... 20 { try before.load(Self.rig(nodeCount: count)) }
    let bytes = before.session.active.history.encoded(atMost: limit)
    #expect(bytes.count <= limit)
    var history = try #require(UndoHistory(bytes: bytes))
    var counts: [Int] = []
    while let step = history.previous {
      counts.append(
        try #require(step.rig).description(for: before.session.currentRig).nodes.count)
      history.recordUndo(step)
    }
    #expect(counts == Array((20 - counts.count ..< 20).reversed()))
    #expect(counts.isEmpty == (limit == 100))
    #expect((counts.count == 19) == (limit == 200_000), "\(counts.count)")
  }

  @Test func `is not read from damaged bytes`() throws {
    let before = try session()
    try before.load(Self.rig(nodeCount: 2))
    let record = before.session.restartRecord(revision: 3, historyBytes: 1 << 20)
    #expect(RestartRecord(bytes: record.bytes) == record)
    for length in stride(from: 0, to: record.bytes.count, by: 7) {
      #expect(RestartRecord(bytes: Array(record.bytes.prefix(length))) == nil)
    }
    var damaged = record
    damaged.history.removeLast()
    let manual = try before.restarted(as: damaged)
    #expect(throws: EditError.nothingToUndo) { try manual.session.undo() }
  }
}
