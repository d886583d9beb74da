// EditClickSessionTests.swift: a tone through every kind of edit of a rig. SPDX-License-Identifier: MIT

import RigSchema
import RigTestSupport
import Testing

@testable import Session

@Suite(.serialized) struct `A rig that plays a tone` {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: ["gain", "delay", "limiter", "oscillator"])
  }

  private func rig(_ nodes: String, _ connections: String, _ more: String = "") throws
    -> PreparedRig
  {
    try PreparedRig(
      try workshop.rig(
        """
        output: {device: out, channels: 2}
        period: 64
        nodes:
          \(ToneRun.tone)
        \(nodes)
        connections: \(connections)
        scenes: {past: {a.bypass: on}, half: {over: 300 ms, a.wet: 50 %, a.bypass: off}}
        \(more)
        """), workshop.library)
  }

  @Test func `no kind of edit clicks`() throws {
    let a = "  a: {plugin: outboard.gain, parameters: {gain: -6}}"
    let plain = "[tone -> a, {from: a, to: out}]"
    let round = { (delay: String, gain: String) in
      "[tone -> a, {from: a, to: out}, {from: a, to: a, delay: \(delay), gain: \(gain)}]"
    }
    let lane = { (what: String, points: String) in
      "automation: [{parameter: \(what), loop_length: 0.2, points: \(points)}]"
    }
    let first = try rig(a, plain)
    let run = try ToneRun(first, workshop.library)
    let session = run.session
    func go(_ name: String, _ next: PreparedRig) throws {
      try run.step(name) { _ = try session.edit(to: next) }
    }
    try go("wet", rig("  a: {plugin: outboard.gain, parameters: {gain: -6}, wet: 40 %}", plain))
    try go("wet taken away", first)
    try run.step("bypass") { _ = try session.set("a", to: [("bypass", "on")]) }
    try run.step("undo") { _ = try session.undo() }
    try run.step("redo") { _ = try session.redo() }
    try run.step("undo again") { _ = try session.undo() }
    let two = "\(a)\n  late: {plugin: outboard.limiter}"
    try go("insertion", rig(two, "[tone -> a -> late -> out]"))
    try go("move", rig(two, "[tone -> late -> a -> out]"))
    try go("removal", first)
    try go("gain", rig(a, "[tone -> a, {from: a, to: out, gain: -3 dB}]"))
    try go(
      "a way beside", rig(a, "[tone -> a, {from: a, to: out}, {from: tone, to: out, gain: -9}]"))
    try go("way back", rig(a, round("20 ms", "-12")))
    try go("way back longer", rig(a, round("33 ms", "-12")))
    try go("way back quieter", rig(a, round("33 ms", "-20")))
    try go("way back taken away", first)
    try go("lane of wet", rig(a, plain, lane("a.wet", "[[0, 100], [0.1, 0], [0.2, 100]]")))
    try go("lane changed", rig(a, plain, lane("a.wet", "[[0, 50], [0.1, 100], [0.2, 50]]")))
    try go("lane of bypass", rig(a, plain, lane("a.bypass", "[[0, on], [0.1, off]]")))
    try go("lane of a gain", rig(a, plain, lane("a -> out.gain", "[[0, 0], [0.1, -9], [0.2, 0]]")))
    try run.step("lane by hand") { _ = try session.set("a", to: [("wet", "70 %")]) }
    try go("lane taken away", first)
    try run.step("scene") { _ = try session.recall("past") }
    try run.step("morph") { _ = try session.recall("half") }
    try go(
      "another rig",
      rig("  a: {plugin: outboard.delay, parameters: {time: 30 ms, mix: 30}}", "[tone -> a -> out]")
    )
    let passages = run.end()
    #expect(passages.count == 25)
    expectNoClick(in: passages)
  }

  @Test func `a session begins with the requested scene`() throws {
    let rig = try rig("  a: {plugin: outboard.gain}", "[tone -> a -> out]")
    let past = try rig.applyingScene("Past").rig.nodes[1]
    let half = try rig.applyingScene("half").rig.nodes[1]
    #expect(past.isBypassed && !half.isBypassed && half.wetLevel == 0.5)
    #expect(throws: SetValueError(messages: ["No such scene: pst. Did you mean past?"])) {
      try rig.applyingScene("pst")
    }
  }
}
