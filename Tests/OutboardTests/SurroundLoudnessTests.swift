// SurroundLoudnessTests.swift: `outboard render --loudness` with more than two channels. SPDX-License-Identifier: MIT

import CEbur128
import Foundation
import LV2Fixtures
import Testing

@Suite struct `Files with more than two channels are set to a loudness` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Different noise in each channel; every 0.25 s a burst in one channel after the other.
  private func addNoise(_ name: String, levels: [Float], seconds: Int = 4) throws -> [[Float]] {
    var state: UInt32 = 5
    let rows = levels.indices.map { channel in
      (0 ..< 48_000 * seconds).map { frame -> Float in
        state = state &* 1_664_525 &+ 1_013_904_223
        let noise = Float(Int32(bitPattern: state)) * 0x1p-31
        let isBurst = frame % 12_000 < 24 && frame / 12_000 % levels.count == channel
        return levels[channel] * noise * (isBurst ? 8 : 1)
      }
    }
    try FloatWave(channels: rows, sampleRateHz: 48_000).write(to: scratch.path(name))
    return rows
  }

  /// The loudness by the weights of BS.1770, from the loudness of each channel, and the highest true peak.
  ///
  /// The levels are constant, so no block is below the gate.
  private func reference(_ rows: [[Float]], weights: [Double]) throws -> (Double, Double) {
    var (power, peak) = (0.0, 0.0)
    for (row, weight) in zip(rows, weights) {
      var meter = ebur128_init(
        1, 48_000, .init(bitPattern: EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue))
      defer { ebur128_destroy(&meter) }
      let channel = try #require(meter)
      ebur128_set_channel(channel, 0, Int32(EBUR128_LEFT.rawValue))
      _ = ebur128_add_frames_float(channel, row, row.count)
      var (loudness, level) = (0.0, 0.0)
      ebur128_loudness_global(channel, &loudness)
      ebur128_true_peak(channel, 0, &level)
      if weight > 0 { power += weight * pow(10, (loudness + 0.691) / 10) }
      peak = max(peak, level)
    }
    return (10 * log10(power) - 0.691, 20 * log10(peak))
  }

  @Test(
    arguments: [
      (3, [0.1, 0.1, 0.1], [1, 1, 1]), (4, [0.1, 0.1, 0.1, 0.1], [1, 1, 1.41, 1.41]),
      (6, [0.1, 0.1, 0.12, 0.3, 0.05, 0.06], [1, 1, 1, 0, 1.41, 1.41]),
    ] as [(Int, [Float], [Double])])
  func `the loudness is exact, the peaks are limited, and all channels have one gain`(
    count: Int, levels: [Float], weights: [Double]
  ) throws {
    let before = try addNoise("in.wav", levels: levels)
    let result = try Program.run(
      ["render", "--loudness", "-14", "--true-peak", "-2", "in.wav", "-o", "out.wav"], in: scratch)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.text.contains("limited"), "\(result.text)")
    let after = try #require(scratch.samples("out.wav"))
    #expect(after.count == count && after[0].count == before[0].count)
    let (loudness, peak) = try reference(after, weights: weights)
    #expect(abs(loudness + 14) <= 0.1, "\(loudness) LUFS")
    #expect(-2.1 ... -2 ~= peak, "\(peak) dBTP")
    var (least, greatest) = (Float.infinity, Float(0))
    for frame in stride(from: 0, to: before[0].count, by: 7) {
      // Small samples have no exact ratio.
      let ratios = (0 ..< count).filter { abs(before[$0][frame]) > 0.01 }.map {
        after[$0][frame] / before[$0][frame]
      }
      guard let first = ratios.first else { continue }
      (least, greatest) = (min(least, first), max(greatest, first))
      #expect(ratios.allSatisfy { abs($0 / first - 1) < 1e-5 }, "frame \(frame): \(ratios)")
    }
    #expect(greatest > 1.3 * least, "The gain was not reduced.")
  }

  @Test func `an album of stereo and surround files has one gain and keeps the limit`() throws {
    _ = try addNoise("a.wav", levels: [0.1, 0.1], seconds: 2)
    _ = try addNoise("b.wav", levels: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1], seconds: 2)
    let result = try Program.run(
      ["render", "--loudness", "-14", "--album", "a.wav", "b.wav", "-o", "out/"], in: scratch)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasSuffix("All files together: -14.0 LUFS\n"), "\(result.text)")
    for name in ["out/a.wav", "out/b.wav"] {
      let rows = try #require(scratch.samples(name))
      let (_, peak) = try reference(rows, weights: rows.map { _ in 1 })
      #expect(-1.1 ... -1 ~= peak, "\(name): \(peak) dBTP")
    }
  }

  @Test func `64 channels at 96 kHz are limited, and 65 have no loudness`() throws {
    let row = (0 ..< 96_000).map { 0.2 * sinf(Float($0) * 0.2) * ($0 % 9_000 < 300 ? 4 : 1) }
    for count in [64, 65] {
      try FloatWave(channels: Array(repeating: row, count: count), sampleRateHz: 96_000)
        .write(to: scratch.path("\(count).wav"))
    }
    let result = try Program.run(
      ["render", "--loudness", "5", "64.wav", "-o", "out.wav"], in: scratch)
    #expect(result.status == 2, "\(result.error)")
    let limited = try Program.run(
      ["render", "--loudness", "0", "64.wav", "-o", "out.wav"], in: scratch)
    #expect(limited.status == 0, "\(limited.error)")
    #expect(scratch.samples("out.wav")?.count == 64)
    let tooMany = try Program.run(
      ["render", "--loudness", "-10", "65.wav", "-o", "x.wav"], in: scratch)
    #expect(tooMany.status == 1 && !scratch.exists("x.wav"))
    #expect(tooMany.error.contains("65 channels"), "\(tooMany.error)")
  }
}
