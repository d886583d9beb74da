// LooperTests.swift: loops without a seam, overdubs that are exact to the bit, and undo. SPDX-License-Identifier: MIT

import ModuleTestSupport
import Testing

@Suite struct LooperTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("looper") }

  /// A press of a command at a frame.
  ///
  /// The parameter returns to 0 a frame later, like a trigger.
  private static func press(_ symbol: String, at frame: Int) -> [ModuleInstance.Change] {
    [.init(at: frame, symbol, 1), .init(at: frame + 1, symbol, 0)]
  }

  private static func presses(_ all: [(Int, String)]) -> [ModuleInstance.Change] {
    all.flatMap { press($0.1, at: $0.0) }
  }

  /// The output of the loop alone, with fades of the given milliseconds.
  private func loop(
    _ input: [Float], _ all: [(Int, String)], _ values: [(String, Float)] = [], fade: Float = 10,
    blocks: [Int] = [64]
  ) throws -> [Float] {
    let instance = try ModuleInstance(library, [("dry", -60), ("fade", fade)] + values)
    let output = try instance.render([input], blocks: blocks, changes: Self.presses(all))
    #expect(instance.violations == [])
    #expect(output[0] == output[1])
    return output[0]
  }

  @Test func `an empty looper passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library).render(input) == input)
  }

  @Test func `a take repeats with its own length, bit for bit except at the seam`() throws {
    let input = Signals.noise(10_000, peak: 0.5, seed: 1) + Signals.silence(40_000)
    let output = try loop(input, [(1_000, "record"), (9_000, "play")])
    #expect(output[..<9_000].allSatisfy { $0 == 0 })
    for round in 0 ..< 4 {
      let start = 9_000 + round * 8_000
      #expect(output[start + 480 ..< start + 8_000].elementsEqual(input[1_480 ..< 9_000]))
    }
  }

  @Test(arguments: [Float(3), 10, 50])
  func `the seam of a tone that does not fit its length has no click`(fade: Float) throws {
    let input = Signals.sine(333, 96_000, peak: 0.5)
    let output = try loop(input, [(5_000, "record"), (20_011, "record")], fade: fade)
    // Steps of the tone itself, and those of a fade of this length between its highest points.
    let most = 0.5 * 2 * Float.pi * 333 / 48_000 + 1.5 / (fade * 48)
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) <= most, "\(writeWAV([output], named: "looper-seam"))")
    // From the second round on each round is the same.
    #expect(output[36_000 ..< 51_011].elementsEqual(output[51_011 ..< 66_022]))
  }

  @Test func `at the seam of a tone that fits, the tone continues`() throws {
    // 480 Hz: 100 frames. Both ends are equal.
    let period = (0 ..< 100).map { Float($0 * 37 % 100) / 128 }
    let input = (0 ..< 40_000).map { period[$0 % 100] }
    let output = try loop(input, [(1_000, "record"), (9_000, "record")])
    let late = zip(output[17_000...], input[17_000...]).map { abs($0 - $1) }
    #expect((late.max() ?? 1) < 1e-6)
  }

  @Test func `an overdub is the exact sum, and undo and redo restore every bit`() throws {
    let take = Signals.noise(8_000, peak: 0.4, seed: 1)
    let more = Signals.noise(8_000, peak: 0.4, seed: 2)
    // The take, a round without recording, the overdub during a whole round with its fades, and silence.
    let input =
      take + Signals.silence(8_000) + more + more + Signals.silence(60_000)
    let output = try loop(
      input,
      [
        (0, "record"), (8_000, "play"), (16_000, "overdub"), (24_480, "overdub"),
        (40_000, "undo"), (56_000, "redo"), (72_000, "undo"),
      ])
    // The second round already has an overdub, so only the output after it is the sum of two layers.
    let sum = zip(take, more).map { $0 + $1 }
    let steady = 1_000 ..< 8_000
    #expect(output[33_000 ..< 40_000].elementsEqual(sum[steady]))
    #expect(output[49_000 ..< 56_000].elementsEqual(output[9_000 ..< 16_000]))
    #expect(output[48_000 ..< 56_000].elementsEqual(output[80_000 ..< 88_000]))
    #expect(output[64_000 ..< 72_000].elementsEqual(output[32_000 ..< 40_000]))
  }

  @Test(arguments: [Float(0), 25, 50, 100])
  func `feedback is the level of earlier layers`(percent: Float) throws {
    let take = [Float](repeating: 0.5, count: 4_800)
    let input = take + Signals.silence(24_000)
    let output = try loop(
      input, [(0, "record"), (4_800, "play"), (9_600, "overdub"), (14_900, "play")],
      [("feedback", percent)])
    #expect(output[21_000] == 0.5 * percent / 100)
  }

  @Test func `each overdub is undone separately, and no more than exist`() throws {
    var input = Signals.silence(9_600)
    var all = [(0, "record"), (4_800, "play")]
    for layer in 0 ..< 3 {
      input += [Float](repeating: Float(1 << layer) / 8, count: 4_800) + Signals.silence(4_800)
      all += [(9_600 + layer * 9_600, "overdub"), (14_400 + layer * 9_600, "overdub")]
    }
    input += Signals.silence(70_000)
    for step in 0 ..< 5 { all.append((40_000 + step * 4_800, "undo")) }
    for step in 0 ..< 5 { all.append((64_000 + step * 4_800, "redo")) }
    let instance = try ModuleInstance(library, [("dry", -60)])
    let output = try instance.render([input], changes: Self.presses(all))[0]
    let levels = (0 ..< 10).map { output[39_500 + $0 * 4_800] }
    #expect(levels == [0.875, 0.375, 0.125, 0, 0, 0, 0.125, 0.375, 0.875, 0.875])
    #expect(instance.readouts(5)[3...] == [3, 0])
  }

  @Test func `an overdub that can no longer be undone stays in the loop`() throws {
    // At 1 kHz 240,000 frames fit: two versions of a take of 100 s.
    let instance = try ModuleInstance(library, [("dry", -60)], sampleRateHz: 1_000)
    var all = [(0, "record"), (100_000, "play")]
    for layer in 1 ... 3 {
      all += [(layer * 100_000 + 100, "overdub"), (layer * 100_000 + 90_000, "play")]
    }
    all += [(410_000, "undo"), (420_000, "undo")]
    let input = (0 ..< 4).flatMap { [Float](repeating: Float(1 << $0) / 16, count: 100_000) }
    let output = try instance.render(
      [input + Signals.silence(40_000)], blocks: [1_000], changes: Self.presses(all))[0]
    #expect(output[405_000] == 0.9375)
    #expect(output[415_000] == 0.4375)
    #expect(output[425_000] == 0.4375)
    #expect(instance.readouts(5)[3...] == [0, 1])
  }

  @Test func `play, stop, undo and clear fade, and play begins at the beginning`() throws {
    let input = [Float](repeating: 0.5, count: 60_000)
    let output = try loop(
      input,
      [
        (0, "record"), (4_800, "overdub"), (9_600, "play"), (20_000, "stop"), (25_000, "play"),
        (30_000, "undo"), (35_000, "clear"),
      ])
    // A fade of 480 frames has steps of at most 1.5 / 480 of the level.
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 2 * 1.5 / 480)
    #expect(
      output[21_000 ..< 25_000].allSatisfy { $0 == 0 } && output[35_481...].allSatisfy { $0 == 0 })
    #expect(output[26_000] > 0.9 && output[31_000] == 0.5)
  }

  @Test func `one pedal controls everything, and a controller acts as the pedal, to the frame`()
    throws
  {
    let input = Signals.noise(60_000, peak: 0.3, seed: 4)
    let frames = [1_003, 9_017, 20_001, 30_011]
    let expected = try loop(input, frames.map { ($0, "pedal") })
    let messages = frames.flatMap { frame in
      [
        ModuleInstance.Message(at: frame, [0xb2, 80, 100]),
        ModuleInstance.Message(at: frame + 1, [0xb2, 80, 127]),
        ModuleInstance.Message(at: frame + 500, [0xb2, 80, 0]),
      ]
    }
    let played = try ModuleInstance(library, [("dry", -60)]).render([input], messages: messages)
    #expect(played[0] == expected)
    let other = try ModuleInstance(library, [("dry", -60), ("channel", 1)])
      .render([input], messages: messages)
    #expect(other[0].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [45_000, 51_000, 48_000])
  func `a take of whole beats has their length, whether the key is early or late`(pressed: Int)
    throws
  {
    // Two beats at 120 are 48,000 frames.
    let input = Signals.noise(60_000, peak: 0.5, seed: 6) + Signals.silence(150_000)
    let output = try loop(input, [(0, "record"), (pressed, "record")], [("beats", 2)])
    #expect(output[60_000 ..< 95_900].elementsEqual(input[12_000 ..< 47_900]))
    #expect(output[96_000 ..< 144_000].elementsEqual(output[144_000 ..< 192_000]))
    // The seam does not depend on the time of the press.
    let onTime = try loop(input, [(0, "record"), (48_000, "record")], [("beats", 2)])
    #expect(output[96_000...].elementsEqual(onTime[96_000...]))
  }

  @Test func `a take ends automatically after two minutes, and a short one can fade`()
    throws
  {
    let instance = try ModuleInstance(library, [], sampleRateHz: 1_000)
    _ = try instance.render(
      [Signals.silence(120_500)], blocks: [500], changes: Self.press("record", at: 0))
    #expect(instance.readouts(5) == [3, 0.5, 120, 0, 0])
    let brief = try ModuleInstance(library)
    _ = try brief.render(
      [Signals.silence(2_000)], changes: Self.presses([(10, "record"), (20, "record")]))
    #expect(brief.readouts(5)[2] == 0.02)
  }

  @Test func `a loop recovers from samples that are not finite, and never exceeds 18 dB`() throws {
    var input = [Float](repeating: 1, count: 200_000)
    input[100] = .nan
    input[101] = .infinity
    let output = try loop(input, [(0, "record"), (4_800, "overdub")])
    #expect(output.allSatisfy { $0.isFinite && $0 <= 8 })
    #expect(output.last == 8)
  }
}
