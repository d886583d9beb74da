// TremoloTests.swift: rate, depth and shape. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct TremoloTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("tremolo") }

  /// The highest gain.
  ///
  /// It compensates the mean power that the shape removes.
  private func highest(_ shape: Float, _ depth: Double) -> Double {
    let square = [0.375, 1.0 / 3, 0.5, 1.0 / 3][Int(shape)]
    return 1 / (1 - depth + square * depth * depth).squareRoot()
  }

  /// Returns the gain: the output for a constant of 1.
  private func gains(_ values: [(String, Float)], _ frameCount: Int) throws -> [[Float]] {
    try ModuleInstance(library, values).render([[Float](repeating: 1, count: frameCount)])
  }

  @Test(arguments: [Float(0), 1, 2, 3], [Float(10), 50, 90, 99])
  func `the level falls by the set depth`(shape: Float, depth: Float) throws {
    let gain = try gains([("shape", shape), ("depth", depth), ("rate", 4)], 48_000)[0]
    let lowest = Double(gain.min() ?? 0)
    let highest = Double(gain.max() ?? 0)
    // The saw's ramp of 4 ms removes 0.8 % at both ends.
    let edge = shape == 3 ? 0.009 : 1e-3
    let top = self.highest(shape, Double(depth) / 100)
    #expect(abs(lowest - top * (1 - Double(depth) / 100)) < edge * top)
    #expect(abs(highest - top) < edge * top)
    if shape == 0 {
      let wanted = Measure.decibels(1 - Double(depth) / 100)
      #expect(abs(Measure.decibels(lowest / highest) - wanted) < 0.02, "\(depth) %")
    }
  }

  @Test func `a depth of 100 is silence at the bottom`() throws {
    #expect((try gains([("depth", 100), ("rate", 1)], 48_000)[0].min() ?? 1) < 1e-6)
  }

  @Test(arguments: [Float(0), 1, 2, 3], [Float(0.5), 5, 20])
  func `each shape has the waveform of its name, at the set rate`(shape: Float, rate: Float) throws
  {
    let count = Int(48_000 * 4 / rate)
    let gain = try gains([("shape", shape), ("depth", 80), ("rate", rate)], count)[0]
    let edge = 0.0021 * Double(rate)
    for frame in stride(from: 0, to: count, by: 31) {
      let turns = Double(rate) * Double(frame) / 48_000
      let phase = turns - turns.rounded(.down)
      let jumps: [Double] = shape == 2 ? [0, 0.5, 1] : shape == 3 ? [0.5] : []
      guard jumps.allSatisfy({ abs(phase - $0) > edge }) else { continue }
      let down =
        switch shape {
        case 0: 0.5 + 0.5 * sin(2 * .pi * phase)
        case 1: 0.5 + asin(sin(2 * .pi * phase)) / .pi
        case 2: phase < 0.5 ? 1.0 : 0
        default: phase < 0.5 ? phase + 0.5 : phase - 0.5
        }
      let wanted = highest(shape, 0.8) * (1 - 0.8 * down)
      #expect(abs(Double(gain[frame]) - wanted) < 2e-5, "frame \(frame)")
    }
  }

  @Test(arguments: [Float(0), 1, 2, 3], [Float(30), 60, 100])
  func `the mean power does not change`(shape: Float, depth: Float) throws {
    let gain = try gains([("shape", shape), ("depth", depth), ("rate", 4)], 48_000)[0]
    // Ramps of 4 ms cut the corners of squares and saws.
    #expect(abs(Measure.rmsDecibels(gain)) < 0.15, "\(Measure.rmsDecibels(gain)) dB")
  }

  @Test func `no shape has steps`() throws {
    for shape in [Float(2), 3] {
      let gain = try gains([("shape", shape), ("depth", 100), ("rate", 20)], 9_600)[0]
      let steps = zip(gain, gain.dropFirst()).map { abs($1 - $0) }
      // A full-scale jump in 4 ms.
      #expect(Double(steps.max() ?? 1) < 1.01 / 192 * highest(shape, 1))
    }
  }

  @Test func `at a stereo phase of 180 degrees one side is up while the other is down`() throws {
    let gain = try gains([("depth", 100), ("rate", 5), ("phase", 180)], 48_000)
    let sum = Float(highest(0, 1))
    #expect(zip(gain[0], gain[1]).allSatisfy { abs($0 + $1 - sum) < 2e-5 })
    let mono = try gains([("depth", 100), ("rate", 5)], 48_000)
    #expect(mono[0] == mono[1])
  }

  @Test(arguments: [(Float(5), Float(50)), (8, 100), (3, 20)])
  func `the vibrato changes the pitch by the set cents at the set rate`(rate: Float, cents: Float)
    throws
  {
    let input = Signals.sine(1_000, 96_000, peak: 0.5)
    let output = try ModuleInstance(
      library, [("mode", 1), ("rate", rate), ("vibrato", cents)]
    ).render([input])[0]
    // The frequency between two zero crossings, in cents.
    var crossings: [Double] = []
    for frame in 2_000 ..< 95_999 where output[frame] < 0 && output[frame + 1] >= 0 {
      let share = output[frame] / (output[frame] - output[frame + 1])
      crossings.append(Double(frame) + Double(share))
    }
    let bends = zip(crossings, crossings.dropFirst()).map { 1_200 * log2(48 / ($1 - $0)) }
    let wanted = Double(cents)
    // Less upwards than downwards in cents, because the delay's speed is symmetric.
    #expect(abs((bends.max() ?? 0) - wanted) < 1 + wanted * 0.01, "\(bends.max() ?? 0)")
    let down = 1_200 * log2(2 - pow(2, wanted / 1_200))
    #expect(abs((bends.min() ?? 0) - down) < 1 + wanted * 0.01, "\(bends.min() ?? 0)")
    // Upward zero crossings of the pitch bend: one per cycle.
    let turns = zip(bends, bends.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
    #expect(abs(Double(turns) - Double(rate) * 94_000 / 48_000) <= 1)
  }

  @Test func `tremolo only has no delay, and vibrato only keeps the level`() throws {
    let input = Signals.noise(20_000, seed: 3)
    let still = try ModuleInstance(library, [("depth", 0)]).render([input])[0]
    #expect(still == input)
    let gain = try gains([("mode", 1), ("depth", 100)], 48_000)[0]
    // After the delay has filled, a constant input stays constant, except for the rounding of four weights.
    #expect(gain[2_000...].allSatisfy { abs($0 - 1) < 1e-6 })
  }

  @Test(arguments: [
    ("mode", Float(1)), ("mode", 2), ("shape", 2), ("depth", 0), ("phase", 180), ("rate", 20),
    ("vibrato", 0),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let start: Float = symbol == "vibrato" ? 2 : 0
    let input = Signals.sine(220, 48_000, peak: 0.25)
    let output = try ModuleInstance(library, [("mode", start)]).render(
      [input], changes: [.init(at: 24_123, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -60, "\(writeWAV([output], named: symbol))")
  }
}
