// BlockLengthTests.swift: devices that return with another period, and plugins with a block length option. SPDX-License-Identifier: MIT

import AudioDriver
import DummyDriver
import Foundation
import LV2Fixtures
import RealtimeKit
import RigTestSupport
import Session
import Testing

/// A driver whose device can change its period, and that counts its starts.
private final class ShrinkingPeriodDriver: AudioDriver {
  private let driver: DummyDriver
  private var period: Int?
  private(set) var startCount = 0

  init(_ request: StreamRequest) throws { driver = try DummyDriver(request: request) }

  var stream: StreamDescription {
    var stream = driver.stream
    for index in stream.outputs.indices {
      stream.outputs[index].periodFrames = period ?? stream.periodFrames
    }
    return stream
  }
  var status: DriverStatus { driver.status }
  func start(_ renderer: Renderer) throws {
    startCount += 1
    try driver.start(renderer)
  }
  func stop() { driver.stop() }
  func comeBack(periodFrames: Int) { period = periodFrames }
}

@Suite(.serialized) struct BlockLengthTests {
  /// Returns the number of driver starts of a session whose device returns with shorter periods.
  private func startCount(_ plugin: String) throws -> Int {
    let directory = try BundleDirectory(["block_lengths"])
    let workshop = try RigTestEnvironment(bundlePaths: [directory.bundle("block_lengths")])
    let rig = try PreparedRig(workshop.chain(plugin), workshop.library)
    var driver: ShrinkingPeriodDriver?
    let session = try LiveSession(rig, workshop.library) { request in
      var request = request
      request.periodFrames = 64
      let made = try ShrinkingPeriodDriver(request)
      driver = made
      return made
    }
    try session.start()
    _ = try session.report()
    driver?.comeBack(periodFrames: 48)
    for _ in 0 ..< 3 { _ = try session.report() }
    #expect(session.status.isRunning)
    session.stop()
    withExtendedLifetime(directory) {}
    return driver?.startCount ?? 0
  }

  @Test func `audio is interrupted only for plugins with a block length option`() throws {
    #expect(try startCount("urn:outboard:test:block_lengths:any") == 2)
    // With a fixed length it receives no other.
    #expect(try startCount("urn:outboard:test:block_lengths:fixed") == 1)
    #expect(try startCount("outboard.gain") == 1)
  }

  @Test func `a block adapter's delay is reported before the start`()
    throws
  {
    let directory = try BundleDirectory(["block_lengths"])
    let workshop = try RigTestEnvironment(bundlePaths: [directory.bundle("block_lengths")])
    let rig = try PreparedRig(
      workshop.chain("urn:outboard:test:block_lengths:both"), workshop.library)
    func session(_ period: Int) throws -> LiveSession {
      try LiveSession(rig, workshop.library) { request in
        var request = request
        request.periodFrames = period
        return try DummyDriver(request: request)
      }
    }
    let late = try session(441)
    #expect(late.latencyFrames == 255)
    #expect(
      late.notes.contains {
        $0.hasSuffix(
          "needs blocks of 256 frames; buffering adds 5.3 ms. Use `--period 256` to avoid this.")
      }, "\(late.notes)")
    let prompt = try session(256)
    #expect(prompt.latencyFrames == 0)
    #expect(!prompt.notes.contains { $0.contains("wants blocks") })
    withExtendedLifetime(directory) {}
  }
}
