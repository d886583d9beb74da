// PipeBridgeDriverTests.swift: pipes with a driver that clocks the graph. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import DummyDriver
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization
import TestWaits
import Testing

@testable import PipeIO

@Suite(.serialized) struct PipeBridgeDriverTests {
  private func clock(input: String? = nil, output: String? = nil) throws -> DummyDriver {
    var request = StreamRequest()
    request.inputDevice = input
    request.outputDevice = output
    return try DummyDriver(request: request)
  }

  private func engine(_ stream: StreamDescription) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: false))
  }

  private func wait(_ driver: PipeBridgeDriver, _ what: (DriverStatus) -> Bool) -> Bool {
    for _ in 0 ..< 240_000 where !what(driver.status) { usleep(1_000) }
    return what(driver.status)
  }

  @Test func `a pipe's channels follow those of the cards`() throws {
    let source = TestPipe()
    source.send(Header(channels: 3).bytes)
    let driver = PipeBridgeDriver(
      try clock(input: "dummy", output: "dummy"),
      input: try PipeInput(descriptor: source.readEnd), output: nil)
    #expect(driver.stream.inputs.map(\.device) == ["dummy", "-"])
    #expect(driver.stream.inputChannelCount == 5)
    #expect(driver.stream.inputs[1].isFollowing)
  }

  @Test func `a stream is played to its end, and then the run ends`() throws {
    let source = TestPipe()
    source.send(Header().bytes + [UInt8](repeating: 0x40, count: 8_000 * 4))
    source.shutDown()
    let driver = PipeBridgeDriver(
      try clock(output: "dummy"), input: try PipeInput(descriptor: source.readEnd), output: nil)
    let engine = engine(driver.stream)
    try driver.start(engine.renderer)
    var peak: Float = 0
    #expect(
      wait(driver) {
        peak = max(peak, engine.pointer.pointee.inputMeter.take(1))
        return $0.hasEnded
      })
    #expect(peak == Float(0x4040) / 32_768)
    #expect(driver.status.failure == nil)
    driver.stop()
  }

  @Test func `a run with a card writes exactly what it plays`() throws {
    let sink = TestPipe()
    let driver = PipeBridgeDriver(
      try clock(input: "dummy"), input: nil,
      output: try PipeOutput(
        PipeOutputSettings(descriptor: sink.writeEnd, format: .s16, isRaw: true), channelCount: 2,
        sampleRateHz: 48_000))
    #expect(driver.stream.outputs.map(\.device) == ["-"])
    let engine = engine(driver.stream)
    // Read continuously, because a full pipe would drop frames.
    let readEnd = sink.readEnd
    let byteCount = Mutex(0)
    let isRead = DispatchGroup()
    DispatchQueue.global().async(group: isRead) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(readEnd, &bytes, bytes.count)
        guard count > 0 else { return }
        byteCount.withLock { $0 += count }
      }
    }
    try driver.start(engine.renderer)
    #expect(
      wait(driver) { _ in engine.pointer.pointee.frameCount.load(ordering: .relaxed) > 4_000 })
    driver.stop()
    let rendered = Int(engine.pointer.pointee.frameCount.load(ordering: .relaxed))
    sink.shutDown()
    #expect(isRead.wait(timeout: .now() + patienceSeconds) == .success)
    #expect(byteCount.withLock { $0 } == rendered * 4)
    #expect(driver.status.failure == nil)
  }

  @Test func `the run continues without a reader, with a report`() throws {
    let sink = TestPipe()
    let driver = PipeBridgeDriver(
      try clock(input: "dummy"), input: nil,
      output: try PipeOutput(
        PipeOutputSettings(descriptor: sink.writeEnd), channelCount: 64, sampleRateHz: 48_000))
    let engine = engine(driver.stream)
    try driver.start(engine.renderer)
    #expect(wait(driver) { $0.devices.last?.state == .missing })
    #expect(
      driver.status.devices.last?.reason
        == "The reader of standard output stalled. Output is dropped until it reads again.")
    let status = driver.status
    #expect(status.isRunning && status.failure == nil)
    #expect(status.xrunCount >= 1 && status.lostSeconds > 0.2)
    driver.stop()
  }

  @Test func `a reader that closes ends the run`() throws {
    let sink = TestPipe()
    let driver = PipeBridgeDriver(
      try clock(input: "dummy"), input: nil,
      output: try PipeOutput(
        PipeOutputSettings(descriptor: sink.writeEnd), channelCount: 2, sampleRateHz: 48_000))
    let engine = engine(driver.stream)
    try driver.start(engine.renderer)
    sink.closeReadEnd()
    #expect(wait(driver) { $0.failure != nil })
    #expect(driver.status.failure?.hasPrefix("The reader of standard output closed it") == true)
    #expect(driver.status.isStreamFailure && !driver.status.hasEnded)
    driver.stop()
  }

  @Test func `a paused source is reported, and so is its return`() throws {
    let source = TestPipe()
    source.send(Header().bytes)
    let driver = PipeBridgeDriver(
      try clock(output: "dummy"), input: try PipeInput(descriptor: source.readEnd), output: nil)
    let engine = engine(driver.stream)
    try driver.start(engine.renderer)
    let piece = [UInt8](repeating: 0, count: 480 * 4)
    // In real time: a hundredth of a second each.
    func play(seconds: Double) {
      var due = timespec()
      clock_gettime(CLOCK_MONOTONIC, &due)
      for _ in 0 ..< Int(seconds * 100) {
        source.send(piece)
        due.tv_nsec += 10_000_000
        if due.tv_nsec >= 1_000_000_000 {
          (due.tv_sec, due.tv_nsec) = (due.tv_sec + 1, due.tv_nsec - 1_000_000_000)
        }
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &due, nil)
      }
    }
    play(seconds: 1)
    #expect(wait(driver) { $0.devices.first?.state == .missing })
    #expect(
      driver.status.devices.first?.reason
        == "Standard input stalled. Playing silence until data arrives.")
    play(seconds: 2)
    #expect(driver.status.devices.first?.state == .running)
    #expect(driver.status.xrunCount >= 1)
    driver.stop()
  }

  @Test(arguments: [
    (["-", "-"], "Only one --in - is allowed. Remove the other one."),
    (
      ["-", "hw:1"],
      "- must be the last of several --in, because its channels follow those of "
        + "the cards."
    ),
    (["hw:1", "-"], nil), (["hw:1"], nil),
  ])
  func `invalid positions of a pipe among devices are refused`(names: [String], fault: String?) {
    let devices = names.map { DeviceRequest(device: $0) }
    #expect(StandardStream.fault(in: devices, option: "--in") == fault)
  }
}
