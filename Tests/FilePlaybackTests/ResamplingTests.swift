// ResamplingTests.swift: the quality of files at another rate. SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import FilePlayback

@Suite struct ResamplingTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The level of a tone in a signal, and of everything else, in dB relative to full scale.
  private func levels(_ signal: [Float], _ frequencyHz: Double, _ rateHz: Double) -> (
    tone: Double, rest: Double
  ) {
    // Least squares of a sine and a cosine.
    let count = signal.count
    let omega = 2 * Double.pi * frequencyHz / rateHz
    var (ss, cc, sc, ys, yc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for frame in 0 ..< count {
      let (sine, cosine) = (sin(omega * Double(frame)), cos(omega * Double(frame)))
      let sample = Double(signal[frame])
      ss += sine * sine
      cc += cosine * cosine
      sc += sine * cosine
      ys += sample * sine
      yc += sample * cosine
    }
    let determinant = ss * cc - sc * sc
    let (a, b) = ((ys * cc - yc * sc) / determinant, (yc * ss - ys * sc) / determinant)
    var rest = 0.0
    for frame in 0 ..< count {
      let model = a * sin(omega * Double(frame)) + b * cos(omega * Double(frame))
      rest += pow(Double(signal[frame]) - model, 2)
    }
    return (
      20 * log10(max(1e-12, hypot(a, b))), 10 * log10(max(1e-24, 2 * rest / Double(count)))
    )
  }

  private func tone(_ frequencyHz: Double, _ rateHz: Int, seconds: Double = 1) -> [Float] {
    (0 ..< Int(seconds * Double(rateHz))).map {
      Float(0.5 * sin(2 * Double.pi * frequencyHz * Double($0) / Double(rateHz)))
    }
  }

  private func decoded(_ frequencyHz: Double, from fileHz: Int, to rateHz: Double) throws -> [Float]
  {
    let path = try scratch.write(
      tone(frequencyHz, fileHz), to: "\(frequencyHz).wav", rateHz: fileHz)
    let player = try ManualPlayer([path], rateHz: rateHz)
    try player.node.activate()
    // Without the ends, where the filter reads silence.
    return Array(player.pull(Int(rateHz))[Int(rateHz / 10) ..< Int(rateHz * 9 / 10)])
  }

  @Test(arguments: [(44_100, 48_000.0), (48_000, 44_100), (96_000, 48_000), (22_050, 48_000)])
  func `tones up to 94 % of the lower half rate keep their level, without spurs`(
    from: Int, to: Double
  ) throws {
    let half = min(Double(from), to) / 2
    for share in [0.02, 0.5, 0.94] {
      let result = levels(try decoded(half * share, from: from, to: to), half * share, to)
      #expect(abs(result.tone + 6.0206) < 0.02, "\(share): \(result)")
      #expect(result.rest < -118, "\(share): \(result)")
    }
  }

  @Test func `tones above half of the graph's rate are removed`() throws {
    for frequency in [22_600.0, 30_000, 47_000] {
      let signal = try decoded(frequency, from: 96_000, to: 44_100)
      let peak = signal.map(abs).max() ?? 1
      #expect(20 * log10(peak) < -130, "\(frequency): \(20 * log10(peak))")
    }
  }

  @Test func `a file begins at its first frame and has its length`() throws {
    var samples = [Float](repeating: 0, count: 44_100)
    samples[0] = 1
    samples[22_050] = 1
    let path = try scratch.write(samples, to: "a.wav", rateHz: 44_100)
    let player = try ManualPlayer([path])
    try player.node.activate()
    let captured = player.pull(60_000)
    #expect(captured.firstIndex(of: captured[..<10_000].max() ?? 0) == 0)
    #expect(captured.lastIndex(of: captured[10_000...].max() ?? 0) == 24_000)
    let end = player.node.playback.state.pointee.end.load(ordering: .relaxed)
    #expect(abs(end - 48_000) <= 1)
  }

  @Test func `files of one rate use one filter, so that they have no seam`() throws {
    let whole = tone(1_000, 44_100)
    let one = try scratch.write(whole, to: "whole.wav", rateHz: 44_100)
    let parts = [
      try scratch.write(Array(whole[..<10_007]), to: "a.wav", rateHz: 44_100),
      try scratch.write(Array(whole[10_007...]), to: "b.wav", rateHz: 44_100),
    ]
    let (single, split) = (try ManualPlayer([one]), try ManualPlayer(parts))
    try single.node.activate()
    try split.node.activate()
    let difference = zip(single.pull(48_000), split.pull(48_000)).map { abs($0 - $1) }.max() ?? 1
    #expect(difference < 1e-6)
  }

  @Test func `files of several rates follow each other`() throws {
    let files = [
      try scratch.write(tone(1_000, 44_100), to: "a.wav", rateHz: 44_100),
      try scratch.write(tone(1_000, 48_000), to: "b.wav", rateHz: 48_000),
      try scratch.write(tone(1_000, 8_000), to: "c.wav", rateHz: 8_000),
    ]
    let player = try ManualPlayer(files)
    try player.node.activate()
    let captured = player.pull(150_000)
    #expect(abs(levels(Array(captured[10_000 ..< 40_000]), 1_000, 48_000).tone + 6.02) < 0.05)
    #expect(abs(levels(Array(captured[100_000 ..< 140_000]), 1_000, 48_000).tone + 6.02) < 0.05)
    #expect(captured[144_010...].allSatisfy { $0 == 0 })
  }
}
