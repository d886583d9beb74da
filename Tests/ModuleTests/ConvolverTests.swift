// ConvolverTests.swift: the output equals a convolution, without latency. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct ConvolverTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("convolver") }

  private static let plain: [(String, Float)] = [("mix", 100), ("normalise", 0)]

  /// Noise that decays by 60 dB over its length.
  private func response(_ frameCount: Int, seed: UInt64) -> [Float] {
    Signals.noise(frameCount, peak: 0.1, seed: seed).enumerated().map { frame, sample in
      sample * Float(pow(10, -3 * Double(frame) / Double(frameCount)))
    }
  }

  /// The convolution by definition for the given frames, in double precision.
  private func convolved(_ signal: [Float], _ response: [Float], at frames: [Int]) -> [Double] {
    frames.map { frame in
      var sum = 0.0
      for tap in max(0, frame - signal.count + 1) ... max(0, min(frame, response.count - 1)) {
        sum += Double(response[tap]) * Double(signal[frame - tap])
      }
      return sum
    }
  }

  private func errorDecibels(_ output: [Float], _ expected: [Double], at frames: [Int]) -> Double {
    let error = zip(frames, expected).reduce(0.0) { $0 + pow(Double(output[$1.0]) - $1.1, 2) }
    return 10 * log10(error / expected.reduce(0) { $0 + $1 * $1 })
  }

  // One of each number of stages, their limits, and less than one step.
  @Test(arguments: [1, 50, 64, 65, 1_500, 2_048, 8_191, 16_384, 40_000, 131_072, 500_000])
  func `the output is the convolution to -120 dB, from the first frame on`(
    length: Int
  ) throws {
    let convolver = try ModuleInstance(library, Self.plain)
    let rows = [response(length, seed: 5), response(length, seed: 6)]
    #expect(convolver.load(rows))
    #expect(convolver.latencyFrames == 0)
    let input = [Signals.noise(30_000, seed: 1), Signals.noise(30_000, seed: 2)]
    let count = min(length + 30_000, 200_000)
    let output = try convolver.render(input, frameCount: count, blocks: [512])
    let frames = Array(0 ..< 70) + stride(from: 71, to: count, by: count / 400)
    for side in 0 ..< 2 {
      let expected = convolved(input[side], rows[side], at: frames)
      let error = errorDecibels(output[side], expected, at: frames)
      #expect(error < -120, "\(length) frames: \(error) dB")
    }
  }

  @Test
  func `a mono response applies to both sides, one of four channels includes the cross paths`()
    throws
  {
    let left = [Signals.noise(4_000, seed: 1), Signals.silence(4_000)]
    let rows = (0 ..< 4).map { response(3_000, seed: UInt64($0 + 1)) }
    let frames = Array(stride(from: 0, to: 4_000, by: 13))
    let mono = try ModuleInstance(library, Self.plain)
    #expect(mono.load([rows[0]]))
    let narrow = try mono.render(left)
    #expect(errorDecibels(narrow[0], convolved(left[0], rows[0], at: frames), at: frames) < -120)
    #expect(narrow[1].allSatisfy { $0 == 0 })

    for side in 0 ..< 2 {
      let stereo = try ModuleInstance(library, Self.plain)
      #expect(stereo.load(rows))
      let output = try stereo.render(side == 0 ? left : left.reversed())
      for channel in 0 ..< 2 {
        let expected = convolved(left[0], rows[2 * side + channel], at: frames)
        let error = errorDecibels(output[channel], expected, at: frames)
        #expect(error < -120, "side \(side) to \(channel): \(error) dB")
      }
    }
  }

  @Test func `an invalid response is refused, and the built-in one remains`() throws {
    let convolver = try ModuleInstance(library, Self.plain)
    #expect(!convolver.load([]))
    #expect(!convolver.load([[]]))
    #expect(!convolver.load([[1], [1], [1]]))
    #expect(!convolver.load([[1, .nan]]))
    let output = try convolver.render([Signals.impulse(9_600)])
    let untouched = try ModuleInstance(library, Self.plain).render([Signals.impulse(9_600)])
    #expect(output == untouched)
    #expect(Measure.rmsDecibels(output[0]) > -60)
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `the mids of the built-in room decay by 60 dB in 1.6 s, wide and without ringing`(
    rate: Double
  ) throws {
    let convolver = try ModuleInstance(library, [("mix", 100)], sampleRateHz: rate)
    let output = try convolver.render([Signals.impulse(Int(2.3 * rate))], blocks: [1_024])
    let mids = Measure.band(output[0], fromHz: 400, toHz: 1_200, sampleRateHz: rate)
    let seconds = Measure.decaySeconds(mids, sampleRateHz: rate)
    #expect(abs(seconds - 1.6) < 0.15, "\(seconds) s")
    let product = zip(output[0], output[1]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    let power = output.map { $0.reduce(0.0) { $0 + Double($1) * Double($1) } }
    #expect(abs(product / (power[0] * power[1]).squareRoot()) < 0.15)
    let spectrum = Spectrum(output[0].dropFirst(Int(0.4 * rate)), sampleRateHz: rate)
    for centre in [200.0, 400, 800, 1_600] {
      let (low, high) = (centre * 0.89, centre * 1.12)
      let ringing =
        spectrum.peakDecibels(fromHz: low, toHz: high)
        - spectrum.meanDecibels(fromHz: low, toHz: high)
      #expect(ringing < 12, "\(ringing) dB at \(centre) Hz")
    }
  }

  @Test(arguments: [1, 2, 4])
  func `normalised speech and music have the same loudness as the input`(channelCount: Int) throws {
    let rows = (0 ..< channelCount).map { response(48_000, seed: UInt64($0 + 1)) }
    for programme in Programme.allCases {
      let convolver = try ModuleInstance(library, [("mix", 100)])
      #expect(convolver.load(rows))
      let input = programme.channels
      let output = try convolver.render(input, blocks: [512])
      let gain = Loudness.integrated(output) - Loudness.integrated(input)
      #expect(abs(gain) < 2, "\(programme): \(gain) dB")
    }
  }

  @Test func `decay shortens the response, as in a smaller room`() throws {
    for (decay, wanted) in [(Float(50), 0.459), (25, 0.25)] {
      let convolver = try ModuleInstance(library, Self.plain + [("decay", decay)])
      // Decays by 60 dB in a second, which is its length: at half of it by 120 dB in all.
      #expect(convolver.load([response(48_000, seed: 4)]))
      let output = try convolver.render([Signals.impulse(48_000)], blocks: [512])
      let seconds = Measure.decaySeconds(output[0])
      #expect(abs(seconds / wanted - 1) < 0.12, "\(decay) %: \(seconds) s")
    }
  }

  @Test func `a change of decay fades to the result of a constant decay`() throws {
    let rows = [response(20_000, seed: 4)]
    let input = Signals.sine(440, 240_000, peak: 0.25)
    let changed = try ModuleInstance(library, [("mix", 100)])
    #expect(changed.load(rows))
    let output = try changed.render(
      [input], blocks: [256], changes: [.init(at: 60_000, "decay", 40)])[0]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[30_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: "convolver-decay"))")
    let begun = try ModuleInstance(library, [("mix", 100), ("decay", 40)])
    #expect(begun.load(rows))
    let expected = try begun.render([input], blocks: [256])[0]
    let difference = zip(output, expected).map { $0 - $1 }.suffix(24_000)
    #expect(Measure.peakDecibels(difference) < -110)
  }

  @Test(arguments: [Float(0), 10, 500])
  func `the pre-delay has the set duration`(milliseconds: Float) throws {
    let convolver = try ModuleInstance(library, Self.plain + [("pre_delay", milliseconds)])
    #expect(convolver.load([[1]]))
    let output = try convolver.render([Signals.impulse(30_000, peak: 0.5)])[0]
    #expect(output == Signals.impulse(30_000, peak: 0.5, at: Int(milliseconds * 48)))
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
  }

  @Test(arguments: [("mix", Float(0)), ("level", -20), ("pre_delay", 80), ("normalise", 0)])
  func `a change does not click`(symbol: String, value: Float) throws {
    let convolver = try ModuleInstance(library, [("mix", 100)])
    #expect(convolver.load([response(9_000, seed: 4)]))
    let output = try convolver.render(
      [Signals.sine(220, 48_000, peak: 0.1)], changes: [.init(at: 24_000, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[16_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: symbol))")
  }

  @Test func `after the response there is silence, even after NaN`() throws {
    let convolver = try ModuleInstance(library, Self.plain)
    #expect(convolver.load([response(10_000, seed: 4)]))
    var input = Signals.noise(30_000)
    input[4_000] = .nan
    input[9_000] = .infinity
    let output = try convolver.render([input], frameCount: 60_000, blocks: [64])[0]
    // Two blocks of the longest stage, 512 frames, may still contain the end.
    #expect(output[41_024...].allSatisfy { $0 == 0 })
    // The dry signal times 0, its gain at this mix, is still NaN there.
    #expect(output.enumerated().allSatisfy { $1.isFinite || $0 == 4_000 || $0 == 9_000 })
  }
}
