// ScenarioTests.swift: actions of users, undone and redone. SPDX-License-Identifier: MIT

import Foundation
import RigTestSupport
import Testing

@testable import Manifests
@testable import Session

@Suite(.serialized) struct `A mixer rig` {
  @Test(arguments: try Scenario.all, [false, true])
  func `can be edited live, with every edit undone and redone, also after restarts`(
    scenario: Scenario, restarts: Bool
  ) throws {
    let root = try scenario.read()
    let play = try ScenarioRunner(root, scenario.name)
    for (place, step) in (root["steps"]?.items ?? []).enumerated() {
      try play.go(step, number: place + 1)
    }
    if restarts { try play.restart() }
    try play.undoAll()
    if restarts { try play.restart() }
    try play.bringAllBack()
  }
}

/// A running scenario.
private final class ScenarioRunner {
  /// -74 dBFS: a delay that ramps to its time approaches it ever more slowly.
  private static let closeness: Float = 2e-4

  private let workshop: RigTestEnvironment
  private var desk: ManualSession
  private var sheet: RigText
  /// The states of the history, and the current position in it.
  private var states: [ManualSession.State]
  private var now = 0
  /// The first state after which no value was set that undo cannot restore.
  private var firstComparable = 0
  private var step = 0
  private let name: String

  init(_ root: YAMLNode, _ name: String) throws {
    workshop = try RigTestEnvironment(modules: [
      "gain", "delay", "limiter", "parametric-eq", "compressor", "mixer", "oscillator", "vocoder",
    ])
    self.name = name
    for file in root["files"]?.entries ?? [] {
      try workshop.write(RigText(file.value).nestedText, as: file.key)
    }
    sheet = RigText(root)
    desk = try ManualSession(sheet.text, workshop)
    try desk.settle()
    states = [try desk.state(sheet)]
    try checkFreshness(states[0])
  }

  private var place: Comment { "\(name), step \(step)" }

  // MARK: - Forwards

  func go(_ step: YAMLNode, number: Int) throws {
    self.step = number
    let (before, history) = (states[now], desk.session.historyNumber)
    if let expected = step["refused"]?.text {
      let error = #expect(throws: (any Error).self, place) { try self.act(step) }
      let message = error.map { "\($0)" } ?? ""
      #expect(message.contains(expected), place)
      sheet = before.sheet
      #expect(desk.session.historyNumber == history, place)
      try compare(try settled(), before, "after what was refused")
      return
    }
    try act(step)
    let state = try settled()
    if step["undo"] != nil || step["redo"] != nil {
      now += step["undo"] != nil ? -1 : 1
      try #require(states.indices.contains(now), place)
      sheet = states[now].sheet
      try compare(state, states[now], "by undo or redo")
    } else if desk.session.historyNumber == history {
      if state.saved != before.saved { firstComparable = now }
      states[now] = state
      states.removeSubrange((now + 1)...)
    } else {
      #expect(desk.session.historyNumber == history + 1, place)
      states.removeSubrange((now + 1)...)
      states.append(state)
      now += 1
    }
    check(step, state, before)
    try checkFreshness(state)
  }

  private func settled() throws -> ManualSession.State {
    try desk.settle()
    return try desk.state(sheet)
  }

  private func act(_ step: YAMLNode) throws {
    let session = desk.session
    if step["undo"] != nil {
      _ = try session.undo()
    } else if step["redo"] != nil {
      _ = try session.redo()
    } else if let values = step["set"] {
      for node in values.entries {
        _ = try session.set(
          node.key, to: node.value.entries.map { ($0.key, $0.value.text ?? "") })
      }
    } else if let scene = step["scene"]?.text {
      _ = try session.recall(scene, over: step["over"]?.text.flatMap(Double.init))
    } else if let scene = step["store"]?.text {
      _ = try session.storeScene(scene)
    } else {
      let isWritten = sheet.write(step)
      #expect(isWritten, place)
      try desk.load(sheet.text)
    }
  }

  private func check(_ step: YAMLNode, _ state: ManualSession.State, _ before: ManualSession.State)
  {
    if let nodes = step["nodes"] { #expect(state.nodes.sorted() == nodes.texts.sorted(), place) }
    if let connections = step["wires"] {
      #expect(state.connections == connections.texts.sorted(), place)
    }
    if let latency = step["latency"]?.text { #expect("\(state.latency)" == latency, place) }
    switch step["sound"]?.text {
    case "same": #expect(difference(state.sound, before.sound) < Self.closeness, place)
    case "other": #expect(difference(state.sound, before.sound) > 1e-3, place)
    case "silent": #expect(state.sound.allSatisfy { abs($0) < 1e-7 }, place)
    case nil: break
    case let word?: Issue.record("\(word) is no word for sound.")
    }
    if let rig = step["like"] {
      let other = try? ManualSession(RigText(rig).text, workshop, as: "like.yaml")
      #expect(difference(state.sound, other?.hear() ?? []) < Self.closeness, place)
    }
  }

  /// A session started from the saved rig has the same output.
  private func checkFreshness(_ state: ManualSession.State) throws {
    let fresh = try ManualSession(state.saved, workshop, as: "fresh.yaml")
    #expect(fresh.session.latencyFrames == state.latency, place)
    #expect(difference(fresh.hear(), state.sound) < Self.closeness, "as saved: \(place)")
  }

  // MARK: - Backwards, and forwards again

  /// Continues in another session, with what a session keeps when a plugin ends its process.
  func restart() throws {
    desk = try desk.restarted()
    try compare(try settled(), states[now], "after a restart")
  }

  func undoAll() throws {
    while now > 0 {
      _ = try desk.session.undo()
      now -= 1
      sheet = states[now].sheet
      try compare(try settled(), states[now], "undone to \(now)")
    }
    #expect(throws: EditError.nothingToUndo) { try desk.session.undo() }
  }

  func bringAllBack() throws {
    while now < states.count - 1 {
      _ = try desk.session.redo()
      now += 1
      sheet = states[now].sheet
      try compare(try settled(), states[now], "redone to \(now)")
    }
    #expect(throws: EditError.nothingToRedo) { try desk.session.redo() }
  }

  private func compare(
    _ state: ManualSession.State, _ before: ManualSession.State, _ when: String
  ) throws {
    let comment: Comment = "\(name), \(when), step \(step)"
    #expect(state.nodes == before.nodes, comment)
    #expect(state.connections == before.connections, comment)
    #expect(state.latency == before.latency, comment)
    guard now >= firstComparable else { return }
    #expect(state.saved == before.saved, comment)
    #expect(difference(state.sound, before.sound) < Self.closeness, comment)
  }

  private func difference(_ a: [Float], _ b: [Float]) -> Float {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }
}
