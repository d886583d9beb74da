// GainReductionTests.swift: readouts of dynamics processors. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct GainReductionTests {
  private static let dynamics = ModuleManifest.shipped.filter { module in
    ["Compressor", "Expander", "Gate", "Limiter"].contains(
      (try? ModuleManifest.category(of: module)) ?? "")
  }

  @Test(arguments: dynamics)
  func `every dynamics processor reports its gain reduction`(module: String) throws {
    let readouts = try ModuleManifest.readouts(of: module)
    let places = readouts.indices.filter { readouts[$0].hasPrefix("reduction") }
    try #require(!places.isEmpty, "\(module) has no readout of its reduction.")
    let isGate = try ModuleManifest.category(of: module) == "Gate"
    // A quiet signal closes a gate. A loud one is reduced by the others, and a hissing one by a
    // de-esser.
    let (loud, quiet) = (Signals.noise(48_000, peak: 2, seed: 4), Signals.noise(48_000, peak: 1e-4))
    let library = try ModuleLibrary(module)
    // The de-esser's threshold is relative to full scale, not to the level of the voice.
    let hasReference = library.manifest.parameters.contains { $0.symbol == "reference" }
    let instance = try ModuleInstance(library, hasReference ? [("reference", 0)] : [])
    func reductions(_ input: [Float]) throws -> [Float] {
      instance.reset()
      _ = try instance.render([input])
      let values = instance.readouts(readouts.count)
      return places.map { values[$0] }
    }
    let active = try reductions(isGate ? quiet : loud)
    let resting = try reductions(isGate ? loud : quiet)
    #expect(active.allSatisfy { $0 > 1 }, "\(module): \(active) dB")
    #expect(resting.allSatisfy { abs($0) < 0.01 }, "\(module): \(resting) dB")
    #expect(instance.violations == [])
  }

  @Test func `the compressor's readout is its gain for a steady tone`() throws {
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"), [("auto_makeup", 0), ("knee", 0), ("ratio", 4)])
    // A constant would not pass the detector's high-pass.
    let output = try instance.render([(0 ..< 48_000).map { $0 % 2 == 0 ? 1 : -1 }])[0]
    let gain = Measure.decibels(Double(abs(output.last ?? 0)))
    #expect(abs(Double(instance.readouts(1)[0]) + gain) < 0.01)
    #expect(abs(gain + 13.5) < 0.05, "\(gain) dB")
  }

  @Test func `the limiter's readout is its gain for a steady tone`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("ceiling", -6)])
    let output = try instance.render([[Float](repeating: 1, count: 48_000)])[0]
    #expect(abs(Double(instance.readouts(1)[0]) - 6) < 0.01)
    #expect(abs(Measure.decibels(Double(output.last ?? 0)) + 6) < 0.01)
  }
}
