// ComparisonTests.swift: differences between files that are known exactly. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import Testing

@testable import Metering

@Suite struct `Two files are compared` {
  /// Writes a signal to a temporary file.
  private func input(
    _ channels: Signal, _ name: String = "file", rate: Int = 48_000
  ) throws -> ComparisonInput {
    let file = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: rate, channelCount: channels.count),
      stream: file.descriptor, name: name)
    let frames = channels[0].indices.flatMap { frame in channels.map { $0[frame] } }
    try writer.write(frames, frameCount: channels[0].count)
    try writer.finish()
    return try ComparisonInput(rendering: file, name: name)
  }

  private func compare(
    _ first: Signal, _ second: Signal, _ change: (inout ComparisonSettings) -> Void = { _ in }
  ) throws -> Comparison {
    var settings = ComparisonSettings()
    change(&settings)
    return try #require(
      try FileComparison.of(try input(first, "a"), try input(second, "b"), settings))
  }

  /// Noise as loud as speech, in two channels.
  private let music = [
    noise(24_000, seed: 1).map { $0 / 4 }, noise(24_000, seed: 2).map { $0 / 8 },
  ]

  @Test func `equal samples are identical, and one changed bit is found`() throws {
    let same = try compare(music, music)
    #expect(same.isIdentical && same.largest == nil && same.earliest == nil)
    #expect(same.total.null == -.infinity && same.total.gain == 0)
    var changed = music
    changed[1][14_321] = changed[1][14_321].nextUp
    let result = try compare(music, changed)
    #expect(!result.isIdentical && result.delayFrames == 0)
    #expect(result.largest?.frame == 14_321 && result.largest?.channel == 1)
    #expect(result.earliest == result.largest)
    #expect(result.channels[0].null == -.infinity && result.channels[1].null < -140)
  }

  @Test(arguments: [0, 1, -1, 777, -4_801, 15_000])
  func `a delay is found to the frame, and what is left is identical`(delay: Int) throws {
    let pad = [Float](repeating: 0, count: abs(delay))
    let shifted = music.map { delay < 0 ? Array($0.dropFirst(-delay)) + pad : pad + $0 }
    let result = try compare(music, shifted)
    #expect(result.delayFrames == delay)
    #expect(result.largest == nil, "\(result.total)")
    #expect(result.frameCount == music[0].count + min(0, delay))
    #expect(abs(try #require(delay == 0 ? 1 : result.similarity) - 1) < 0.5)
  }

  @Test func `a given delay is used, and a wrong one leaves a difference`() throws {
    let late = music.map { [Float](repeating: 0, count: 10) + $0 }
    #expect(try compare(music, late) { $0.delay = .frames(10) }.largest == nil)
    let wrong = try compare(music, late) { $0.delay = .frames(9) }
    #expect(abs(wrong.total.null - 3) < 0.1, "unrelated noise adds up: \(wrong.total)")
    #expect(wrong.similarity == nil)
  }

  @Test func `an inverted file is aligned and reported`() throws {
    let inverted = music.map { [Float](repeating: 0, count: 50) + $0.map { -$0 / 2 } }
    let result = try compare(music, inverted) { $0.matchesLevel = true }
    #expect(result.isInverted && result.delayFrames == 50)
    #expect(abs(try #require(result.total.gain) + 6.0206) < 1e-4)
    #expect(result.total.null < -150, "\(result.total)")
  }

  @Test func `a level difference is measured by channel, and removed on request`() throws {
    let louder = [music[0].map { $0 * 1.25 }, music[1]]
    let result = try compare(music, louder)
    #expect(abs(try #require(result.channels[0].gain) - 20 * log10(1.25)) < 1e-6)
    #expect(result.channels[1].gain == 0)
    #expect(abs(result.channels[0].null - 20 * log10(0.25)) < 1e-4)
    #expect(result.channels[0].matchedNull < -130)
    let both = try compare(music, music.map { $0.map { $0 * 1.25 } }) { $0.matchesLevel = true }
    #expect(both.total.null < -130 && both.total.peak < -140, "\(both.total)")
  }

  @Test func `the smallest delay counts for a tone`() throws {
    let tone = [sine(-6, 1, hertz: 1_000)]
    #expect(try compare(tone, [sine(-7, 1, hertz: 1_000)]).delayFrames == 0)
    // A quarter of a period.
    let late = [sine(-6, 1, hertz: 1_000, degrees: -90)]
    #expect(try compare(tone, late).delayFrames.magnitude == 12)
  }

  @Test func `a tone shows in its octave`() throws {
    // Fades, because a click would be in all octaves.
    let tone = sine(-40, 0.5, hertz: 1_000).enumerated().map { frame, sample in
      sample * powf(sinf(.pi * Float(frame) / 24_000), 2)
    }
    let result = try compare(music, [zip(music[0], tone).map { $0 + $1 }, music[1]])
    let bands = Dictionary(
      uniqueKeysWithValues: result.bands.map { ($0.centreHz, $0.null ?? .nan) })
    #expect(bands.count == 10)
    // White noise at -15.8 dB has 3 % of its power in this octave.
    let share = 10 * log10((1_412.5 - 707.9) / 24_000)
    let power = 10 * log10(1 / 48.0 + 1 / 192.0)
    let expected = 20 * log10(0.01) + 10 * log10(3 / 16) - (power + share)
    #expect(abs(try #require(bands[1_000]) - expected) < 1, "\(bands), \(expected)")
    for far in [31.5, 125, 8_000, 16_000] { #expect(try #require(bands[far]) < -80, "\(bands)") }
  }

  @Test func `a click is found although the mean is small`() throws {
    var clicked = music
    clicked[0][23_000] += 0.5
    clicked[0][5_000] += 0.001
    let result = try compare(music, clicked) { $0.threshold = -40 }
    #expect(result.largest?.frame == 23_000 && result.earliest?.frame == 23_000)
    #expect(abs(result.total.peak - 20 * log10(0.5)) < 1e-3)
    let strict = try compare(music, clicked) { $0.threshold = -70 }
    #expect(strict.earliest?.frame == 5_000)
  }

  @Test func `a shorter file is padded with silence`() throws {
    let short = music.map { Array($0.prefix(20_000)) }
    let result = try compare(music, short)
    #expect(result.paddingFrames == -4_000 && result.frameCount == 24_000)
    #expect(result.earliest?.frame == 20_000 && !result.isIdentical)
    #expect(try compare(short, music).paddingFrames == 4_000)
  }

  @Test func `silence and unrelated files are not aligned`() throws {
    let silent = music.map { _ in silence(0.5) }
    let nothing = try compare(silent, silent)
    #expect(nothing.isIdentical && nothing.first.isSilent)
    let all = try compare(silent, music)
    #expect(all.total.gain == nil && all.total.null == .infinity && all.delayFrames == 0)
    #expect(try compare(music, silent).total.null == 0)
    let other = [noise(24_000, seed: 8), noise(24_000, seed: 9)]
    let unrelated = try compare(music, other)
    #expect(try #require(unrelated.similarity) < Comparison.minimumSimilarity)
    #expect(unrelated.delayFrames == 0)
  }

  @Test func `a file is not aligned with one that is far quieter and unrelated`() throws {
    let constant = [[Float](repeating: 1e-20, count: 24_000)]
    let result = try compare([sine(0, 0.5, hertz: 997)], constant) { $0.threshold = -20 }
    #expect(try #require(result.similarity) < Comparison.minimumSimilarity)
    #expect(result.delayFrames == 0 && result.frameCount == 24_000 && result.earliest != nil)
  }

  @Test func `files that have only a few frames in common are not aligned`() throws {
    var (first, second) = ([silence(0.5)], [silence(0.5)])
    let last = first[0].count - 1
    (first[0][last], second[0][0], second[0][last]) = (0.5, 0.5, 0.25)
    let result = try compare(first, second) { $0.threshold = -20 }
    #expect(result.delayFrames == 0 && result.earliest?.frame == 0, "\(result)")
  }

  @Test(arguments: [1_000.0, 997, 440.3], [0.0, 37, -61])
  func `the smallest delay of a tone counts, and is ambiguous`(
    hertz: Double, degrees: Double
  ) throws {
    // The second file is longer, so its ends do not determine the delay.
    let result = try compare(
      [sine(-6, 0.5, hertz: hertz)], [sine(-6, 1.5, hertz: hertz, degrees: degrees)])
    let period = 48_000 / hertz
    // An inverted tone is half a period late.
    let late = (-degrees / 180).remainder(dividingBy: 1) * period / 2
    #expect(result.isDelayAmbiguous)
    #expect(abs(Double(result.delayFrames) - late) <= 0.6, "\(result.delayFrames), not \(late)")
  }

  @Test func `an exact delay of a tone counts more than a smaller one`() throws {
    // Only every tenth period of 997 Hz is a whole number of frames but for a small rest.
    let late = [Float](repeating: 0, count: 100) + sine(-6, 1, hertz: 997)
    let result = try compare([sine(-6, 0.25, hertz: 997)], [late])
    #expect(result.delayFrames == 100 && result.isDelayAmbiguous)
    #expect(result.total.null == -.infinity || result.paddingFrames != 0)
  }

  @Test func `a square wave is ambiguous, and noise is not`() throws {
    let square = { (count: Int, shift: Int) in
      [(0 ..< count).map { Float(($0 + 96 - shift) / 24 % 2 == 0 ? 0.5 : -0.5) }]
    }
    let squares = try compare(square(12_000, 0), square(48_000, 58))
    #expect(squares.delayFrames == 10 && squares.isDelayAmbiguous)
    let noises = try compare(
      [Array(noise(48_000)[100 ..< 12_100])], [noise(48_000).map { $0 / 2 }])
    #expect(noises.delayFrames == 100 && !noises.isDelayAmbiguous)
  }

  @Test func `NaN in one file only is a difference without limit`() throws {
    var broken = music
    broken[1][5_000] = .nan
    broken[1][6_000] = .infinity
    let result = try compare(music, broken)
    #expect(result.second.invalid == .init(count: 2, firstFrame: 5_000))
    #expect(result.largest?.level == .infinity && result.earliest?.frame == 5_000)
    #expect(result.total.null.isFinite && result.total.peak == .infinity)
    let both = try compare(broken, broken) { $0.delay = .frames(0) }
    #expect(both.isIdentical && both.largest == nil)
  }

  @Test func `another rate is converted`() throws {
    let tone = sine(-12, 1, hertz: 440)
    let slow = sine(-12, 1, hertz: 440, rate: 44_100)
    let first = try input([tone])
    let second = try input([slow], rate: 44_100).resampled(to: 48_000)
    #expect(second.sampleRateHz == 48_000)
    let result = try #require(try FileComparison.of(first, second, ComparisonSettings()))
    #expect(result.delayFrames == 0 && result.total.null < -50, "\(result.total)")
  }

  @Test func `a comparison can be stopped`() throws {
    let (file, other) = (try input(music), try input(music.map { $0.map { $0 / 2 } }))
    var count = 0
    let result = try FileComparison.of(file, other, ComparisonSettings()) { _ in
      count += 1
      return count < 3
    }
    #expect(result == nil && count == 3)
  }

  @Test func `frames beyond the overlap are left out, unless there are more of them`() {
    #expect(ComparedRange(100, 100, delayFrames: 0).frameCount == 100)
    let late = ComparedRange(100, 100, delayFrames: 10)
    #expect(late.start == 0 && late.frameCount == 90 && late.paddingFrames == 0)
    let early = ComparedRange(100, 100, delayFrames: -10)
    #expect(early.start == 10 && early.frameCount == 90 && early.paddingFrames == 0)
    let long = ComparedRange(100, 150, delayFrames: 10)
    #expect(long.frameCount == 140 && long.paddingFrames == 40)
    #expect(ComparedRange(100, 100, delayFrames: 1_000).frameCount == 0)
  }

  @Test func `the test signal is the same at each call`() {
    let samples = TestSignal.samples
    #expect(samples == TestSignal.samples && samples.count == 2 * 8 * 48_000)
    #expect(samples.map(\.magnitude).max() ?? 0 > 0.99 && samples.allSatisfy { $0.magnitude <= 1 })
    #expect(samples.suffix(9_600).allSatisfy { $0 == 0 })
  }
}
