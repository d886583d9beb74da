// TemporaryDirectory.swift: audio files for one test, and players of them. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import PluginModel
import TestWaits

@testable import FilePlayback

/// A directory that is removed with this object.
final class TemporaryDirectory {
  let path = NSTemporaryDirectory() + "outboard-playing-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// Writes interleaved samples to a file, and returns its path.
  @discardableResult
  func write(
    _ samples: [Float], to name: String, channels: Int = 1, rateHz: Int = 48_000,
    format: SampleFormat? = nil
  ) throws -> String {
    var settings = AudioFileWriter.Settings(
      path: file(name), sampleRateHz: rateHz, channelCount: channels)
    settings.format = format
    settings.replaces = true
    var writer = try AudioFileWriter(settings)
    try writer.write(samples, frameCount: samples.count / channels)
    try writer.finish()
    return file(name)
  }
}

/// Noise that 16 bits represent exactly.
func noise(_ count: Int, seed: UInt32 = 1) -> [Float] {
  var state = seed
  return (0 ..< count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return Float(Int16(truncatingIfNeeded: state >> 16)) / 32_768
  }
}

/// A player whose blocks the test requests.
final class ManualPlayer {
  let node: PlayerNode
  private let blockFrames: Int

  /// Offline it waits for the disk, so that the output is always the same.
  init(
    _ files: [String], channels: Int = 1, rateHz: Double = 48_000, blockFrames: Int = 100,
    isOffline: Bool = true, _ change: (inout PlayerSettings) -> Void = { _ in }
  ) throws {
    self.blockFrames = blockFrames
    var request = PlayerSettings(files: files, channelCount: channels)
    change(&request)
    node = PlayerNode(
      request,
      NodeConfiguration(
        sampleRateHz: rateHz, maximumFrameCount: blockFrames, isOffline: isOffline))
  }

  /// Plays the given number of frames, and returns them interleaved.
  func pull(_ frameCount: Int) -> [Float] {
    let channels = node.audioOutputCount
    let rows = (0 ..< channels).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: blockFrames)
    }
    defer { rows.forEach { $0.deallocate() } }
    let step = node.step
    var samples: [Float] = []
    samples.reserveCapacity(frameCount * channels)
    while samples.count < frameCount * channels {
      let count = min(blockFrames, frameCount - samples.count / channels)
      step.function(step.context, rows, UInt32(count))
      for frame in 0 ..< count { for row in rows { samples.append(row[frame]) } }
    }
    return samples
  }

  /// Renders a block at intervals until a condition holds.
  func pull(until isSo: () -> Bool) {
    let deadline = Deadline()
    while !isSo() {
      _ = pull(blockFrames)
      deadline.restOrTrap(0.0005)
    }
  }
}

/// Returns the message of the error that a closure throws.
func message(_ work: () throws -> Void) -> String {
  do { try work() } catch { return "\(error)" }
  return "nothing was thrown"
}
