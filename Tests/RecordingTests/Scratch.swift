// Scratch.swift: a folder for one test, recorders in it, and what they wrote. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import PluginModel

@testable import Recording

/// A folder that goes with this object.
final class Scratch {
  let path = NSTemporaryDirectory() + "outboard-recording-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}

/// A recorder that is fed by hand.
final class FedRecorder {
  static let rateHz = 48_000
  let node: RecorderNode
  private let blockFrames: Int

  init(
    _ path: String, channels: Int = 2, format: SampleFormat? = nil, blockFrames: Int = 64,
    ringSeconds: Double = 1, isOffline: Bool = false
  ) {
    self.blockFrames = blockFrames
    node = RecorderNode(
      RecordingRequest(path: path, format: format, channelCount: channels),
      NodeConfiguration(
        sampleRateHz: Double(Self.rateHz), maximumFrameCount: blockFrames, isOffline: isOffline),
      ringSeconds: ringSeconds)
  }

  /// Hands over interleaved samples block by block.
  func feed(_ samples: [Float]) {
    let channels = node.audioInputCount
    let step = node.step
    let rows = (0 ..< channels).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: blockFrames)
    }
    defer { rows.forEach { $0.deallocate() } }
    var place = 0
    while place < samples.count {
      let count = min(blockFrames, (samples.count - place) / channels)
      for frame in 0 ..< count {
        for channel in 0 ..< channels {
          rows[channel][frame] = samples[place + frame * channels + channel]
        }
      }
      step.function(step.context, rows, UInt32(count))
      place += count * channels
    }
  }

  /// Waits until so many frames are in the file.
  func waitUntilWritten(_ frameCount: Int) {
    while node.recording.report.frameCount < frameCount { usleep(1_000) }
  }
}

/// Samples on the grid of `bits`, from a seeded generator, never beyond full scale.
func noise(_ count: Int, bits: Int = 16) -> [Float] {
  var state: UInt64 = 7
  return (0 ..< count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let steps = Int64(bitPattern: state) >> Int64(64 - bits)
    return Float(Double(steps) / Double(sign: .plus, exponent: bits - 1, significand: 1))
  }
}

/// The samples of a file, interleaved.
func hear(_ path: String) throws -> [Float] {
  var reader = try AudioFileReader(path: path)
  let block = 4_096
  let rows = (0 ..< reader.channelCount).map { _ in
    UnsafeMutablePointer<Float>.allocate(capacity: block)
  }
  defer { rows.forEach { $0.deallocate() } }
  var samples: [Float] = []
  while true {
    let count = try reader.read(into: rows, frameCount: block)
    for frame in 0 ..< count { for row in rows { samples.append(row[frame]) } }
    if count < block { return samples }
  }
}

/// Whether these are the samples of a file; a failure need not print them all.
func isHeard(_ path: String, _ samples: some Collection<Float>) throws -> Bool {
  try hear(path).elementsEqual(samples)
}

/// The sentence that something throws.
func sentence(_ work: () throws -> Void) -> String {
  do { try work() } catch { return "\(error)" }
  return "nothing was thrown"
}
