// RingModulatorTests.swift: sums and differences, and purity. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct RingModulatorTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("ring-modulator") }

  private func render(
    _ values: [(String, Float)], toneHz: Double, peak: Double = 1
  ) throws -> [Float] {
    let input = Signals.sine(toneHz, 65_536 + 1_024, peak: peak)
    return Array(try ModuleInstance(library, values).render([input])[0].suffix(65_536))
  }

  @Test(arguments: [(1_000.3, Float(440)), (5_000.7, 3_000), (317.1, 30), (15_000.9, 4_000)])
  func `a sine gives the sum and the difference, but not the original tones`(
    toneHz: Double, carrierHz: Float
  ) throws {
    let output = try render([("frequency", carrierHz)], toneHz: toneHz)
    let products = [toneHz - Double(carrierHz), toneHz + Double(carrierHz)].map { abs($0) }
    for product in products {
      #expect(abs(Measure.levelDecibels(of: product, in: output) + 3.0103) < 0.01)
    }
    let rest = Spectrum(output).peakDecibels(awayFrom: products, marginHz: 8)
    // The window itself leaves -92 dB next to a tone, which has -3 dB here.
    #expect(rest < -94, "\(rest) dB")
    for tone in [toneHz, Double(carrierHz)] {
      #expect(Measure.levelDecibels(of: tone, in: output) < -94, "\(tone) Hz")
    }
  }

  @Test func `conversion up and back is flat to 20 kHz`() throws {
    for toneHz in [100.0, 1_000, 5_000, 10_000, 15_000, 18_000, 19_900] {
      let output = try render([("frequency", 50)], toneHz: toneHz)
      let level = Measure.levelDecibels(of: toneHz - 50, in: output)
      #expect(abs(level + 3.0103) < 0.001, "\(level) dB at \(toneHz) Hz")
    }
  }

  @Test(arguments: [(18_000.3, Float(10_000)), (19_990.1, 9_000), (19_500.7, 10_000)])
  func `sums above half the rate do not fold`(toneHz: Double, carrierHz: Float) throws {
    let output = try render([("frequency", carrierHz)], toneHz: toneHz)
    let difference = toneHz - Double(carrierHz)
    let rest = Spectrum(output).peakDecibels(awayFrom: [difference], marginHz: 8)
    #expect(rest < -94, "\(rest) dB")
  }

  @Test func `a square and a triangle multiply by each of their harmonics`() throws {
    // Scaled to a power of 1.
    let root = 3.0.squareRoot()
    for (waveform, weight) in [
      (Float(2), { 4 / (Double.pi * $0) }), (1, { root * 8 / pow(.pi * $0, 2) }),
    ]
      as [(Float, (Double) -> Double)]
    {
      // Not a multiple of the carrier, because products of different harmonics would coincide.
      let output = try render([("waveform", waveform), ("frequency", 300)], toneHz: 6_050)
      for harmonic in [1.0, 3, 5, 7] {
        // The kernel that rounds corners, at twice the rate, attenuates by sinc^4.
        let x = Double.pi * 300 * harmonic / 96_000
        let wanted = Measure.decibels(0.5 * weight(harmonic)) + 4 * Measure.decibels(sin(x) / x)
        for product in [6_050 - 300 * harmonic, 6_050 + 300 * harmonic] {
          let level = Measure.levelDecibels(of: product, in: output)
          #expect(abs(level - wanted) < 0.02, "\(product) Hz: \(level), not \(wanted) dB")
        }
      }
      #expect(Measure.levelDecibels(of: 6_050, in: output) < -90)
    }
  }

  @Test func `aliases of a square stay below what the README states`() throws {
    let carrierHz = 1_661.3
    let output = try render(
      [("waveform", 2), ("frequency", Float(carrierHz))], toneHz: 100)
    let products = (0 ..< 8).flatMap { index in
      [-100.0, 100].map { carrierHz * Double(2 * index + 1) + $0 }
    }
    // Products from 24 to 28 kHz are in the filter's transition band, and fold to 20 to 24 kHz.
    let folded = products.map { 48_000 - $0 }
    let rest = Spectrum(output).peakDecibels(awayFrom: products + folded, marginHz: 12)
    #expect(rest < -60, "\(rest) dB")
  }

  @Test func `a mix of 0 passes every bit after the reported latency`() throws {
    let instance = try ModuleInstance(library, [("mix", 0)])
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    let output = try instance.render(input)
    let delay = instance.latencyFrames
    #expect(delay == 39)
    for channel in 0 ..< 2 {
      #expect(output[channel][delay...] == input[channel][..<(9_000 - delay)])
    }
  }

  @Test func `the wet signal has the same delay as the dry one`() throws {
    // At half a cycle of stereo phase the right carrier is the negative of the left one.
    let values: [(String, Float)] = [("frequency", 100), ("phase", 180)]
    let instance = try ModuleInstance(library, values)
    let output = try instance.render([Signals.sine(1_000, 9_600)])
    let delay = instance.latencyFrames
    for frame in 1_000 ..< 9_600 {
      let time = Double(frame - delay) / 48_000
      // The carrier begins with the first frame that is multiplied, half of the delay earlier.
      let carrier = sin(2 * .pi * 100 * (time + 39.0 / 2 / 48_000))
      let wanted = sin(2 * .pi * 1_000 * time) * carrier * 2.0.squareRoot()
      #expect(abs(Double(output[0][frame]) - wanted) < 1e-4, "frame \(frame)")
      #expect(abs(Double(output[1][frame]) + wanted) < 1e-4, "frame \(frame)")
    }
  }

  @Test func `after the input ends, the output becomes silent`() throws {
    let input = Signals.noise(4_800) + Signals.silence(4_800)
    let output = try ModuleInstance(library).render([input])
    #expect(output.allSatisfy { $0[(4_800 + 2 * 39)...].allSatisfy { $0 == 0 } })
  }

  @Test(arguments: [("waveform", Float(1)), ("frequency", 2_000), ("phase", 180), ("mix", 0)])
  func `a change does not click`(symbol: String, value: Float) throws {
    let input = Signals.sine(220, 48_000, peak: 0.14)
    let output = try ModuleInstance(library, [("frequency", 100)]).render(
      [input], changes: [.init(at: 24_123, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -60, "\(writeWAV([output], named: symbol))")
  }
}
