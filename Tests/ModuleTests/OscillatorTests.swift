// OscillatorTests.swift: pitch, level and purity. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct OscillatorTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("oscillator") }

  private func render(_ values: [(String, Float)], _ frameCount: Int) throws -> [Float] {
    try ModuleInstance(library, values).render(frameCount: frameCount)[0]
  }

  @Test(arguments: [Float(10), 440, 997, 12_345, 20_000])
  func `a sine is the sine of its frequency, to the last bits`(frequency: Float) throws {
    let output = try render([("frequency", frequency), ("level", 0)], 48_000)
    let ideal = Signals.sine(Double(frequency), 48_000)
    let worst = zip(output, ideal).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 3e-7)
  }

  @Test func `the pitch has not drifted after two minutes`() throws {
    let count = 120 * 48_000
    let output = try render([("frequency", 997), ("level", 0)], count)
    let ideal = Signals.sine(997, count)
    let worst = zip(output.suffix(4_800), ideal.suffix(4_800)).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-6)
  }

  @Test func `a sine has no spur above -120 dB`() throws {
    let output = try render([("frequency", 997), ("level", 0)], 65_536)
    // The window's own skirts reach -92 dB near the tone, so only frequencies far above it are checked.
    let far = Spectrum(output).peakDecibels(fromHz: 3_000, toHz: 24_000)
    #expect(far < -120, "\(far) dB")
  }

  @Test func `detune moves the pitch by cents`() throws {
    let output = try render([("frequency", 1_000), ("detune", 100), ("level", 0)], 48_000)
    let ideal = Signals.sine(1_000 * pow(2, 1.0 / 12), 48_000)
    #expect((zip(output, ideal).map { abs($0 - $1) }.max() ?? 1) < 1e-6)
  }

  @Test(arguments: [Float(-90), -60, -18, -6, 0])
  func `the level is that of a sine's peak`(level: Float) throws {
    let output = try render([("frequency", 1_000), ("level", level)], 48_000)
    #expect(abs(Measure.rmsDecibels(output) + 3.0103 - Double(level)) < 0.001)
  }

  @Test(
    arguments: [Float(1), 2, 3],
    [
      (Float(110.3), -95.0, -70.0), (441.7, -88.0, -59.0), (1_661.3, -75.0, -46.0),
      (4_186.1, -60.0, -38.0),
    ])
  func `alias components stay below what the README states`(
    waveform: Float, tone: (frequency: Float, below10kHz: Double, above10kHz: Double)
  ) throws {
    let output = try render(
      [("waveform", waveform), ("frequency", tone.frequency), ("level", 0)], 131_072)
    let spectrum = Spectrum(output)
    let harmonics = stride(from: 0, to: 24_000, by: Double(tone.frequency)).map { $0 }
    let low = spectrum.aliasDecibels(below: 10_000, harmonics)
    let high = spectrum.aliasDecibels(below: 20_000, harmonics)
    #expect(low < tone.below10kHz, "\(low) dB below 10 kHz")
    #expect(high < tone.above10kHz, "\(high) dB below 20 kHz")
  }

  @Test func `the harmonics of a saw have the correct levels`() throws {
    let output = try render([("waveform", 2), ("frequency", 200), ("level", 0)], 131_072)
    for harmonic in 1 ... 25 {
      let ideal = Measure.decibels(2 / (Double.pi * Double(harmonic)))
      let level = Measure.levelDecibels(of: 200 * Double(harmonic), in: output.prefix(48_000))
      // The kernel attenuates by sinc^4 of the frequency divided by the rate.
      let x = Double.pi * 200 * Double(harmonic) / 48_000
      let kernel = 4 * Measure.decibels(sin(x) / x)
      #expect(abs(level - ideal - kernel) < 0.05, "harmonic \(harmonic): \(level - ideal) dB")
    }
  }

  @Test func `the pulse width sets the mean of the square`() throws {
    for width in [Float(10), 25, 50, 90] {
      let output = try render(
        [("waveform", 3), ("frequency", 480), ("level", 0), ("pulse_width", width)], 48_000)
      let mean = output.reduce(0.0) { $0 + Double($1) } / 48_000
      #expect(abs(mean - Double(2 * width / 100 - 1)) < 1e-4)
    }
  }

  @Test func `white noise is flat and as loud as a sine`() throws {
    let output = try render([("waveform", 4), ("level", -6)], 1_048_576)
    #expect(abs(Measure.rmsDecibels(output) + 9.01) < 0.05)
    let levels = octaveDecibels(output)
    #expect(levels.allSatisfy { abs($0 - levels[0]) < 0.5 }, "\(levels)")
  }

  @Test func `pink noise falls by 3 dB an octave`() throws {
    let output = try render([("waveform", 5), ("level", -6)], 1_048_576)
    let levels = octaveDecibels(output)
    for (octave, level) in levels.enumerated() {
      #expect(abs(level - levels[0] + 3.0103 * Double(octave)) < 0.5, "octave \(octave)")
    }
    #expect(abs(Measure.rmsDecibels(output) + 9.01) < 0.5)
  }

  @Test func `a change of waveform does not click`() throws {
    let oscillator = try ModuleInstance(library, [("frequency", 50), ("level", 0)])
    let output = try oscillator.render(
      frameCount: 9_600, changes: [.init(at: 4_900, "waveform", 1)])[0]
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    // A triangle of 50 Hz moves by 0.0042 a frame, a sine by 0.0066, the fade by 0.0052 at most.
    #expect((steps.max() ?? 1) < 0.012)
  }

  /// The mean power of each octave from 80 Hz to 20 kHz, in dB.
  private func octaveDecibels(_ output: [Float]) -> [Double] {
    let spectrum = Spectrum(output)
    return (0 ..< 8).map { octave in
      let from = 80 * pow(2, Double(octave))
      // Power in a third of the octave around its centre: narrow enough for a constant level.
      return spectrum.meanDecibels(fromHz: from * 1.26, toHz: from * 1.587)
    }
  }
}

extension Spectrum {
  /// The greatest amplitude between harmonics up to a frequency, relative to the fundamental.
  fileprivate func aliasDecibels(below limitHz: Double, _ harmonicsHz: [Double]) -> Double {
    let gaps = zip(harmonicsHz, harmonicsHz.dropFirst()).filter { $0.0 < limitHz }
    let worst = gaps.map { peakDecibels(fromHz: $0 + 8, toHz: min($1 - 8, limitHz)) }.max()
    return (worst ?? 0) - peakDecibels(fromHz: harmonicsHz[1] - 5, toHz: harmonicsHz[1] + 5)
  }
}
