// SceneSessionTests.swift: a session that recalls scenes. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct `A rig with scenes` {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain", "delay"]) }

  private func rig(more: String = "") throws -> PreparedRig {
    let text = """
      outboard: 1
      input: {device: in, channels: 2}
      output: {device: out, channels: 2}
      period: 64
      nodes:
        a: {plugin: outboard.gain}
        b: {plugin: outboard.delay, parameters: {time: 100 ms}}
      connections: [in -> a -> b -> out]
      scenes:
        low: {a.gain: -20, a.mute: on, b.time: 10 ms, b.mode: Ping-pong}
        slow: {over: 1 min, a.gain: 6}
        past: {a.gain: -3, b.bypass: on, a.wet: 40 %}
        back: {program: 128, b.bypass: off, a.wet: 100 %}
      \(more)
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  private func session(_ rig: PreparedRig) throws -> LiveSession {
    let session = try LiveSession(rig, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  private func value(_ session: LiveSession, _ node: String, _ symbol: String) throws -> Float {
    let member = try #require(session.nodeValues.first { $0.name == node })
    let place = try #require(member.plugin.parameters.firstIndex { $0.symbol == symbol })
    return member.values[place]
  }

  /// Advances the morph until it has ended.
  ///
  /// If it never does, the time limit of the test run ends it.
  private func finish(_ session: LiveSession) throws {
    let deadline = Deadline()
    while session.isMorphing {
      session.advanceMorph()
      _ = try session.report()
      try deadline.rest()
    }
  }

  @Test func `a scene without a time is applied at once and becomes the current one`() throws {
    let session = try session(rig())
    defer { session.stop() }
    #expect(session.scenes.map(\.name) == ["low", "slow", "past", "back"])
    #expect(session.scenes.allSatisfy { !$0.isCurrent })
    #expect(try session.recall("LOW").isEmpty)
    #expect(!session.isMorphing)
    #expect(try value(session, "a", "gain") == -20)
    #expect(try value(session, "a", "mute") == 1)
    #expect(try value(session, "b", "time") == 10)
    #expect(try value(session, "b", "mode") == 1)
    #expect(session.scenes.filter(\.isCurrent).map(\.name) == ["low"])
  }

  @Test func `a scene with a time moves values over that time, and switches change in the middle`()
    throws
  {
    let session = try session(rig())
    defer { session.stop() }
    _ = try session.recall("low", over: 1_000)
    #expect(session.isMorphing)
    let ways = session.sceneControl.morph.parameterMorphs
    let start = try #require(ways.first).clock.start
    func at(_ seconds: Double, _ index: Int) -> Float {
      ways[index].value(at: start + seconds)
    }
    #expect(ways.count == 4)
    #expect(at(0, 0) == 0 && abs(at(250, 0) + 5) < 1e-4 && at(1_000, 0) == -20)
    #expect(at(499, 1) == 0 && at(501, 1) == 1)
    // A tenth of the way, in equal ratios.
    #expect(abs(at(500, 2) - 31.623) < 0.01)
    #expect(at(499, 3) == 0 && at(501, 3) == 1)
    // Manual values remain.
    _ = try session.set("a", to: [("gain", "3")])
    session.advanceMorph()
    #expect(try value(session, "a", "gain") == 3)
    // Another scene continues from the current value.
    _ = try session.recall("low", over: 0.02)
    try finish(session)
    #expect(try value(session, "a", "gain") == -20)
    #expect(try value(session, "a", "mute") == 1)
  }

  @Test func `a MIDI program change recalls the scene of its number`() throws {
    let session = try session(rig())
    defer { session.stop() }
    for program: UInt8 in [5, 127] {
      let isTaken = session.graph.engine.midiInput.pointee.write(time: 0, [0xc3, program])
      #expect(isTaken)
    }
    var notices: [String] = []
    while notices.isEmpty { notices += try session.report().notices.map { "\($0)" } }
    #expect(notices == ["Program 128 recalls the scene back."])
    #expect(session.scenes.filter(\.isCurrent).map(\.name) == ["back"])
  }

  @Test func `a scene uses the time given in the rig`() throws {
    let session = try session(rig())
    defer { session.stop() }
    _ = try session.recall("slow")
    #expect(session.sceneControl.morph.parameterMorphs.first?.clock.seconds == 60)
    _ = try session.edit(to: rig(more: "description: other"))
    #expect(!session.isMorphing)
  }

  @Test func `a scene bypasses nodes at once or with a fade, and undo restores them`() throws {
    let session = try session(rig())
    defer { session.stop() }
    let nodes = session.graph.members.map { $0.nodes[0] }
    _ = try session.recall("past")
    #expect(session.rig.rig.nodes.map(\.isBypassed) == [false, true])
    #expect(session.rig.rig.nodes[0].wetLevel == 0.4)
    _ = try session.recall("back", over: 0.3)
    try finish(session)
    #expect(session.rig.rig.nodes.map(\.isBypassed) == [false, false])
    #expect(session.rig.rig.nodes[0].wetLevel == 1)
    _ = try session.undo()
    #expect(session.rig.rig.nodes.map(\.isBypassed) == [false, true])
    _ = try session.undo()
    #expect(session.rig.rig.nodes.map(\.isBypassed) == [false, false])
    for (node, member) in zip(nodes, session.graph.members) { #expect(member.nodes[0] === node) }
  }

  @Test func `a stored scene has all values, and save writes it to the rig`() throws {
    let session = try session(
      rig(more: "automation: [{parameter: b.mix, points: [[0, 10], [9, 90]]}]"))
    defer { session.stop() }
    _ = try session.set("a", to: [("gain", "-7.5"), ("wet", "80 %")])
    #expect(try session.storeScene("my own").isEmpty)
    #expect(session.scenes.last?.name == "my own" && session.scenes.last?.isCurrent == true)
    _ = try session.recall("low")
    _ = try session.recall("back")
    _ = try session.recall("my own")
    try finish(session)
    #expect(try value(session, "a", "gain") == -7.5)
    #expect(try value(session, "a", "mute") == 0)
    #expect(try value(session, "b", "time") == 100)
    #expect(session.rig.rig.nodes[0].wetLevel == 0.8)
    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let saved = try RigReader.read(path: path)
    #expect(saved.scenes.map(\.name) == ["low", "slow", "past", "back", "my own"])
    // Values of the rig are not repeated; they are added when the rig is prepared.
    #expect(saved.scenes[4].isComplete)
    #expect(saved.scenes[4].values.isEmpty)
    let whole = try PreparedRig(saved, workshop.library).rig.scenes[4].values.map(\.symbol)
    #expect(whole.contains("a.gain") && whole.contains("b.bypass"))
    #expect(!whole.contains("b.mix"))
    // The file does not contain the scene, and does not remove it.
    _ = try session.edit(to: rig())
    #expect(session.scenes.map(\.name).contains("my own"))
    // It replaces the scene of that name.
    _ = try session.storeScene("low")
    #expect(session.scenes.filter { $0.name == "low" }.count == 1)
  }

  @Test func `a stored scene restores all values although only the differences are saved`() throws {
    let session = try session(rig())
    defer { session.stop() }
    _ = try session.set("a", to: [("gain", "-7.5")])
    _ = try session.storeScene("quiet")
    _ = try session.set("a", to: [("gain", "-1"), ("wet", "30 %")])
    _ = try session.set("b", to: [("time", "250 ms"), ("bypass", "on")])
    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let saved = try RigReader.read(path: path)
    let quiet = try #require(saved.scenes.last)
    #expect(quiet.isComplete)
    #expect(Set(quiet.values.map(\.symbol)) == ["a.gain", "a.wet", "b.time", "b.bypass"])
    let again = try self.session(PreparedRig(saved, workshop.library))
    defer { again.stop() }
    // Another scene and manual changes change values that the stored scene omits.
    _ = try again.recall("low")
    _ = try again.set("a", to: [("mute", "on")])
    _ = try again.set("b", to: [("mix", "3")])
    _ = try again.recall("quiet")
    try finish(again)
    #expect(try value(again, "a", "gain") == -7.5)
    #expect(try value(again, "a", "mute") == 0)
    #expect(try value(again, "b", "time") == 100)
    #expect(try value(again, "b", "mode") == 0)
    #expect(try value(again, "b", "mix") == value(session, "b", "mix"))
    #expect(again.rig.rig.nodes.map(\.isBypassed) == [false, false])
    #expect(again.rig.rig.nodes.map(\.wetLevel) == [1, 1])
    // After a second save, it has the same text.
    try again.save(to: path, replaces: true)
    #expect(try RigReader.read(path: path).scenes.last?.name == "quiet")
  }

  @Test func `values during a morph are reported briefly and match the audio`() throws {
    let session = try session(rig())
    defer { session.stop() }
    _ = try session.set("b", to: [("mix", "33.333332 %")])
    _ = try session.recall("low", over: 1_000)
    _ = try session.recall("past", over: 1_000)
    for _ in 0 ..< 20 {
      session.advanceMorph()
      let path = "\(workshop.path)/saved.yaml"
      try session.save(to: path, replaces: true)
      let saved = try PreparedRig(RigReader.read(path: path), workshop.library)
      for (node, live) in zip(try saved.plan().nodes, session.nodeValues) {
        for value in node.values { #expect(value.value == live.values[value.parameter]) }
      }
      let written = saved.rig.nodes.flatMap(\.parameters)
      #expect(written.contains { $0.text == "33.333332 %" })
      for value in written where value.symbol != "mix" {
        #expect(value.text.filter(\.isNumber).count <= 6, "\(value)")
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  @Test func `a wrong request is refused with the reason and changes nothing`() throws {
    let session = try session(rig())
    defer { session.stop() }
    for (name, message) in [
      ("lwo", "No such scene: lwo. Did you mean low?"),
      ("xyzzyx", "No such scene: xyzzyx. Known scenes: low, slow, past, back."),
    ] {
      let error = #expect(throws: SetValueError.self) { try session.recall(name) }
      #expect(error?.messages == [message])
    }
    let error = #expect(throws: SetValueError.self) { try session.storeScene(" ") }
    #expect(error?.messages == ["A scene needs a name."])
    let long = #expect(throws: SetValueError.self) {
      try session.storeScene(String(repeating: "é", count: 101))
    }
    #expect(long?.messages == ["The scene name has 202 bytes; the limit is 200."])
    #expect(session.scenes.count == 4 && !session.isMorphing)
  }
}
