// PipeDriverTests.swift: runs without a card, between real pipes. SPDX-License-Identifier: MIT

import AudioDriver
import Glibc
import RenderGraph
import Synchronization
import Testing

@testable import PipeIO

@Suite(.serialized) struct PipeDriverTests {
  /// An engine that is silent, because it has no render sequence.
  private func engine(_ driver: PipeDriver) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: driver.stream.inputChannelCount,
        outputChannelCount: driver.stream.outputChannelCount,
        maximumFrameCount: driver.stream.periodFrames, sampleRateHz: driver.stream.sampleRateHz,
        startsFadedOut: false))
  }

  private func driver(_ source: TestPipe, _ sink: TestPipe, raw: Bool = true) throws -> PipeDriver {
    let request = PipeOutputSettings(descriptor: sink.writeEnd, format: .s16, isRaw: raw)
    return PipeDriver(
      input: try PipeInput(descriptor: source.readEnd),
      output: try PipeOutput(request, channelCount: 2, sampleRateHz: 48_000),
      periodFrames: 64, sampleRateHz: 48_000)
  }

  private func wait(_ driver: PipeDriver, _ what: (DriverStatus) -> Bool) -> Bool {
    for _ in 0 ..< 240_000 where !what(driver.status) { usleep(1_000) }
    return what(driver.status)
  }

  @Test func `all input is played, and then the run ends`() throws {
    let (source, sink) = (TestPipe(), TestPipe())
    source.send(Header().bytes + [UInt8](repeating: 7, count: 1_000 * 4))
    source.shutDown()
    let driver = try driver(source, sink)
    let engine = engine(driver)
    try driver.start(engine.renderer)
    #expect(wait(driver) { $0.hasEnded })
    sink.shutDown()
    #expect(sink.receiveAll().count == 1_000 * 4)
    #expect(driver.status.failure == nil)
    #expect(!driver.status.isRunning)
  }

  @Test func `a block is passed on without further input`() throws {
    let (source, sink) = (TestPipe(), TestPipe())
    source.send(Header().bytes + [UInt8](repeating: 7, count: 64 * 4))
    let driver = try driver(source, sink)
    let engine = engine(driver)
    try driver.start(engine.renderer)
    var event = pollfd(fd: sink.readEnd, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, 5_000) == 1)
    #expect(driver.status.isRunning)
    driver.stop()
    #expect(!driver.status.isRunning)
    #expect(driver.status.failure == nil)
  }

  @Test func `a reader that closes the pipe ends the driver with a message`() throws {
    let (source, sink) = (TestPipe(), TestPipe())
    source.send(Header().bytes + [UInt8](repeating: 7, count: 256 * 4))
    let driver = try driver(source, sink)
    sink.closeReadEnd()
    let engine = engine(driver)
    try driver.start(engine.renderer)
    #expect(wait(driver) { $0.failure != nil })
    #expect(
      driver.status.failure
        == "The reader of standard output closed it after 0.0 s. The session ends.")
    #expect(driver.status.isStreamFailure)
  }

  @Test func `a header without audio is reported`() throws {
    let (source, sink) = (TestPipe(), TestPipe())
    source.send(Header().bytes)
    source.shutDown()
    let driver = try driver(source, sink)
    let engine = engine(driver)
    try driver.start(engine.renderer)
    #expect(wait(driver) { $0.failure != nil })
    #expect(driver.status.failure == PipeError.inputEmpty.description)
  }

  @Test func `it stops although nobody reads its output`() throws {
    let (source, sink) = (TestPipe(), TestPipe())
    // More than the pipe can store, because 16 bits become 32.
    let request = PipeOutputSettings(descriptor: sink.writeEnd)
    let driver = PipeDriver(
      input: nil, output: try PipeOutput(request, channelCount: 2, sampleRateHz: 48_000),
      periodFrames: 64, sampleRateHz: 48_000)
    let engine = engine(driver)
    try driver.start(engine.renderer)
    #expect(
      wait(driver) { _ in engine.pointer.pointee.frameCount.load(ordering: .relaxed) > 7_000 })
    driver.stop()
    #expect(!driver.status.isRunning)
    #expect(driver.status.failure == nil)
    _ = source
  }

  @Test(arguments: [DeviceFormat.u8, .s18Packed, .s16BigEndian])
  func `formats that WAV lacks are refused`(format: DeviceFormat) {
    #expect(throws: PipeError.formatNotOffered(format: format.rawValue)) {
      try PipeOutputSettings(format: format).checkFormat()
    }
  }
}
