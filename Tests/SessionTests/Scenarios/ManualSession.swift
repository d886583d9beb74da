// ManualSession.swift: a session that a scenario controls. SPDX-License-Identifier: MIT

import Foundation
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@testable import RenderGraph
@testable import Session

/// A session whose blocks the test renders.
final class ManualSession {
  /// The state that clients can read.
  struct State {
    var saved: String
    var nodes: [String]
    var connections: [String]
    var latency: Int
    var sound: [Float]
    var sheet: RigText
  }

  let session: LiveSession
  private let driver: ManualDriver
  private let workshop: RigTestEnvironment

  init(_ text: String, _ workshop: RigTestEnvironment, as name: String = "rig.yaml") throws {
    let driver = ManualDriver()
    (self.driver, self.workshop) = (driver, workshop)
    session = try LiveSession(Self.rig(text, workshop, name), workshop.library) { _ in driver }
    try session.start()
  }

  private init(_ record: RestartRecord, _ workshop: RigTestEnvironment) throws {
    let driver = ManualDriver()
    (self.driver, self.workshop) = (driver, workshop)
    session = try LiveSession(
      try PreparedRig(try record.readRig(), workshop.library), workshop.library
    ) { _ in driver }
    session.resume(record, atBeat: nil)
    try session.start()
  }

  /// A session that continues this one, as after a fault in its process.
  func restarted(as record: RestartRecord? = nil) throws -> ManualSession {
    let record = record ?? session.restartRecord(revision: 1, historyBytes: 1 << 20)
    return try ManualSession(try #require(RestartRecord(bytes: record.bytes)), workshop)
  }

  deinit {
    driver.stop()
    session.stop()
  }

  static func rig(_ text: String, _ workshop: RigTestEnvironment, _ name: String) throws
    -> PreparedRig
  {
    let path = try workshop.write(text, as: name)
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  func load(_ text: String) throws {
    _ = try session.edit(to: Self.rig(text, workshop, "rig.yaml"))
  }

  // MARK: - Audio

  /// Renders until no fade and no ramp is active.
  ///
  /// Returns all output.
  func settle() throws {
    var notices: [String] = []
    var (blocks, worst) = (0, Float(0))
    repeat {
      for _ in 0 ..< 8 {
        let noise = Self.noise[(blocks % 50) * 64 ..< (blocks % 50 + 1) * 64]
        for sample in driver.play(noise, noise) {
          worst = sample.isFinite ? max(worst, abs(sample)) : .infinity
        }
        blocks += 1
      }
      session.advanceMorph()
      // Edits that waited for a fade start here. The session is at rest only after them.
      notices += try session.report().notices.map { "\($0)" }
    } while blocks < 150 || !session.graph.editor.isIdle || session.isMorphing
    #expect(worst < 3)
    #expect(!notices.contains { $0.contains(" output NaN") || $0.contains(" output a ") })
  }

  /// The output for a burst of noise, until it is silent.
  func hear() -> [Float] {
    let silence = ArraySlice(repeatElement(Float(0), count: 64))
    var quiet = 0
    for block in 0 ..< 6_000 {
      quiet = driver.play(silence, silence).allSatisfy { abs($0) < 1e-7 } ? quiet + 1 : 0
      // Longer than any of the delays, and than the settling time of plugins.
      if quiet > 300, block > 900 { break }
    }
    return (0 ..< 200).flatMap { block -> [Float] in
      guard block < 50 else { return driver.play(silence, silence) }
      let left = Self.noise[block * 64 ..< (block + 1) * 64]
      return driver.play(left, Self.noise[(49 - block) * 64 ..< (50 - block) * 64])
    }
  }

  private static let noise: [Float] = {
    var state: UInt32 = 1
    return (0 ..< 3_200).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(Int32(bitPattern: state)) / 2_147_483_648 * 0.1
    }
  }()

  // MARK: - State

  func state(_ sheet: RigText) throws -> State {
    try checkInvariants()
    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let saved = try String(contentsOfFile: path, encoding: .utf8)
    return State(
      saved: saved, nodes: session.nodeValues.map(\.name),
      connections: session.rig.rig.connections.map(Self.spelling).sorted(),
      latency: session.latencyFrames, sound: hear(), sheet: sheet)
  }

  /// A connection, with its gain and delay if it has any.
  private static func spelling(_ connection: RigConnection) -> String {
    var text = connection.label
    if connection.gainDecibels != 0 {
      text += " at \(ConnectionGain.spelling(of: connection.gainDecibels))"
    }
    if let delay = connection.delaySeconds { text += " after \(Int((delay * 1_000).rounded())) ms" }
    return text
  }

  /// Checks conditions that hold after any action.
  func checkInvariants() throws {
    let graph = session.graph
    #expect(graph.members.map(\.name) == session.rig.rig.nodes.map(\.name))
    #expect(graph.members.map(\.plugin) == session.rig.plugins)
    #expect(graph.plan.connections.count == session.rig.rig.connections.count)
    let settings = graph.engine.settings
    let plan = try session.rig.plan(
      inputChannelCount: settings.inputChannelCount,
      outputChannelCount: settings.outputChannelCount)
    #expect(plan.links == graph.plan.links && plan.eventLinks == graph.plan.eventLinks)
    let nodes = graph.members.flatMap(\.nodes).map { ObjectIdentifier($0) }
    #expect(Set(nodes).count == nodes.count, "A node stands in two places.")
    let known = Set(graph.graph.vertices.map { ObjectIdentifier($0.node) })
    #expect(known.isSuperset(of: nodes), "A node of the rig is not in the graph.")
    #expect(graph.editor.latencyFrames == graph.engine.latencyFrames)
    #expect(session.active.faults.bypassedNodes.isEmpty)
  }
}
