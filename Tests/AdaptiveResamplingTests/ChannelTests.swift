// ChannelTests.swift: channel buffers in and out, and their bounds. SPDX-License-Identifier: MIT

import AdaptiveResampling
import RealtimeKit
import Testing

/// Plays a different constant through each channel, in both directions.
func expectChannelsApart(channelCount: Int) throws {
  let request = FollowerSettings(
    channelCount: channelCount, deviceRateHz: 48_000, primaryRateHz: 48_000, blockFrames: 128,
    deviceBufferFrames: 1_024)
  var input = try AdaptiveInput(request)
  var output = try AdaptiveOutput(request)
  let rows = PlanarBuffer(channelCount: channelCount, frameCapacity: 128)
  let captured = PlanarBuffer(channelCount: channelCount, frameCapacity: 129)
  let played = PlanarBuffer(channelCount: channelCount, frameCapacity: 1_025)
  for channel in 0 ..< channelCount {
    for index in 0 ..< 128 { rows[channel][index] = Float(channel + 1) / 8 }
    captured[channel][128] = -7
  }
  var delay = 0
  for _ in 0 ..< 40 {
    input.push(rows.channels, frameCount: 128)
    input.observe(ClockObservation(deviceFrames: 0), blockFrames: 128)
    input.pull(captured.channels, frameCount: 128)
    output.observe(ClockObservation(deviceFrames: Double(delay)), blockFrames: 128)
    output.push(rows.channels, frameCount: 128)
    delay += output.pull(played.channels, offset: 1, frameCount: 1_024 - delay)
    delay -= 128
  }
  for channel in 0 ..< channelCount {
    let level = Float(channel + 1) / 8
    for index in 0 ..< 128 { #expect(abs(captured[channel][index] - level) < 0.001) }
    #expect(captured[channel][128] == -7)
    for index in 1 ..< 120 { #expect(abs(played[channel][index] - level) < 0.001) }
    #expect(played[channel][0] == 0)
  }
}

@Suite struct ChannelTests {
  @Test(arguments: [1, 2, 5, 64])
  func `channels do not mix`(_ channelCount: Int) throws {
    try expectChannelsApart(channelCount: channelCount)
  }

  @Test func `an input accepts any number of frames and keeps the newest`() throws {
    let request = FollowerSettings(
      channelCount: 1, deviceRateHz: 48_000, primaryRateHz: 48_000, blockFrames: 64,
      deviceBufferFrames: 256)
    var input = try AdaptiveInput(request)
    let rows = PlanarBuffer(channelCount: 1, frameCapacity: 50_000)
    for index in 0 ..< 50_000 { rows[0][index] = Float(index) }
    let block = PlanarBuffer(channelCount: 1, frameCapacity: 64)
    input.push(rows.channels, frameCount: 50_000)
    input.observe(ClockObservation(deviceFrames: 0), blockFrames: 64)
    input.pull(block.channels, frameCount: 64)
    input.push(rows.channels, frameCount: 0)
    #expect(input.status.overrunCount == 0)
    // The frames that must not be lost come first.
    let held = Double(input.targetFrames) - 64
    #expect(abs(input.heldFrames - held) < 1.5)
  }

  @Test func `an input that overflows while it plays reports it and restarts`() throws {
    let request = FollowerSettings(
      channelCount: 1, deviceRateHz: 48_000, primaryRateHz: 48_000, blockFrames: 64,
      deviceBufferFrames: 256)
    var input = try AdaptiveInput(request)
    let rows = PlanarBuffer(channelCount: 1, frameCapacity: 10_000)
    let block = PlanarBuffer(channelCount: 1, frameCapacity: 64)
    for frames in [256, 10_000, 256, 64] {
      input.push(rows.channels, frameCount: frames)
      input.observe(ClockObservation(deviceFrames: 0), blockFrames: 64)
      input.pull(block.channels, frameCount: 64)
    }
    #expect(input.status.overrunCount == 1)
    #expect(input.status.phase == .locking)
  }
}
