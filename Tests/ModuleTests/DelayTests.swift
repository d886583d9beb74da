// DelayTests.swift: times and levels of the echoes. SPDX-License-Identifier: MIT

import ModuleTestSupport
import Testing

@Suite struct DelayTests {
  private let library: ModuleLibrary
  // The filters are completely open, so that an impulse remains an impulse.
  private let open: [(String, Float)] = [("low_cut", 10), ("high_cut", 20_000), ("mix", 100)]

  init() throws { library = try ModuleLibrary("delay") }

  @Test(arguments: [(1, 48), (10, 480), (333.3, 15_998), (2_000, 96_000)])
  func `the first echo is a copy after the time to the frame`(
    milliseconds: Double, frame: Int
  ) throws {
    let input = Signals.impulse(frame + 200, peak: 0.7)
    let delay = try ModuleInstance(
      library, open + [("time", Float(milliseconds)), ("feedback", 0)])
    for channel in try delay.render([input]) {
      #expect(channel[frame] == 0.7)
      #expect(channel.filter { $0 != 0 }.count == 1)
    }
  }

  @Test(arguments: [Float(25), 50, 80])
  func `each further echo is fainter by the feedback`(percent: Float) throws {
    // 500 Hz is far inside the passband of the loop's filters.
    let burst = Signals.sine(500, 4_800, peak: 0.3) + Signals.silence(48_000 - 4_800)
    let delay = try ModuleInstance(library, open + [("time", 200), ("feedback", percent)])
    let output = try delay.render([burst])[0]
    let levels = (1 ... 4).map { echo in
      Measure.levelDecibels(of: 500, in: output[(9_600 * echo) ..< (9_600 * echo + 4_800)])
    }
    let expected = Measure.decibels(Double(percent) / 100)
    for (level, next) in zip(levels, levels.dropFirst()) {
      #expect(abs(next - level - expected) < 0.1, "\(levels)")
    }
  }

  @Test func `ping-pong echoes alternate between the sides and start on the left`() throws {
    let input = Signals.impulse(5_000, peak: 0.5)
    let delay = try ModuleInstance(
      library, open + [("time", 20), ("feedback", 60), ("mode", 1)])
    let output = try delay.render([input])
    for turn in 1 ... 4 {
      let here = output.map { Measure.rmsDecibels($0[(960 * turn) ..< (960 * turn + 100)]) }
      let (loud, quiet) = turn % 2 == 1 ? (here[0], here[1]) : (here[1], here[0])
      #expect(loud > -60 && loud - quiet > 40, "echo \(turn): \(here)")
    }
  }

  @Test func `the loop's filters attenuate by 3 dB at their frequencies`() throws {
    // Between the first and the second echo the signal has passed the loop once.
    for (symbol, cutoff) in [("high_cut", Float(3_000)), ("low_cut", 300)] {
      let delay = try ModuleInstance(
        library, open + [("time", 500), ("feedback", 100), (symbol, cutoff)])
      let burst = Signals.sine(Double(cutoff), 12_000, peak: 0.3) + Signals.silence(60_000)
      let output = try delay.render([burst])[0]
      let first = Measure.levelDecibels(of: Double(cutoff), in: output[26_000 ..< 35_000])
      let second = Measure.levelDecibels(of: Double(cutoff), in: output[50_000 ..< 59_000])
      #expect(abs(second - first + 3) < 1, "\(symbol): \(second - first) dB")
    }
  }

  @Test func `full feedback at full scale stays bounded`() throws {
    let delay = try ModuleInstance(library, open + [("time", 5), ("feedback", 100)])
    let output = try delay.render([Signals.noise(200_000, seed: 2)])
    let peak = output.map { Measure.peakDecibels($0) }.max() ?? 0
    #expect(peak <= Measure.decibels(3), "\(writeWAV(output, named: "delay-feedback"))")
  }

  @Test func `a change of time is smoothed, without a click`() throws {
    let input = Signals.sine(220, 96_000, peak: 0.5)
    let delay = try ModuleInstance(library, open + [("time", 300), ("feedback", 0)])
    let output = try delay.render([input], changes: [.init(at: 48_000, "time", 320)])[0]
    // A 220 Hz sine of this level moves by 0.0144 a frame; the ramp makes this a quarter more.
    let steps = zip(output[40_000...], output[40_001...]).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.0144 * 1.3, "\(writeWAV([output], named: "delay-glide"))")
    #expect(abs(output[95_999] - input[95_999 - 15_360]) < 1e-4)
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    let output = try ModuleInstance(library, [("mix", 0)]).render(input)
    #expect(output == input)
  }
}
