// LevelMeasurementTests.swift: levels of signals with known values. SPDX-License-Identifier: MIT

import AudioFiles
import CEbur128
import Foundation
import Testing

@testable import Metering

@Suite struct LevelMeasurementTests {
  @Test func `silence is minus infinity everywhere`() {
    let silent = reading(of: [silence(4), silence(4)])
    for channel in silent.channels {
      #expect(channel.peak == -.infinity && channel.held == -.infinity)
      #expect(channel.highest == -.infinity && channel.truePeak == -.infinity)
      #expect(channel.mean == -.infinity && channel.clipCount == 0 && channel.offset == 0)
    }
    #expect(silent.momentary == -.infinity && silent.shortTerm == -.infinity)
    #expect(silent.integrated == -.infinity && silent.correlation == nil)
    #expect(!silent.bands.isEmpty && silent.bands.allSatisfy { $0.level == -.infinity })
    #expect(silent.seconds == 4)
  }

  @Test(arguments: [44_100.0, 48_000, 88_200, 96_000, 176_400, 192_000])
  func `full scale is 0 dBFS at every rate`(rate: Double) {
    let mono = sine(0, 1, hertz: rate / 48, rate: rate)
    let full = reading(of: [mono], rate: rate)
    #expect(full.channels[0].highest == 0 && full.channels[0].held == 0)
    #expect(isNear(full.channels[0].truePeak, 0, within: 0.02), "\(full.channels[0].truePeak)")
    #expect(isNear(full.channels[0].mean, 0, within: 0.01), "\(full.channels[0].mean)")
    let loud = reading(of: [sine(-20, 4, rate: rate)], rate: rate)
    #expect(isNear(loud.integrated, -23.01), "\(loud.integrated)")
    #expect(isNear(loud.channels[0].mean, -20, within: 0.01), "\(loud.channels[0].mean)")
    // The band of 1 kHz contains the whole power.
    let band = loud.bands.first { $0.centreHz == 1_000 }
    #expect(isNear(band?.level ?? 0, -20), "\(loud.bands)")
    #expect(loud.bands.filter { $0.centreHz > 2_000 }.allSatisfy { $0.level < -80 })
  }

  @Test func `a square wave's mean level is above a sine's, by 3 dB`() {
    let square = (0 ..< 48_000).map { Float($0 / 24 % 2 == 0 ? 0.5 : -0.5) }
    #expect(isNear(reading(of: [square]).channels[0].mean, -3.01, within: 0.01))
  }

  @Test func `a peak is held for 1 s, then falls by 20 dB in 1.7 s`() {
    let burst = sine(0, 0.5, hertz: 1_000)
    let measurement = LevelMeasurement(channelCount: 1, sampleRateHz: 48_000, for: .live)
    hear([burst], by: measurement)
    #expect(measurement.reading.channels[0].peak == 0)
    hear([silence(0.98)], by: measurement)
    #expect(measurement.reading.channels[0].held == 0)
    hear([silence(0.72)], by: measurement)
    #expect(isNear(measurement.reading.channels[0].peak, -20, within: 0.2))
    #expect(measurement.reading.channels[0].held < -15)
    hear([silence(10)], by: measurement)
    #expect(measurement.reading.channels[0].peak == -.infinity)
    #expect(measurement.reading.channels[0].highest == 0)
  }

  @Test func `a clip is three samples at full scale, or one beyond it`() {
    func clips(_ samples: [Float]) -> Int {
      reading(of: [samples + silence(0.1)]).channels[0].clipCount
    }
    let top: Float = 32_767 / 32_768
    #expect(clips([0, 1, 1, 0, -1, -1, 0, 0.99, 0.99, 0.99]) == 0)
    #expect(clips([0, 1, 1, 1, 0]) == 1 && clips([0, -1, -1, -1, -1, -1, -1, -1]) == 1)
    #expect(clips([top, top, -1, 0, top, top, top, 0]) == 2)
    #expect(clips([0, 1.01, 0, -1.5, -1.5, 0]) == 2)
    // Across two ticks of 480 frames.
    #expect(clips([Float](repeating: 0, count: 479) + [1, 1, 1]) == 1)
    #expect(clips(sine(0, 0.05)) == 0)
    #expect(clips(sine(6, 0.05).map { max(-1, min(1, $0)) }) == 100)
  }

  @Test func `the range of the correlation is 1 to -1`() throws {
    let one = noise(48_000)
    let other = noise(48_000, seed: 8)
    func correlation(_ left: [Float], _ right: [Float]) throws -> Double {
      try #require(reading(of: [left, right]).correlation)
    }
    #expect(isNear(try correlation(one, one), 1, within: 1e-9))
    #expect(isNear(try correlation(one, one.map { -0.5 * $0 }), -1, within: 1e-9))
    #expect(isNear(try correlation(one, other), 0, within: 0.03))
    #expect(reading(of: [one]).correlation == nil)
    #expect(reading(of: [one, other, one]).correlation == nil)
  }

