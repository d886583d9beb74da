// EchoTests.swift: times, panorama and ducking of echoes. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct EchoTests {
  private let library: ModuleLibrary
  // The filters are completely open, and all taps have the same level, in the middle.
  private let plain: [(String, Float)] = [
    ("low_cut", 10), ("high_cut", 20_000), ("mix", 100), ("slope", 0), ("panning", 0),
    ("feedback", 0),
  ]

  init() throws { library = try ModuleLibrary("echo") }

  /// The frames of the impulse's echoes on the left, with their samples.
  private func echoes(
    _ values: [(String, Float)], frames: Int, rate: Double = 48_000
  ) throws -> [(frame: Int, left: Float, right: Float)] {
    let instance = try ModuleInstance(library, plain + values, sampleRateHz: rate)
    let output = try instance.render([Signals.impulse(frames)])
    return zip(output[0], output[1]).enumerated().filter { $1.0 != 0 || $1.1 != 0 }
      .map { ($0, $1.0, $1.1) }
  }

  @Test(arguments: [
    (0, [4_800, 9_600, 14_400, 19_200, 24_000, 28_800]),  // even
    (1, [6_400, 9_600, 16_000, 19_200, 25_600, 28_800]),  // swing: 2 to 1
    (2, [5_400, 10_800, 14_400, 19_800, 25_200, 28_800]),  // tresillo: 3, 3, 2
    (3, [8_800, 16_000, 21_600, 25_600, 28_000, 28_800]),  // k (2 - k / 6)
    (4, [800, 3_200, 7_200, 12_800, 20_000, 28_800]),  // k² / 6
  ])
  func `the taps of each pattern are at the correct frame`(
    pattern: Int, expected: [Int]
  ) throws {
    let found = try echoes(
      [("time", 100), ("taps", 6), ("pattern", Float(pattern))], frames: 40_000)
    #expect(found.map(\.frame) == expected)
    #expect(found.allSatisfy { $0.left == 1 && $0.right == 1 })
  }

  private static let divisions = [
    0.125, 1.0 / 6, 0.25, 0.375, 1.0 / 3, 0.5, 0.75, 2.0 / 3, 1, 1.5, 2, 4,
  ]

  @Test(arguments: 0 ..< 12)
  func `a division of the tempo lasts as many beats as in notation`(
    division: Int
  ) throws {
    let beats = Self.divisions[division]
    let found = try echoes(
      [("timing", 1), ("tempo", 150), ("division", Float(division)), ("taps", 1)], frames: 80_000)
    #expect(found.map(\.frame) == [Int((beats * 60 / 150 * 48_000).rounded())])
  }

  @Test func `all steps together last at most eight seconds`() throws {
    let found = try echoes([("time", 2_000), ("taps", 8)], frames: 70_000, rate: 8_000)
    #expect(found.map(\.frame) == (1 ... 8).map { $0 * 8_000 })
  }

  @Test(arguments: [Float(-6), -1.5, 0, 4])
  func `the loudest tap is a copy and the others follow the slope`(slope: Float) throws {
    let found = try echoes([("time", 20), ("taps", 5), ("slope", slope)], frames: 6_000)
    let levels = found.map { Measure.decibels(Double($0.left)) }
    #expect(levels.count == 5)
    #expect(levels.max() == 0)
    for (level, next) in zip(levels, levels.dropFirst()) {
      #expect(abs(next - level - Double(slope)) < 0.001)
    }
  }

  @Test func `ping-pong taps are on one side only, and a width of 0 cancels that`() throws {
    let wide = try echoes([("time", 20), ("taps", 4), ("panning", 1)], frames: 6_000)
    #expect(wide.map(\.left) == [1, 0, 1, 0])
    #expect(wide.map(\.right) == [0, 1, 0, 1])
    let narrow = try echoes(
      [("time", 20), ("taps", 4), ("panning", 1), ("width", 0)], frames: 6_000)
    #expect(narrow.allSatisfy { $0.left == 1 && $0.right == 1 })
  }

  @Test func `taps move from left to right, or outwards`() throws {
    let across = try echoes([("time", 20), ("taps", 3), ("panning", 2)], frames: 6_000)
    #expect(across.map { [$0.left, $0.right] } == [[1, 0], [1, 1], [0, 1]])
    let outwards = try echoes([("time", 20), ("taps", 4), ("panning", 3)], frames: 6_000)
    #expect(outwards.map(\.left) == [1, 0.5, 1, 0])
    #expect(outwards.map(\.right) == [0.75, 1, 0.25, 1])
  }

  @Test(arguments: [Float(30), 70])
  func `the rhythm repeats, fainter by the feedback`(percent: Float) throws {
    // 500 Hz is far inside the passband of the loop's filters. A cycle lasts three steps.
    let burst = Signals.sine(500, 4_800, peak: 0.3) + Signals.silence(86_400)
    let values =
      plain.filter { $0.0 != "feedback" } + [
        ("time", 200), ("taps", 3), ("slope", -40 as Float), ("feedback", percent),
      ]
    let output = try ModuleInstance(library, values).render([burst])[0]
    let levels = (0 ..< 3).map { turn in
      let start = 9_600 + 28_800 * turn
      return Measure.levelDecibels(of: 500, in: output[start ..< start + 4_800])
    }
    for (level, next) in zip(levels, levels.dropFirst()) {
      #expect(abs(next - level - Measure.decibels(Double(percent) / 100)) < 0.1, "\(levels)")
    }
  }

  @Test func `full feedback at full scale stays bounded`() throws {
    let values: [(String, Float)] = [("mix", 100), ("feedback", 100), ("time", 5), ("taps", 1)]
    let output = try ModuleInstance(library, values).render([Signals.noise(200_000, seed: 2)])
    #expect(output.allSatisfy { Measure.peakDecibels($0) <= Measure.decibels(3) })
  }

  @Test func `echoes are reduced by the input's level above the threshold`() throws {
    // A tap of one second: during the echo the input is silent, then loud.
    let loud = Signals.sine(1_000, 48_000, peak: 0.5)
    let input = loud + loud + Signals.silence(48_000)
    func wet(_ duck: Float) throws -> [Float] {
      try ModuleInstance(
        library,
        plain + [
          ("time", 1_000), ("taps", 1), ("duck", duck), ("duck_threshold", -20),
          ("duck_release", 2_000),
        ]
      ).render([input])[0]
    }
    let (free, ducked) = (try wet(0), try wet(10))
    let during = 80_000 ..< 94_000
    let difference = Measure.rmsDecibels(ducked[during]) - Measure.rmsDecibels(free[during])
    // The peak is at -6.02 dB, 13.98 dB above the threshold: more than the maximum of 10.
    #expect(abs(difference + 10) < 0.2, "\(difference)")
    // After four seconds of release the level would be back; after one second it is still rising.
    let after = 140_000 ..< 144_000
    let rest = Measure.rmsDecibels(ducked[after]) - Measure.rmsDecibels(free[after])
    #expect(abs(rest + 10 * exp(-0.96 / 2)) < 0.3, "\(rest)")
  }

  @Test func `a new rhythm fades in without a click`() throws {
    let input = Signals.sine(220, 96_000, peak: 0.4)
    let instance = try ModuleInstance(library, plain + [("time", 300), ("taps", 2)])
    let output = try instance.render(
      [input], changes: [.init(at: 60_000, "time", 171), .init(at: 61_000, "pattern", 1)])[0]
    // Two taps of a 220 Hz sine of this level move by at most 0.0231 a frame, and the fade adds 0.8 / 2400.
    let steps = zip(output[40_000...], output[40_001...]).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.0231 + 0.0004, "\(writeWAV([output], named: "echo-rhythm"))")
    // Both fades of 50 ms have ended, and the second rhythm is active: swing, 228 and 342 ms.
    let expected = input[90_000 - 10_944] + input[90_000 - 16_416]
    #expect(abs(output[90_000] - expected) < 1e-5)
  }

  @Test func `a mix of 0 passes every bit, and silence follows the last echo`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
    let tail = try ModuleInstance(library, [("time", 5), ("feedback", 50)])
      .render([input[0] + Signals.silence(60_000)])
    #expect(tail.allSatisfy { $0.suffix(1_000).allSatisfy { $0 == 0 } })
  }

  @Test func `NaN and infinity disappear with their echoes`() throws {
    var input = Signals.noise(48_000, seed: 3)
    input[100] = .nan
    input[101] = .infinity
    let output = try ModuleInstance(library, [("time", 10), ("feedback", 90), ("duck", 20)])
      .render([input])
    #expect(output.allSatisfy { $0.dropFirst(4_000).allSatisfy(\.isFinite) })
  }
}
