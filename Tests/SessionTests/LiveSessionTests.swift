// LiveSessionTests.swift: a rig runs, reports, fades out and ends. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import DummyDriver
import Foundation
import Manifests
import RealtimeKit
import RenderGraph
import RigSchema
import RigTestSupport
import Session
import TestWaits
import Testing

@Suite(.serialized) struct LiveSessionTests {
  private func session(
    _ workshop: RigTestEnvironment, _ rig: RigDescription, seen: (StreamRequest) -> Void = { _ in }
  ) throws -> LiveSession {
    try LiveSession(try PreparedRig(rig, workshop.library), workshop.library) { request in
      seen(request)
      var request = request
      request.periodFrames = request.periodFrames ?? 64
      return try UnhurriedDriver(request: request)
    }
  }

  /// Reports until a condition holds.
  ///
  /// If it never does, the time limit of the test run ends it.
  private func report(
    _ session: LiveSession, until isRight: (LiveSession.Report) -> Bool
  ) throws -> LiveSession.Report {
    let deadline = Deadline()
    while true {
      let report = try session.report()
      if isRight(report) { return report }
      try deadline.rest()
    }
  }

  @Test func `a rig runs, reports its output level, and ends in silence`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let session = try session(workshop, try workshop.chain("outboard.oscillator", "level=-6"))
    #expect(session.stream.input == nil)
    #expect(session.stream.output?.channelCount == 2)
    #expect(!session.status.isRunning)
    try session.start()
    #expect(session.status.isRunning)
    let report = try report(session) { ($0.outputPeaks.max() ?? 0) > 0.45 }
    #expect(report.inputPeaks == [])
    #expect(report.outputPeaks.count == 2)
    #expect((report.outputPeaks.max() ?? 2) < 0.55)
    #expect(report.worstLoad >= report.meanLoad || report.meanLoad == 0)
    #expect(report.driver.failure == nil)
    session.stop()
    #expect(!session.status.isRunning)
    _ = try session.report()
    // No more blocks are rendered.
    #expect(try session.report().outputPeaks == [0, 0])
  }

  @Test func `stopping twice, or before the start, is harmless`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let session = try session(workshop, try workshop.chain("outboard.gain"))
    session.stop()
    let other = try self.session(workshop, try workshop.chain("outboard.gain"))
    try other.start()
    other.stop()
    other.stop()
    #expect(!other.status.isRunning)
  }

  @Test func `a fade-out ends in silence before the driver is stopped`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let spy = CapturingDriver()
    let prepared = try PreparedRig(workshop.chain("outboard.oscillator"), workshop.library)
    let session = try LiveSession(prepared, workshop.library) { request in
      spy.driver = try UnhurriedDriver(request: request)
      return spy
    }
    try session.start()
    _ = try report(session) { ($0.outputPeaks.max() ?? 0) > 0.01 }
    session.stop()
    #expect(spy.lastBlockAtStop.count > 0)
    #expect(spy.lastBlockAtStop.allSatisfy { $0 == 0 })
  }

  @Test func `an analyser's report has the name of its node`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let rig = try workshop.rig(
      """
      input: default
      nodes: {tone: {plugin: outboard.oscillator, parameters: {frequency: 1 kHz}}, ear: {builtin: analyser}}
      connections: [tone -> ear, "in -> ear"]
      """)
    let session = try session(workshop, rig)
    #expect(session.stream.output == nil)
    try session.start()
    let report = try report(session) { report in
      report.analyses.first.flatMap { $0.report.strongestHz }.map { abs($0 - 1_000) < 30 } ?? false
    }
    session.stop()
    #expect(report.analyses.map(\.name) == ["ear"])
    #expect(report.inputPeaks == [0, 0])
    #expect(report.outputPeaks == [])
  }

  @Test func `a driver gets the rig's settings and as many outputs as the rig connects`()
    throws
  {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    func request(_ text: String) throws -> StreamRequest? {
      var seen: StreamRequest?
      _ = try session(workshop, try workshop.rig(text)) { seen = $0 }
      return seen
    }
    let full = try request(
      """
      rate: 44100
      period: 128
      periods: 3
      input: {device: hw:1, channels: 1}
      output: {device: hw:2, format: S24_3}
      connections: [in -> out]
      """)
    #expect(full?.sampleRateHz == 44_100 && full?.periodFrames == 128 && full?.periodCount == 3)
    #expect(full?.inputDevice == "hw:1" && full?.inputChannelCount == 1)
    #expect(full?.outputDevice == "hw:2" && full?.outputs.first?.format == "S24_3")
    // Mono is copied to both sides.
    #expect(full?.outputChannelCount == 2)
    let wide = try request("input: default\noutput: default\nconnections: [\"in:1 -> out:4\"]")
    #expect(wide?.outputChannelCount == 4)
  }

  @Test func `missing device features are reported before the first block`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let rig = try workshop.rig(
      "input: {device: a, channels: 4}\noutput: default\nconnections: [\"in:4 -> out\"]")
    let error = #expect(throws: ManifestError.self) {
      try LiveSession(PreparedRig(rig, workshop.library), workshop.library) { request in
        var request = request
        request.inputChannelCount = 2
        return try UnhurriedDriver(request: request)
      }
    }
    #expect(
      error?.description.hasSuffix(
        "connections[1]: The input has only 2 channels. Channels are numbered from 1.") == true)
  }

  @Test func `a card with many channels uses the first ones and no others`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let prepared = try PreparedRig(workshop.chain("outboard.gain"), workshop.library)
    let session = try LiveSession(prepared, workshop.library) { request in
      var request = request
      (request.inputChannelCount, request.outputChannelCount) = (18, 20)
      request.periodFrames = 64
      return try UnhurriedDriver(request: request)
    }
    #expect(session.stream.output?.channelCount == 20)
    let report = try session.report()
    #expect(report.inputPeaks.count == 2)
    #expect(report.outputPeaks.count == 2)
  }

  @Test func `a refused device is not tried again, and no node is created`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let prepared = try PreparedRig(workshop.chain("outboard.gain"), workshop.library)
    #expect(throws: DummyDriverError.impossible(periodFrames: 256, rateHz: 0)) {
      try LiveSession(prepared, workshop.library) { request in
        var request = request
        request.sampleRateHz = 0
        return try UnhurriedDriver(request: request)
      }
    }
  }

  @Test func `notes of the plan come before the start`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let session = try session(workshop, try workshop.chain("outboard.gain", "gain=99"))
    #expect(session.notes == ["Gain: gain = 99 is above the maximum. Using 24 dB."])
    #expect(session.latencyFrames == 0)
  }
}

/// A driver that stores the last block when it is stopped.
private final class CapturingDriver: AudioDriver {
  var driver: UnhurriedDriver?
  private(set) var lastBlockAtStop: [Float] = []
  private var renderer: Renderer?

  var stream: StreamDescription {
    driver?.stream
      ?? StreamDescription(
        inputs: [], outputs: [], sampleRateHz: 48_000, periodFrames: 1, isLinked: false)
  }
  var status: DriverStatus { driver?.status ?? DriverStatus() }

  func start(_ renderer: Renderer) throws {
    self.renderer = renderer
    try driver?.start(renderer)
  }

  func stop() {
    driver?.stop()
    guard let renderer, lastBlockAtStop.isEmpty else { return }
    lastBlockAtStop = (0 ..< stream.periodFrames).map { frame in
      renderer.callback.outputs[0][frame]
    }
  }
}
