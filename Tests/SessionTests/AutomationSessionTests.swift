// AutomationSessionTests.swift: automation in sessions and renderings. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct `A rig with automation lanes` {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(
      modules: ["gain", "delay", "oscillator", "reverb"],
      bundles: RigTestEnvironment.hasBundle("eg-amp.lv2") ? ["eg-amp.lv2"] : [])
  }

  private func samples(_ path: String) throws -> [Float] {
    var reader = try AudioFileReader(path: path)
    let count = reader.frameCount ?? 0
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count * reader.channelCount + 1)
    defer { memory.deallocate() }
    let rows = (0 ..< reader.channelCount).map { memory + $0 * count }
    let got = try rows.withUnsafeBufferPointer { rows in
      try reader.read(into: try #require(rows.baseAddress), frameCount: count)
    }
    return rows.flatMap { Array(UnsafeBufferPointer(start: $0, count: got)) }
  }

  private func rendered(_ text: String, block: Int, seconds: Double = 2) throws -> [Float] {
    let rig = try PreparedRig(try workshop.rig(text), workshop.library)
    var request = RenderRequest(output: "\(workshop.path)/out-\(block).wav")
    request.format = .float
    request.seconds = seconds
    request.blockFrames = block
    request.replaces = true
    let session = try RenderSession(rig, workshop.library, request)
    _ = try session.run { _ in true }
    return try samples(request.output)
  }

  @Test func `automation renders the same bits in blocks of any length`() throws {
    let amp =
      RigTestEnvironment.hasBundle("eg-amp.lv2")
      ? "amp: {plugin: \"http://lv2plug.in/plugins/eg-amp\"}" : "amp: {plugin: outboard.gain}"
    let text = """
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {waveform: Saw}}
        \(amp)
        desk: {builtin: mixer, channels: 2}
        echo: {plugin: outboard.delay}
      connections: [tone -> amp, "amp:1 -> desk:1", "tone -> desk:2", desk -> echo -> out]
      transport: {tempo: 133}
      automation:
        - parameter: amp.gain
          time_unit: beats
          loop_length: 1.7
          points: [[0, -20], [0.333, 0], [1.1, -40], [1.5, -3, step]]
        - {parameter: tone.frequency, points: [[0.1, 100], [0.77, 4000, exponential], [1.4, 200]]}
        - {parameter: tone.waveform, points: [[0, Saw], [1.23456, Sine]]}
        - {parameter: desk.gain_2, points: [[0, -60], [1, 0]], loop_length: 1.1}
        - {parameter: desk.mute_1, points: [[0, off], [0.5, on], [0.9, off]]}
        - {parameter: echo.mix, points: [[0, 0], [2, 100]]}
      """
    let one = try rendered(text, block: 16)
    #expect(one.contains { abs($0) > 0.01 })
    for block in [64, 441, 1_024] {
      #expect(try rendered(text, block: block) == one, "blocks of \(block)")
    }
  }

  @Test func `automation jumps at the exact frame`() throws {
    guard RigTestEnvironment.hasBundle("eg-amp.lv2") else { return }
    let sound = try rendered(
      """
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {waveform: Square, frequency: 20}}
        amp: {plugin: "http://lv2plug.in/plugins/eg-amp"}
      connections: [tone -> amp -> out]
      automation:
        - {parameter: amp.gain, points: [[0, 0], [0.123, -90, step], [0.2105, 0, step]]}
      """, block: 1_024, seconds: 0.5)
    #expect(abs(sound[5_903]) > 0.05)
    #expect(sound[5_904 ..< 10_104].allSatisfy { abs($0) < 1e-4 })
    #expect(abs(sound[10_104]) > 0.05)
  }

  // MARK: - While it plays

  private func live(_ automation: String, gain: String = "0") throws -> PreparedRig {
    let text = """
      outboard: 1
      input: {device: in, channels: 2}
      output: {device: out, channels: 2}
      period: 64
      nodes:
        a: {plugin: outboard.gain, parameters: {gain: \(gain), balance: 0.5}}
      connections: [in -> a -> out]
      \(automation)
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  private func session(_ rig: PreparedRig) throws -> LiveSession {
    let session = try LiveSession(rig, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  /// Reports until a condition holds.
  ///
  /// If it never does, the time limit of the test run ends it.
  private func wait(_ session: LiveSession, until isSo: () -> Bool) throws {
    let deadline = Deadline()
    while !isSo() {
      _ = try session.report()
      try deadline.rest()
    }
  }

  private func gain(_ session: LiveSession) -> Float { session.nodeValues[0].values[0] }

  @Test func `automation runs in a session, and another rig changes and removes its lanes`() throws
  {
    let session = try session(
      live("automation: [{parameter: a.gain, points: [[0, -12], [0.2, -6]]}]"))
    defer { session.stop() }
    let node = session.graph.members[0].nodes[0]
    try wait(session) { gain(session) == -6 }
    _ = try session.edit(to: live("automation: [{parameter: a.gain, points: [[0, -30]]}]"))
    try wait(session) { gain(session) == -30 }
    #expect(session.graph.members[0].nodes[0] === node)
    // The value of the rig applies again after the lane is removed.
    _ = try session.edit(
      to: live("automation: [{parameter: a.gain, points: [[0, -30]]}]", gain: "3"))
    #expect(gain(session) == -30)
    _ = try session.edit(to: live("", gain: "3"))
    try wait(session) { gain(session) == 3 }
    _ = try session.undo()
    try wait(session) { gain(session) == -30 }
    #expect(session.graph.members[0].nodes[0] === node)
    try wait(session) { session.graph.editor.isSettled }
    #expect(session.graph.graph.automation(of: node) != nil)
  }

  @Test func `a manual value remains until the next point, and the reply says so`() throws {
    let session = try session(
      live("automation: [{parameter: a.gain, points: [[0, -12], [1, -6, step]]}]"))
    defer { session.stop() }
    try wait(session) { gain(session) == -12 }
    let notes = try session.set("a", to: [("gain", "5"), ("balance", "0.1")])
    #expect(notes == ["a.gain is automated. Its lane sets it again at the next point."])
    #expect(gain(session) == 5)
    try wait(session) { gain(session) == -6 }
  }

  @Test func `save writes lanes as lanes, without their momentary values`() throws {
    let lanes = "automation: [{parameter: a.gain, time_unit: beats, points: [[0, -12], [4, -6]]}]"
    let session = try session(live(lanes, gain: "-9"))
    defer { session.stop() }
    try wait(session) { gain(session) < 0 }
    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let saved = try RigReader.read(path: path)
    #expect(saved.nodes[0].parameters.map(\.symbol).sorted() == ["balance", "gain"])
    #expect(saved.nodes[0].parameters.first { $0.symbol == "gain" }?.text == "-9")
    #expect(saved.automation.count == 1)
    #expect(saved.automation[0].clock == .beats)
    #expect(saved.automation[0].points.map(\.text) == ["-12", "-6"])
  }
}
