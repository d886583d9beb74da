// RateSessionTests.swift: devices that return at another rate. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import PluginModel
import RigPlanning
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct `A rig whose devices change their rate` {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain"]) }

  private func session(_ driver: ManualDriver, _ plugin: String) throws -> LiveSession {
    var rig = try PreparedRig(try workshop.chain(plugin), workshop.library)
    rig.runsPreflight = true
    let session = try LiveSession(rig, workshop.library) { _ in driver }
    try session.start()
    return session
  }

  /// Reports until a message comes.
  ///
  /// If it never comes, the time limit of the test run ends it.
  private func notices(_ session: LiveSession) throws -> [String] {
    let deadline = Deadline()
    while true {
      let messages = try session.report().notices.map { "\($0)" }
      if !messages.isEmpty { return messages }
      try deadline.rest(0.01)
    }
  }

  @Test
  func `a rate change tests the plugins in child processes while other requests are answered`()
    throws
  {
    let driver = ManualDriver()
    let session = try session(driver, "outboard.gain")
    defer {
      driver.stop()
      session.stop()
    }
    let before = session.graph.members[0].nodes[0]
    driver.stream.sampleRateHz = 44_100
    driver.deviceRateHz = 44_100
    _ = try session.report()
    // The preflight is running, and nothing waits for it.
    #expect(session.rates.change != nil && session.graph.members[0].nodes[0] === before)
    _ = try session.set(session.nodeValues[0].name, to: [("gain", "-7")])
    driver.onStart = { driver.deviceRateHz = nil }
    let reported = try notices(session)
    #expect(reported == ["The devices run at 44100 Hz now. The rig was re-created for this rate."])
    #expect(session.graph.configuration.sampleRateHz == 44_100 && session.rates.change == nil)
    #expect(session.nodeValues[0].values[0] == -7 && driver.keptRateCount == 0)
  }

  @Test func `a rate that a plugin refuses leaves the session at its old rate`() throws {
    let source = """
      // outboard: inputs: 2, outputs: 2
      #include <stdlib.h>
      void *create(double rate, unsigned longest) { if (rate < 48000) abort(); return malloc(1); }
      void destroy(void *state) { free(state); }
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i];
      }
      """
    let driver = ManualDriver()
    let session = try session(driver, try workshop.write(source, as: "picky.c"))
    defer {
      driver.stop()
      session.stop()
    }
    driver.stream.sampleRateHz = 44_100
    driver.deviceRateHz = 44_100
    let reported = try notices(session)
    #expect(
      reported.count == 1 && reported[0].hasPrefix("The devices run at 44100 Hz, which the rig"))
    #expect(reported[0].hasSuffix("Their audio is resampled."))
    #expect(driver.keptRateCount == 1 && session.graph.configuration.sampleRateHz == 48_000)
  }

  @Test func `a rate change is cancelled when the devices no longer need it`() throws {
    let driver = ManualDriver()
    let session = try session(driver, "outboard.gain")
    defer {
      driver.stop()
      session.stop()
    }
    driver.stream.sampleRateHz = 44_100
    driver.deviceRateHz = 44_100
    _ = try session.report()
    #expect(session.rates.change != nil)
    driver.deviceRateHz = nil
    driver.stream.sampleRateHz = 48_000
    _ = try session.report()
    #expect(session.rates.change == nil && session.graph.configuration.sampleRateHz == 48_000)
  }
}
