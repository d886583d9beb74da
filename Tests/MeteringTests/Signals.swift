// Signals.swift: signals of known levels, and meters that have measured them. SPDX-License-Identifier: MIT

import Foundation
import PluginModel

@testable import Metering

/// Planar samples.
typealias Signal = [[Float]]

/// A sine with a level in dBFS and a duration in seconds.
func sine(
  _ decibels: Double, _ seconds: Double, hertz: Double = 1_000, rate: Double = 48_000,
  degrees: Double = 0
) -> [Float] {
  let peak = pow(10, decibels / 20)
  let step = 2 * Double.pi * hertz / rate
  let phase = degrees / 180 * .pi
  return (0 ..< Int((seconds * rate).rounded())).map {
    Float(peak * sin((Double($0) * step + phase).remainder(dividingBy: 2 * .pi)))
  }
}

/// Consecutive sines, as levels and seconds.
func steps(_ parts: [(Double, Double)], rate: Double = 48_000) -> [Float] {
  parts.flatMap { sine($0.0, $0.1, rate: rate) }
}

func silence(_ seconds: Double, rate: Double = 48_000) -> [Float] {
  [Float](repeating: 0, count: Int((seconds * rate).rounded()))
}

/// White noise between -1 and 1, from a seeded generator.
func noise(_ count: Int, seed: UInt64 = 7) -> [Float] {
  var state = seed
  return (0 ..< count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-31
  }
}

/// Measures a signal in blocks of the given lengths, in turn.
func hear(_ signal: Signal, by measurement: LevelMeasurement, blocks: [Int] = [1_024]) {
  var place = 0
  var turn = 0
  var rows = signal
  let count = signal[0].count
  let pointers = rows.indices.map { channel in
    rows[channel].withUnsafeMutableBufferPointer { $0.baseAddress }
  }.compactMap(\.self)
  withExtendedLifetime(rows) {
    while place < count {
      let length = min(blocks[turn % blocks.count], count - place)
      measurement.measure(pointers, from: place, frameCount: length)
      place += length
      turn += 1
    }
  }
}

/// Measures a signal.
func reading(
  of signal: Signal, rate: Double = 48_000, for purpose: LevelMeasurement.Purpose = .live,
  blocks: [Int] = [1_024]
) -> MeterReading {
  let measurement = LevelMeasurement(
    channelCount: signal.count, sampleRateHz: rate, for: purpose)
  hear(signal, by: measurement, blocks: blocks)
  return measurement.reading
}

/// Returns whether two levels are as close as the standards require.
func isNear(_ one: Double, _ other: Double, within tolerance: Double = 0.1) -> Bool {
  abs(one - other) <= tolerance
}

/// A directory that is removed with this object.
final class TemporaryDirectory {
  let path = NSTemporaryDirectory() + "outboard-metering-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func lines(_ name: String) throws -> [String] {
    try String(contentsOfFile: file(name), encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
