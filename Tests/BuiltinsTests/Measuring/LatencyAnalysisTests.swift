// LatencyAnalysisTests.swift: the measured delay of a known return signal. SPDX-License-Identifier: MIT

import Builtins
import FixtureSupport
import Foundation
import Testing

/// A path from output to input, simulated.
private struct Path {
  var delayFrames = 0.0
  var gain = 1.0
  /// Echoes: delay in frames after the first arrival, and gain.
  var echoes: [(frames: Double, gain: Double)] = []
  var noise = 0.0
  var limit = Float.infinity
  var offset: Float = 0
  /// Mains hum of 50 Hz.
  var hum = 0.0

  /// Returns the recording of a signal, with the given number of frames.
  func recording(_ signal: SweepSignal, frames: Int) -> [Float] {
    var sum = Self.delayed(signal.samples, by: delayFrames, gain: gain, frames: frames)
    for echo in echoes {
      let more = Self.delayed(
        signal.samples, by: delayFrames + echo.frames, gain: gain * echo.gain, frames: frames)
      for index in sum.indices { sum[index] += more[index] }
    }
    var random = Noise(seed: 7)
    return sum.enumerated().map { index, sample in
      let hiss = noise * Double(random.next()) * 3.0.squareRoot()
      let mains = hum * sin(2 * .pi * 50 * Double(index) / signal.sampleRateHz)
      return min(limit, max(-limit, Float(sample + hiss + mains) + offset))
    }
  }

  /// Delayed by a windowed sinc of 128 frames, which is exact far beyond the band of the signal.
  private static func delayed(
    _ samples: [Float], by delay: Double, gain: Double, frames: Int
  ) -> [Double] {
    let whole = Int(delay.rounded(.down))
    let fraction = delay - Double(whole)
    let reach = fraction == 0 ? 0 : 64
    let taps = (-reach ... reach).map { tap in
      let x = Double(tap) - fraction
      guard abs(x) > 1e-12 else { return gain }
      let window = 0.5 + 0.5 * cos(.pi * x / Double(reach + 1))
      return gain * window * sin(.pi * x) / (.pi * x)
    }
    var output = [Double](repeating: 0, count: frames)
    for (index, tap) in taps.enumerated() where tap != 0 {
      let shift = whole + index - reach
      for frame in max(0, shift) ..< max(0, min(frames, samples.count + shift)) {
        output[frame] += tap * Double(samples[frame - shift])
      }
    }
    return output
  }
}

private let longest = 24_000

private func returned(
  _ path: Path, sampleRateHz: Double = 48_000, levelDecibels: Double = -12,
  longestFrames: Int = longest
) -> LatencyReading? {
  let signal = SweepSignal(sampleRateHz: sampleRateHz, levelDecibels: levelDecibels)
  let analysis = LatencyAnalysis(signal, longestFrames: longestFrames)
  return analysis.reading(
    of: path.recording(signal, frames: signal.samples.count + longestFrames))
}

@Suite struct LatencyAnalysisTests {
  @Test(arguments: [0.0, 1, 48, 768, 4_096, 23_200])
  func `a delay of whole frames is measured exactly`(delay: Double) throws {
    let reading = try #require(returned(Path(delayFrames: delay)))
    #expect(abs(reading.frames - delay) < 1e-3)
    #expect(abs(reading.gainDecibels) < 0.1)
    #expect(reading.confidenceDecibels > 40)
    #expect(!reading.isInverted && !reading.isClipped)
  }

  @Test(arguments: [100.5, 767.25, 1_024.9, 5_000.01])
  func `a delay between frames is found to a hundredth`(delay: Double) throws {
    let reading = try #require(returned(Path(delayFrames: delay)))
    #expect(abs(reading.frames - delay) < 0.01)
  }

  @Test(arguments: [8_000.0, 22_050, 44_100, 96_000, 192_000])
  func `delays are found at every usual rate`(rate: Double) throws {
    let frames = Int(rate / 4)
    let reading = try #require(
      returned(Path(delayFrames: 333.4), sampleRateHz: rate, longestFrames: frames))
    #expect(abs(reading.frames - 333.4) < 0.02)
  }

  @Test func `an inverted return is reported, with the same delay`() throws {
    let reading = try #require(returned(Path(delayFrames: 768.3, gain: -0.5)))
    #expect(reading.isInverted)
    #expect(abs(reading.frames - 768.3) < 0.01)
    #expect(abs(reading.gainDecibels + 6.02) < 0.1)
  }

  @Test func `a return of -50 dB is found below noise that is 10 dB louder`() throws {
    // The signal has -12 dBFS, its return -62, its mean -65, and the noise -55.
    let gain: Double = pow(10.0, -2.5)
    let noise: Double = pow(10.0, -2.75)
    let reading = try #require(returned(Path(delayFrames: 1_234, gain: gain, noise: noise)))
    #expect(abs(reading.frames - 1_234) < 0.5)
    #expect(abs(reading.gainDecibels + 50) < 3)
  }

  @Test func `the first and loudest arrival counts, not its echoes`() throws {
    let path = Path(
      delayFrames: 900, echoes: [(37.5, -0.7), (400, 0.6), (4_800, 0.8), (9_000, -0.5)])
    let reading = try #require(returned(path))
    #expect(abs(reading.frames - 900) < 0.1)
    #expect(!reading.isInverted)
  }

  @Test func `a clipped return is measured and reported as clipped`() throws {
    let reading = try #require(returned(Path(delayFrames: 512, gain: 16, limit: 1)))
    #expect(reading.isClipped)
    #expect(abs(reading.frames - 512) < 0.5)
  }

  @Test func `hum and a DC offset do not change the result`() throws {
    let reading = try #require(
      returned(Path(delayFrames: 640.5, gain: 0.05, offset: 0.1, hum: 0.2)))
    #expect(abs(reading.frames - 640.5) < 0.1)
  }

  @Test func `silence, noise, a tone and random samples are not a return`() throws {
    #expect(returned(Path(gain: 0)) == nil)
    #expect(returned(Path(gain: 0, noise: 0.1)) == nil)
    #expect(returned(Path(gain: 0, hum: 0.5)) == nil)
    let signal = SweepSignal(sampleRateHz: 48_000, levelDecibels: -12)
    let analysis = LatencyAnalysis(signal, longestFrames: longest)
    let count = signal.samples.count + longest
    let tone = (0 ..< count).map { Float(0.5 * sin(2 * .pi * 1_000 * Double($0) / 48_000)) }
    #expect(analysis.reading(of: tone) == nil)
    #expect(analysis.reading(of: [Float](repeating: .nan, count: count)) == nil)
    #expect(analysis.reading(of: []) == nil)
  }

  @Test func `a signal later than the longest delay is not a return`() {
    #expect(returned(Path(delayFrames: Double(longest) + 100)) == nil)
  }

  @Test func `the probe signal stays within its level and its band`() {
    for rate in [8_000.0, 48_000, 192_000] {
      let signal = SweepSignal(sampleRateHz: rate, levelDecibels: -12)
      #expect(signal.samples.count == Int(rate / 4))
      let peak = signal.samples.map(abs).max() ?? 0
      #expect(peak <= 0.2512 && peak > 0.24)
      #expect(signal.samples.first == 0)
      // A sweep beyond its band would cross zero more often.
      let crossings = zip(signal.samples, signal.samples.dropFirst()).count { $0 * $1 < 0 }
      #expect(Double(crossings) < 2 * min(12_000, 0.4 * rate) * 0.25)
    }
  }
}
