// LoudnessTests.swift: loudness and true peak compared with the standard. SPDX-License-Identifier: MIT

import Foundation
import Metering
import Testing

private struct NoMeter: Error {}

@Suite struct LoudnessTests {
  private func sine(_ decibels: Double, channels: Int, hertz: Double = 997) -> [Float] {
    (0 ..< 48_000 * 5).flatMap { frame in
      let value = pow(10, decibels / 20) * sin(Double(frame) * 2 * .pi * hertz / 48_000)
      return [Float](repeating: Float(value), count: channels)
    }
  }

  private func loudness(_ samples: [Float], channels: Int) throws -> Double {
    guard let meter = Loudness(channelCount: channels, sampleRateHz: 48_000) else {
      throw NoMeter()
    }
    meter.measure(samples, frameCount: samples.count / channels)
    return meter.integratedLUFS
  }

  // BS.1770: loudness is -0.691 + 10 log10 of the sum of the channels' mean squares, after a filter
  // that has a gain of 0.691 dB at 997 Hz. A sine with a peak of A has a mean square of A²/2, so two
  // channels of it have A² and one has 3.01 dB less. EBU Tech 3341, case 1: -23 dBFS reads -23 LUFS.
  @Test(arguments: [(-20.0, 2, -20.0), (-23, 2, -23), (-33, 2, -33), (-20, 1, -23.01)])
  func `the loudness of a sine is that of the standard`(
    decibels: Double, channels: Int, expected: Double
  ) throws {
    let value = try loudness(sine(decibels, channels: channels), channels: channels)
    #expect(abs(value - expected) < 0.1)
  }

  @Test func `silence is minus infinity`() throws {
    #expect(try loudness([Float](repeating: 0, count: 96_000), channels: 2) == -.infinity)
  }

  @Test func `a surround channel has a higher weight, and the LFE none`() throws {
    func only(_ channel: Int) throws -> Double {
      let mono = sine(-20, channels: 1)
      let samples = mono.flatMap { value in (0 ..< 6).map { $0 == channel ? value : 0 } }
      return try loudness(samples, channels: 6)
    }
    #expect(try only(3) == -.infinity)
    #expect(abs(try only(4) - only(0) - 1.49) < 0.02)
  }

  @Test func `true peak finds peaks between the samples`() throws {
    // At a quarter of the rate, 45 degrees off: every sample is 3.01 dB below the peak.
    let samples = (0 ..< 48_000).map { Float(sin(Double($0) * .pi / 2 + .pi / 4)) }
    guard
      let meter = Loudness(channelCount: 1, sampleRateHz: 48_000, .truePeak)
    else { throw NoMeter() }
    meter.measure(samples, frameCount: samples.count)
    #expect(abs((meter.truePeak ?? 0) - 1) < 0.05)
  }
}
