// ToyDriverTests.swift: a session with a driver that is not part of the program. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import RigSchema
import RigTestSupport
import Session
import TestWaits
import Testing
import ToyDriver

@testable import outboard

@Suite struct ToyDriverTests {
  /// The drivers of the program, and one more.
  private var registry: DriverRegistry {
    var registry = DriverRegistry.devices
    registry.kinds.append(ToyDriver.kind)
    return registry
  }

  private func session(_ workshop: RigTestEnvironment, input: String) throws -> LiveSession {
    var rig = try workshop.chain("outboard.gain", "gain=-6")
    rig.inputs[0].request.device = input
    rig.outputs[0].request.device = "toy:9600"
    let prepared = try PreparedRig(rig, workshop.library)
    return try LiveSession(prepared, workshop.library) { try registry.open($0) }
  }

  @Test func `a driver in one directory with one registration line runs a session`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let session = try session(workshop, input: "toy:9600")
    #expect(session.stream.input?.device == "toy:9600")
    try session.start()
    let deadline = Deadline()
    while try !session.report().driver.hasEnded { try deadline.rest(0.001) }
    session.stop()
    let played = try #require(session.driver as? ToyDriver).played
    #expect(played.count == 9_600)
    // The session fades in over 20 ms.
    let gain = Float(pow(10, -6 / 20.0))
    let worst = (2_400 ..< 9_600).map { abs(played[$0] - gain * ToyDriver.tone($0)) }.max() ?? 1
    #expect(worst < 1e-4)
    #expect(!session.status.isRunning && session.status.failure == nil)
  }

  @Test func `devices of two drivers that would both clock the graph are refused`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let error = #expect(throws: DriverConflict.self) { try session(workshop, input: "hw:1") }
    #expect(
      error?.description
        == "hw:1 and toy:9600 cannot be combined: each would clock the graph. Use devices of one "
        + "kind for"
        + " both directions.")
  }
}