  @Test func `an offset is the mean of all samples`() {
    let samples = sine(-20, 1).map { $0 + 0.25 }
    #expect(isNear(reading(of: [samples]).channels[0].offset, 0.25, within: 1e-6))
  }

  @Test func `the length of blocks makes no difference`() {
    let signal = [noise(60_000), noise(60_000, seed: 9)]
    let whole = reading(of: signal, blocks: [60_000])
    for blocks in [[1], [64], [480], [1, 479, 7, 1_024, 333]] {
      #expect(reading(of: signal, blocks: blocks) == whole)
    }
  }

  @Test func `samples that are not finite read as infinite, without a later effect`() {
    var samples = sine(-20, 4)
    samples[100] = .nan
    samples[200] = .infinity
    let reading = reading(of: [samples, sine(-20, 4)])
    #expect(reading.channels[0].highest == .infinity && reading.channels[1].highest < -19.9)
    #expect(reading.channels[0].clipCount == 2)
    #expect(isNear(reading.integrated, -20) && isNear(reading.channels[0].mean, -20))
    #expect(isNear(reading.channels[0].held, -20), "\(reading.channels[0].held)")
  }

  @Test func `more channels than in the standard are still levels`() {
    let reading = reading(of: Array(repeating: sine(-6, 0.5), count: 70))
    #expect(reading.channels.count == 70 && isNear(reading.channels[69].highest, -6))
    #expect(reading.integrated == -.infinity)
  }

  @Test func `a restart discards the measurement`() {
    let measurement = LevelMeasurement(channelCount: 1, sampleRateHz: 48_000, for: .live)
    hear([sine(0, 1)], by: measurement)
    measurement.restart()
    hear([sine(-40, 4)], by: measurement)
    #expect(isNear(measurement.reading.integrated, -43.01))
    #expect(isNear(measurement.reading.highest, -40) && measurement.reading.seconds == 4)
  }
}

@Suite struct `Comparison with libebur128` {
  /// Compares with the library's result for the whole signal.
  private func check(_ signal: Signal, rate: Int) throws {
    let mine = reading(of: signal, rate: Double(rate), for: .file)
    let modes =
      EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    var state = ebur128_init(UInt32(signal.count), UInt(rate), Int32(modes))
    defer { ebur128_destroy(&state) }
    let frames = signal[0].indices.flatMap { frame in signal.map { $0[frame] } }
    ebur128_add_frames_float(state, frames, signal[0].count)
    var (integrated, range, peak, highest) = (0.0, 0.0, 0.0, 0.0)
    ebur128_loudness_global(state, &integrated)
    ebur128_loudness_range(state, &range)
    for channel in signal.indices {
      ebur128_true_peak(state, UInt32(channel), &peak)
      highest = max(highest, peak)
    }
    #expect(isNear(mine.integrated, integrated, within: 1e-6) || mine.integrated == integrated)
    #expect(isNear(mine.range ?? -1, range, within: 1e-6))
    #expect(isNear(mine.truePeak, 20 * log10(highest), within: 1e-3))
    // The meter for weeks of audio counts in steps.
    let counted = reading(of: signal, rate: Double(rate))
    #expect(isNear(counted.integrated, integrated) || counted.integrated == integrated)
    #expect(isNear(counted.range ?? -1, range, within: 0.2))
  }

  @Test(arguments: [44_100, 48_000, 96_000, 192_000])
  func `noise with a varying level has the readings of libebur128`(rate: Int) throws {
    let count = rate * (rate > 48_000 ? 4 : 8)
    let signal = (1 ... 2).map { seed in
      noise(count, seed: UInt64(seed)).enumerated().map { frame, sample in
        let time = Double(frame) / Double(rate)
        return sample * Float(pow(10, (-24 + 14 * sin(time * 1.7)) / 20))
      }
    }
    try check(signal, rate: rate)
  }

  /// The spoken words of alsa-utils, if they are installed.
  static let recordings = ["Front_Center", "Front_Left", "Noise", "Rear_Right"]
    .map { "/usr/share/sounds/alsa/\($0).wav" }
    .filter { FileManager.default.fileExists(atPath: $0) }

  @Test(arguments: recordings)
  func `real recordings have the readings of libebur128`(path: String) throws {
    var reader = try AudioFileReader(path: path)
    let frameCount = reader.frameCount
    let count = try #require(frameCount)
    var rows = (0 ..< reader.channelCount).map { _ in [Float](repeating: 0, count: count) }
    let pointers = rows.indices.compactMap { channel in
      rows[channel].withUnsafeMutableBufferPointer { $0.baseAddress }
    }
    let read = try reader.read(into: pointers, frameCount: count)
    #expect(read == count)
    try check(rows, rate: reader.sampleRateHz)
  }
}
