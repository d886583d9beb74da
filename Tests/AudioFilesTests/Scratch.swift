// Scratch.swift: a folder for one test, and known frames. SPDX-License-Identifier: MIT

import Foundation

@testable import AudioFiles

/// A folder that goes with this object.
final class Scratch {
  let path = NSTemporaryDirectory() + "outboard-files-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  func put(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }
}

/// Interleaved samples on the grid of `bits`, from a seeded generator, never beyond full scale.
func noise(_ count: Int, bits: Int = 16, seed: UInt64 = 1) -> [Float] {
  var state = seed
  return (0 ..< count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let steps = Int64(bitPattern: state) >> Int64(64 - bits)
    return Float(Double(steps) / Double(sign: .plus, exponent: bits - 1, significand: 1))
  }
}

/// Writes interleaved samples to a file; returns how many were clipped.
@discardableResult
func write(
  _ samples: [Float], to path: String, channels: Int, rate: Int = 48_000,
  format: SampleFormat? = nil, replaces: Bool = false, known: Bool = true
) throws -> Int {
  var settings = AudioFileWriter.Settings(
    path: path, sampleRateHz: rate, channelCount: channels)
  settings.format = format
  settings.replaces = replaces
  settings.longestFrameCount = known ? samples.count / channels : nil
  var writer = try AudioFileWriter(settings)
  try writer.write(samples, frameCount: samples.count / channels)
  try writer.finish()
  return writer.clippedSampleCount
}

/// What a reader gave, interleaved again.
struct Heard: Equatable {
  var samples: [Float]
  var rate: Int
  var channels: Int
  var note: String?
}

func hear(_ reader: consuming AudioFileReader, block: Int = 1000) throws -> Heard {
  let rows = (0 ..< reader.channelCount).map { _ in
    UnsafeMutablePointer<Float>.allocate(capacity: block)
  }
  defer { rows.forEach { $0.deallocate() } }
  var samples: [Float] = []
  while true {
    let count = try reader.read(into: rows, frameCount: block)
    for frame in 0 ..< count { for row in rows { samples.append(row[frame]) } }
    if count < block { break }
  }
  return Heard(
    samples: samples, rate: reader.sampleRateHz, channels: reader.channelCount, note: reader.note)
}

func hear(_ path: String) throws -> Heard { try hear(AudioFileReader(path: path)) }

/// The sentence that something throws.
func sentence(_ work: () throws -> Void) -> String {
  do { try work() } catch { return "\(error)" }
  return "nothing was thrown"
}
