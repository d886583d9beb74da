// ALSADriverTests.swift: the driver on any machine, with or without cards. SPDX-License-Identifier: MIT
//
// On real cards it is tested in a virtual machine, by scripts/test-vm. These tests need no card:
// they use ALSA's `null` device, which accepts and returns any number of frames. The driver adds a
// clock.

import AudioDriver
import Glibc
import RenderGraph
import Synchronization
import TestWaits
import Testing

@testable import ALSADriver

@Suite(.serialized) struct ALSADriverTests {
  private func request(
    input: String? = "null", output: String? = "null",
    _ change: (inout StreamRequest) -> Void = { _ in }
  ) -> StreamRequest {
    var request = StreamRequest()
    request.inputDevice = input
    request.outputDevice = output
    change(&request)
    return request
  }

  @Test func `settings without a value have the usual ones`() throws {
    let stream = try ALSADriver(request: request()).stream
    #expect(stream.sampleRateHz == 48_000)
    #expect(stream.periodFrames == 256)
    #expect(stream.input?.bufferFrames == 768)
    #expect(stream.input?.channelCount == 2)
    #expect(stream.output?.format == "S32")
    #expect(stream.notes == [])
    #expect(!stream.isLinked)
  }

  @Test(arguments: DeviceFormat.allCases)
  func `requested settings are used`(format: DeviceFormat) throws {
    let stream = try ALSADriver(
      request: request {
        $0.format = format.rawValue
        $0.sampleRateHz = 44_100
        $0.periodFrames = 64
        $0.periodCount = 2
        $0.inputChannelCount = 1
        $0.outputChannelCount = 6
      }
    ).stream
    #expect(stream.input?.format == format.rawValue)
    #expect(stream.output?.format == format.rawValue)
    #expect(stream.sampleRateHz == 44_100)
    #expect(stream.periodFrames == 64)
    #expect(stream.output?.bufferFrames == 128)
    #expect(stream.input?.channelCount == 1)
    #expect(stream.output?.channelCount == 6)
  }

  @Test func `one direction alone works`() throws {
    let capture = try ALSADriver(request: request(output: nil)).stream
    #expect(capture.input != nil && capture.output == nil)
    let playback = try ALSADriver(request: request(input: nil)).stream
    #expect(playback.input == nil && playback.output != nil)
  }

  @Test func `a wrong request is refused before anything is opened`() {
    #expect(throws: ALSADriverError.noDeviceNamed) {
      try ALSADriver(request: request(input: nil, output: nil))
    }
    #expect(throws: ALSADriverError.unknownFormat(name: "S17")) {
      try ALSADriver(request: request { $0.format = "S17" })
    }
    #expect(throws: ALSADriverError.impossible(what: "number of periods", value: 1, least: 2)) {
      try ALSADriver(request: request { $0.periodCount = 1 })
    }
    #expect(throws: ALSADriverError.impossible(what: "rate in Hz", value: 0, least: 1)) {
      try ALSADriver(request: request { $0.sampleRateHz = 0 })
    }
  }

  @Test(
    .enabled(if: !ALSADevices.hasCard, "this machine has a sound card"),
    arguments: ["default", "hw:0", "plughw:CARD=PCH,DEV=0", "hw:Nowhere"])
  func `without a card, the reason says so`(device: String) {
    #expect(throws: ALSADriverError.noCard) {
      try ALSADriver(request: request(input: device, output: nil))
    }
    #expect(throws: ALSADriverError.noCard) {
      try ALSADriver(request: request(input: "null", output: device))
    }
  }

  @Test(.enabled(if: !ALSADevices.hasCard, "this machine has a sound card"))
  func `without a card the list of devices is empty`() {
    #expect(ALSADevices.all() == [])
    #expect(ALSADevices.names(.capture) == [])
  }

  @Test(arguments: AccessMode.allCases)
  func `it runs, stops and runs again`(access: AccessMode) throws {
    let driver = try ALSADriver(request: request(), accesses: [access])
    let engine = engine(for: driver.stream)
    for _ in 0 ..< 2 {
      let before = engine.pointer.pointee.frameCount.load(ordering: .relaxed)
      try driver.start(engine.renderer)
      let deadline = Deadline()
      while engine.pointer.pointee.frameCount.load(ordering: .relaxed) < before + 1_024 {
        try deadline.rest(0.001)
      }
      #expect(driver.status.isRunning)
      driver.stop()
      #expect(!driver.status.isRunning)
      #expect(driver.status.failure == nil)
      #expect(driver.status.xrunCount == 0)
    }
    let rendered = engine.pointer.pointee.frameCount.load(ordering: .relaxed)
    usleep(5_000)
    #expect(engine.pointer.pointee.frameCount.load(ordering: .relaxed) == rendered)
    #expect(rendered % 256 == 0)
  }

  @Test(
    arguments: [
      ("null", "null"), (nil, "null"), ("null", nil), (nil, "plug:{SLAVE null}"),
      (nil, "file:/dev/null,raw"),
    ] as [(String?, String?)])
  func `a device without a clock gets one`(input: String?, output: String?) throws {
    let driver = try ALSADriver(request: request(input: input, output: output))
    let engine = engine(for: driver.stream)
    let began = clock(CLOCK_MONOTONIC)
    try driver.start(engine.renderer)
    defer { driver.stop() }
    // Many periods: without a clock they take only a millisecond.
    let deadline = Deadline()
    while engine.pointer.pointee.frameCount.load(ordering: .relaxed) < 12_000 {
      try deadline.rest(0.001)
    }
    let rendered = Double(engine.pointer.pointee.frameCount.load(ordering: .relaxed))
    let elapsed = clock(CLOCK_MONOTONIC) - began
    #expect(rendered <= (elapsed + 0.02) * 48_000, "\(rendered) frames in \(elapsed) s")
  }

  private func clock(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `a device without a usable access mode is refused`() {
    #expect(throws: ALSADriverError.noUsableAccess(device: "null")) {
      try ALSADriver(request: request(), accesses: [])
    }
  }

  @Test func `before its start there is nothing to report, and stop has no effect`() throws {
    let driver = try ALSADriver(request: request())
    driver.stop()
    #expect(!driver.status.isRunning && driver.status.xrunCount == 0)
    #expect(driver.status.devices.map(\.state) == [.running, .running])
    #expect(driver.failure == nil)
  }

  private func engine(for stream: StreamDescription) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: stream.input?.channelCount ?? 0,
        outputChannelCount: stream.output?.channelCount ?? 0,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: false))
  }
}
