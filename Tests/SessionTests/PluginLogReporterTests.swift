// PluginLogReporterTests.swift: log messages of plugins, in a run and in a rendering. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import LV2Fixtures
import OfflineDriver
import PluginModel
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite struct PluginLogReporterTests {
  private func messages(_ count: Int) -> [PluginLogMessage] {
    (0 ..< count).map { PluginLogMessage(level: "Error", text: "\($0)") }
  }

  @Test
  func `three lines are reported at a time, and the number of further ones when the period ends`() {
    var watch = PluginLogReporter()
    #expect(
      watch.take(messages(2), lostCount: 0, of: "a", now: 0).map { "\($0)" } == [
        "a: error: 0", "a: error: 1",
      ])
    #expect(
      watch.take(messages(5), lostCount: 7, of: "a", now: 1).map { "\($0)" } == ["a: error: 0"])
    // Another node has a separate limit of three.
    #expect(watch.take(messages(1), lostCount: 0, of: "b", now: 9).count == 1)
    #expect(watch.takeSummaries(9.9).isEmpty)
    #expect(watch.takeSummaries(10).map { "\($0)" } == ["a: 11 more log messages suppressed."])
    #expect(watch.takeSummaries(40).isEmpty && watch.flush().isEmpty)
  }

  @Test
  func `a plugin that logs without end is reported at intervals that double, at most an hour`() {
    var watch = PluginLogReporter()
    var times: [Int] = []
    for second in 0 ..< 20_000 {
      let lines =
        watch.takeSummaries(Double(second))
        + watch.take(messages(4), lostCount: 0, of: "a", now: Double(second))
      if !lines.isEmpty { times.append(second) }
    }
    #expect(
      times == [
        0, 10, 30, 70, 150, 310, 630, 1_270, 2_550, 5_110, 8_710, 12_310, 15_910, 19_510,
      ])
    _ = watch.takeSummaries(30_000)
    // An hour in which no message was suppressed.
    _ = watch.takeSummaries(40_000)
    #expect(watch.take(messages(4), lostCount: 0, of: "a", now: 40_000).count == 3)
    #expect(watch.takeSummaries(40_010).map { "\($0)" } == ["a: 1 more log message suppressed."])
  }

  @Test func `control characters in a log line do not reach the terminal`() {
    var watch = PluginLogReporter()
    let message = PluginLogMessage(level: "Warning", text: "\u{1b}[2Jä")
    #expect(
      watch.take([message], lostCount: 0, of: "a", now: 0).map { "\($0)" } == ["a: warning:  [2Jä"])
  }

  private func rig(_ workshop: RigTestEnvironment, say: Int) throws -> PreparedRig {
    try PreparedRig(
      workshop.rig(
        """
        output: default
        nodes:
          tone: {plugin: outboard.oscillator}
          talk: {plugin: "urn:outboard:test:talker", parameters: {say: \(say)}}
        connections: ["tone:1 -> talk -> out"]
        """), workshop.library)
  }

  @Test func `a run reports errors and warnings by node, and no other lines`() throws {
    let directory = try BundleDirectory(["talker"])
    let workshop = try RigTestEnvironment(
      modules: ["oscillator"], bundlePaths: [directory.bundle("talker")])
    let session = try LiveSession(rig(workshop, say: 3), workshop.library) {
      try UnhurriedDriver(request: $0)
    }
    try session.start()
    var reported: [String] = []
    // However many traces there are, errors are still reported.
    let deadline = Deadline()
    while reported.count < 4, session.status.isRunning {
      reported += try session.report().notices.map { "\($0)" }
      try deadline.rest()
      if reported.count == 3 { break }
    }
    let begun = session.renderedFrameCount
    let deadline2 = Deadline()
    while session.renderedFrameCount < begun + 4_096, session.status.isRunning {
      try deadline2.rest()
    }
    session.stop()
    reported += session.takeNotices().map { "\($0)" }
    #expect(
      reported.prefix(3) == [
        "talk: warning: It is set to 3.", "talk: error: Between traces.",
        "talk: error: Between traces.",
      ])
    #expect(reported.count == 4)
    let end = " more log messages suppressed."
    #expect(reported.last?.hasPrefix("talk: ") == true && reported.last?.hasSuffix(end) == true)
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: [0, 1, 2])
  func `a rendering counts the lines that were not reported`(say: Int) throws {
    let directory = try BundleDirectory(["talker"])
    let workshop = try RigTestEnvironment(
      modules: ["oscillator"], bundlePaths: [directory.bundle("talker")])
    var request = RenderRequest(output: workshop.path + "/out.wav")
    request.seconds = 1
    request.tailSeconds = 0
    request.blockFrames = 64
    let session = try RenderSession(rig(workshop, say: say), workshop.library, request)
    let notes = try session.run { _ in true }.notes
    let warning = "talk: warning: It is set to \(say)."
    let error = "talk: error: Again."
    switch say {
    case 0: #expect(notes.isEmpty)
    case 1: #expect(notes == [warning])
    // 750 blocks, of which two were reported.
    default:
      #expect(
        notes == [warning, error, error, "talk: 748 more log messages suppressed."])
    }
    withExtendedLifetime(directory) {}
  }
}
