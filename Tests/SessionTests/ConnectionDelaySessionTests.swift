// ConnectionDelaySessionTests.swift: rigs with feedback loops. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct ConnectionDelaySessionTests {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain", "oscillator"]) }

  private func rig(
    _ gain: String, delay: String = "20 ms", period: String = "period: 64", more: String = ""
  ) throws -> PreparedRig {
    let text = """
      outboard: 1
      output: {device: out, channels: 2}
      \(period)
      nodes:
        tone: {plugin: outboard.oscillator, parameters: {level: -20}}
        sum: {plugin: outboard.gain}
      connections:
        - tone -> sum -> out
        - {from: sum, to: sum, delay: \(delay), gain: \(gain)}
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

  @Test func `a delay keeps its samples during an edit`() throws {
    let session = try session(rig("-6 dB"))
    defer { session.stop() }
    let lines = session.graph.lines
    #expect(lines.count == 2 && lines.map(\.key.frameCount) == [960, 960])
    _ = try session.edit(to: rig("-12 dB"))
    #expect(session.graph.lines.map { $0 === lines[0] || $0 === lines[1] } == [true, true])
    _ = try session.edit(to: rig("-12 dB", delay: "30 ms"))
    #expect(session.graph.lines.map(\.key.frameCount) == [1_440, 1_440])
    #expect(try session.undo().isEmpty && session.graph.lines.map(\.key.frameCount) == [960, 960])
  }

  @Test func `a delay in a loop shorter than a block is refused with the shortest possible one`()
    throws
  {
    let short = try rig("-6 dB", delay: "1 ms")
    #expect {
      _ = try session(short)
    } throws: {
      "\($0)"
        == "The delay of 1 ms after sum closes a loop and is shorter than a block of 64 frames"
        + " (1.34 ms at 48000 Hz). Use a longer delay or a shorter period."
    }
    #expect(throws: ConnectionDelayError.self) { try short.checkNodes(workshop.library) }
  }

  @Test(arguments: [("5 ms", false), ("6 ms", true)])
  func `are checked with the period of a session if the rig has none`(
    delay: String, passes: Bool
  ) throws {
    let rig = try rig("-6 dB", delay: delay, period: "")
    #expect(((try? rig.checkNodes(workshop.library)) != nil) == passes)
    let session = try? session(rig)
    #expect((session != nil) == passes)
    session?.stop()
  }

  @Test func `a delay outside a loop may be shorter than a block, and survives edits`() throws {
    func rig(_ delay: String, more: String = "") throws -> PreparedRig {
      let text = """
        outboard: 1
        output: {device: out, channels: 2}
        period: 64
        nodes:
          tone: {plugin: outboard.oscillator}
          a: {plugin: outboard.gain}
          b: {plugin: outboard.gain}
        connections:
          - {from: tone, to: a, delay: \(delay)}
          - {from: a, to: b, delay: 1 ms}
          - b -> out
          \(more)
        """
      let path = try workshop.write(text, as: "rig.yaml")
      return try PreparedRig(try RigReader.read(path: path), workshop.library)
    }
    try rig("0.5 ms").checkNodes(workshop.library)
    let session = try session(rig("0.5 ms"))
    defer { session.stop() }
    let lines = session.graph.lines
    #expect(lines.map(\.key.frameCount) == [24, 48, 48])
    _ = try session.edit(to: rig("0.5 ms", more: "- {from: a, to: out, gain: -6}"))
    #expect(zip(session.graph.lines, lines).allSatisfy { $0 === $1 })
    _ = try session.edit(to: rig("0.75 ms"))
    #expect(session.graph.lines.map(\.key.frameCount) == [36, 48, 48])
    // The reverse order: nodes and delays would have to be before and after each other.
    let turned = """
      outboard: 1
      output: {device: out, channels: 2}
      period: 64
      nodes:
        tone: {plugin: outboard.oscillator}
        a: {plugin: outboard.gain}
        b: {plugin: outboard.gain}
      connections:
        - {from: tone, to: b}
        - {from: b, to: a, delay: 1 ms}
        - {from: a, to: out, delay: 1 ms}
      """
    let path = try workshop.write(turned, as: "turned.yaml")
    _ = try session.edit(to: PreparedRig(RigReader.read(path: path), workshop.library))
    #expect(session.graph.lines.map(\.key.frameCount) == [48, 48, 48, 48])
  }

  @Test func `an unstable loop is muted, and an edit with less gain restores it`() throws {
    let session = try session(rig("+12 dB"))
    defer { session.stop() }
    var statement: [String] = []
    let complaint = "Feedback through the delayed connection from sum is unstable"
    let deadline = Deadline()
    while !statement.contains(where: { $0.hasPrefix(complaint) }) {
      statement += try session.report().notices.map { "\($0)" }
      try deadline.rest(0.01)
    }
    // The loop is muted: the output is the tone again.
    var peak: Float = 99
    let deadline2 = Deadline()
    while peak > 0.2 || peak < 0.05 {
      try deadline2.rest(0.05)
      peak = try session.report().outputPeaks.max() ?? 0
    }
    let cut = session.graph.lines.map { ObjectIdentifier($0) }
    _ = try session.edit(to: rig("-6 dB"))
    #expect(session.graph.lines.allSatisfy { !cut.contains(ObjectIdentifier($0)) })
  }
}
