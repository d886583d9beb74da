// MeterTests.swift: levels, load and audio memory. SPDX-License-Identifier: MIT

import Testing

@testable import RealtimeKit

@Suite struct PeakMeterTests {
  @Test func `the peak is found at every index and every length`() {
    for length in 1 ... 40 {
      for place in 0 ..< length {
        var samples = [Float](repeating: 0.25, count: length)
        samples[place] = -0.5
        #expect(PeakMeter.peak(samples, length) == 0.5)
      }
    }
  }

  @Test func `samples beyond the count are ignored`() {
    for length in 0 ... 20 {
      let samples = [Float](repeating: 0, count: length) + [Float](repeating: 1, count: 20)
      #expect(PeakMeter.peak(samples, length) == 0)
    }
  }

  @Test(arguments: [Float.nan, -.nan, .signalingNaN, .infinity, -.infinity])
  func `samples that are not finite read as infinity`(value: Float) {
    for length in [1, 7, 8, 9, 16, 23] {
      for place in 0 ..< length {
        var samples = [Float](repeating: 2, count: length)
        samples[place] = value
        #expect(PeakMeter.peak(samples, length) == .infinity)
      }
    }
  }

  @Test func `each channel holds its own peak until it is read`() {
    let meter = PeakMeter(channelCount: 2)
    let buffer = PlanarBuffer(channelCount: 2, frameCapacity: 16)
    buffer[0][3] = 0.5
    buffer[1][12] = -2
    meter.measure(buffer, 16)
    buffer[0][3] = 0.1
    meter.measure(buffer, 8)
    #expect(meter.take(0) == 0.5)
    #expect(meter.take(1) == 2)
    #expect(meter.take(0) == 0)
    meter.measure(buffer, 16)
    #expect(meter.take(0) == 0.1)
  }

  @Test func `a meter and a buffer of different channel counts measure the common channels`() {
    let buffer = PlanarBuffer(channelCount: 2, frameCapacity: 4)
    buffer[0][0] = 1
    buffer[1][0] = 1
    let few = PeakMeter(channelCount: 1)
    let many = PeakMeter(channelCount: 3)
    few.measure(buffer, 4)
    many.measure(buffer, 4)
    #expect(few.take(0) == 1)
    #expect((0 ..< 3).map { many.take($0) } == [1, 1, 0])
  }
}

@Suite struct LoadMeterTests {
  @Test func `mean and worst load are shares of the block's duration, and are reset when read`() {
    let meter = LoadMeter()
    #expect(meter.take() == LoadMeter.Reading(mean: 0, maximum: 0))
    // 480 frames at 48 kHz last 10 ms.
    for milliseconds: UInt64 in [1, 3, 2] {
      meter.record(nanoseconds: milliseconds * 1_000_000, frameCount: 480, sampleRateHz: 48_000)
    }
    #expect(meter.take() == LoadMeter.Reading(mean: 0.2, maximum: 0.3))
    #expect(meter.take() == LoadMeter.Reading(mean: 0, maximum: 0))
  }

  @Test func `longer blocks weigh more in the mean, and the worst load may exceed 1`() {
    let meter = LoadMeter()
    meter.record(nanoseconds: 2_000_000, frameCount: 48, sampleRateHz: 48_000)
    meter.record(nanoseconds: 0, frameCount: 144, sampleRateHz: 48_000)
    #expect(meter.take() == LoadMeter.Reading(mean: 0.5, maximum: 2))
  }
}

@Suite struct PlanarBufferTests {
  @Test(arguments: [0, 1, 2, 7, 64], [1, 15, 16, 17, 480, 1_024])
  func `channels start silent, do not overlap, and are aligned to cache lines`(
    channels: Int, frames: Int
  ) {
    let buffer = PlanarBuffer(channelCount: channels, frameCapacity: frames)
    #expect(buffer.channelCount == channels && buffer.frameCapacity == frames)
    for channel in 0 ..< channels {
      #expect(UInt(bitPattern: buffer[channel]) % 64 == 0)
      #expect(buffer[channel] == buffer.channels[channel])
      #expect((0 ..< frames).allSatisfy { buffer[channel][$0] == 0 })
      buffer[channel].update(repeating: Float(channel + 1), count: frames)
    }
    for channel in 0 ..< channels {
      #expect((0 ..< frames).allSatisfy { buffer[channel][$0] == Float(channel + 1) })
    }
  }

  @Test func `channel buffers with a power-of-two length use different cache sets`() {
    let buffer = PlanarBuffer(channelCount: 2, frameCapacity: 1_024)
    #expect((UInt(bitPattern: buffer[1]) - UInt(bitPattern: buffer[0])) % 4_096 != 0)
  }
}
