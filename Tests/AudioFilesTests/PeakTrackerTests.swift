// PeakTrackerTests.swift: the peaks of a file's channels. SPDX-License-Identifier: MIT

import Testing

@testable import AudioFiles

@Suite struct PeakTrackerTests {
  @Test(arguments: [1, 2, 3, 8])
  func `each channel has its own peak`(channels: Int) {
    for position in 0 ..< 11 {
      for channel in 0 ..< channels {
        var samples = [Float](repeating: 0.25, count: channels * 11)
        samples[position * channels + channel] = -2
        var meter = PeakTracker(channelCount: channels)
        meter.measure(samples, frameCount: 11)
        #expect(meter.peaks == (0 ..< channels).map { $0 == channel ? 2 : 0.25 })
      }
    }
    var meter = PeakTracker(channelCount: 2)
    meter.measure([0, .nan, 0, 0, 0, 0, 0, 0], frameCount: 4)
    #expect(meter.peaks == [0, .infinity])
  }
}
