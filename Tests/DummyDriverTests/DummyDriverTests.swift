// DummyDriverTests.swift: the clock and the stop of the driver without a device. SPDX-License-Identifier: MIT

import AudioDriver
import DummyDriver
import Glibc
import RenderGraph
import Synchronization
import TestWaits
import Testing

@Suite(.serialized) struct DummyDriverTests {
  private func driver(_ change: (inout StreamRequest) -> Void = { _ in }) throws -> DummyDriver {
    var request = StreamRequest()
    request.inputDevice = "dummy"
    request.outputDevice = "dummy"
    change(&request)
    return try DummyDriver(request: request)
  }

  private func engine(for stream: StreamDescription) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: stream.input?.channelCount ?? 0,
        outputChannelCount: stream.output?.channelCount ?? 0,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: false))
  }

  private func frames(_ engine: Engine) -> Int {
    Int(engine.pointer.pointee.frameCount.load(ordering: .relaxed))
  }

  @Test func `settings without a value have the usual ones`() throws {
    let stream = try driver().stream
    #expect(stream.sampleRateHz == 48_000)
    #expect(stream.periodFrames == 256)
    #expect(stream.input?.channelCount == 2)
    #expect(stream.output?.channelCount == 2)
  }

  @Test func `requested settings are used`() throws {
    let stream = try driver {
      $0.outputDevice = nil
      $0.inputChannelCount = 5
      $0.sampleRateHz = 96_000
      $0.periodFrames = 31
    }.stream
    #expect(stream.output == nil)
    #expect(stream.input?.channelCount == 5)
    #expect(stream.sampleRateHz == 96_000)
    #expect(stream.periodFrames == 31)
  }

  @Test func `a rate or a period of zero is refused`() {
    let error = #expect(throws: DummyDriverError.self) { try driver { $0.sampleRateHz = 0 } }
    #expect(
      error?.description
        == "A period of 256 frames at 0 Hz is not possible. Both must be at least 1.")
  }

  @Test func `blocks are not faster than the clock`() throws {
    let driver = try driver { $0.periodFrames = 480 }
    let engine = engine(for: driver.stream)
    let began = ContinuousClock.now
    try driver.start(engine.renderer)
    let deadline = Deadline()
    while frames(engine) < 4_800 { try deadline.rest(0.002) }
    let took = ContinuousClock.now - began
    #expect(driver.status.isRunning)
    driver.stop()
    // A busy machine may be late, which is counted, but never early.
    #expect(took >= .milliseconds(99))
  }

  @Test func `it can be stopped in the middle of a long period`() throws {
    // A period of more than a quarter of an hour.
    let driver = try driver {
      $0.periodFrames = 1_000_000
      $0.sampleRateHz = 1_000
    }
    let engine = engine(for: driver.stream)
    try driver.start(engine.renderer)
    driver.stop()
    #expect(frames(engine) == 0)
    #expect(!driver.status.isRunning)
  }

  @Test func `it can be restarted after a stop`() throws {
    let driver = try driver { $0.periodFrames = 16 }
    let engine = engine(for: driver.stream)
    for _ in 0 ..< 2 {
      let before = frames(engine)
      try driver.start(engine.renderer)
      let deadline = Deadline()
      while frames(engine) == before { try deadline.rest(0.001) }
      driver.stop()
      driver.stop()
    }
    #expect(frames(engine) % 16 == 0)
    #expect(driver.status.failure == nil)
  }

  @Test func `before its start there is nothing to report`() throws {
    #expect(try driver().status == DriverStatus())
  }
}
