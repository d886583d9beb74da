// Response.swift: how the room answers an impulse, in frames. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The channels of an impulse response, in memory that the owner frees.
struct Response {
  /// 1: both sides the same; 2: one for each side; 4: left to left, left to right, right to left, right to
  /// right.
  let rowCount: Int
  /// The frames of each channel, at least 1.
  let frameCount: Int
  private let samples: UnsafeMutablePointer<Float>

  /// The longest response that is taken whole.
  private static let maximumSeconds = 60.0
  /// The gain that makes the chamber about as loud as its input.
  private static let chamberLevel = 0.0605

  /// Copies a file's channels; nil if they are not 1, 2 or 4, empty, or not numbers. [main]
  init?(_ sound: AudioFile, sampleRateHz: Double) {
    let (channels, channelCount) = (sound.channels, sound.channelCount)
    guard channelCount == 1 || channelCount == 2 || channelCount == 4, sound.frameCount > 0 else {
      return nil
    }
    rowCount = channelCount
    self.frameCount = min(sound.frameCount, Int(Self.maximumSeconds * sampleRateHz))
    for channel in 0 ..< channelCount {
      for frame in 0 ..< self.frameCount where !channels[channel][frame].isFinite { return nil }
    }
    samples = .allocate(capacity: rowCount * self.frameCount)
    for row in 0 ..< rowCount {
      (samples + row * self.frameCount).initialize(from: channels[row], count: self.frameCount)
    }
  }

  /// Generates a warm chamber whose mids decay by 60 dB in 1.6 s, always the same. [main]
  ///
  /// Each side has sixteen echoes within the first 80 ms, with times in a geometric series, and noise that
  /// fades in meanwhile. The noise loses high frequencies while it decays, as in air and at walls.
  init(sampleRateHz: Double) {
    rowCount = 2
    frameCount = max(64, Int(2.2 * sampleRateHz))
    samples = .allocate(capacity: 2 * frameCount)
    samples.initialize(repeating: 0, count: 2 * frameCount)
    for row in 0 ..< 2 {
      fillNoise(samples + row * frameCount, seed: UInt64(row + 1), sampleRateHz)
      fillEchoes(samples + row * frameCount, seed: UInt64(row + 11), sampleRateHz)
    }
  }

  func free() { samples.deallocate() }

  /// Returns the frames of one channel.
  @_noLocks
  func row(_ index: Int) -> UnsafePointer<Float> { UnsafePointer(samples + index * frameCount) }

  private func fillNoise(
    _ row: UnsafeMutablePointer<Float>, seed: UInt64, _ sampleRateHz: Double
  ) {
    var generator = RandomGenerator(seed: seed)
    // Keeps the audible level at every sample rate: at high rates, part of the noise is inaudible.
    let level = 0.5 * Self.chamberLevel * realtime_sqrt(48_000 / sampleRateHz)
    let bass = 1 - realtime_exp(-2 * Double.pi * 150 / sampleRateHz)
    var (dark, darker, low, treble) = (0.0, 0.0, 0.0, 0.0)
    for frame in 0 ..< frameCount {
      let seconds = Double(frame) / sampleRateHz
      if frame % 32 == 0 {
        let cutoff = min(1_200 + 9_000 * realtime_exp(-seconds / 0.35), 0.4 * sampleRateHz)
        treble = 1 - realtime_exp(-2 * Double.pi * cutoff / sampleRateHz)
      }
      dark += (Double(generator.next()) - dark) * treble
      darker += (dark - darker) * treble
      low += (darker - low) * bass
      let onset = 1 - realtime_exp(-seconds / 0.02)
      let end = 1 - Double(frame) / Double(frameCount)
      let envelope = onset * realtime_exp(-6.907_755 * seconds / 1.7) * min(1, 10 * end)
      row[frame] = Float((darker - low) * level * envelope)
    }
  }

  private func fillEchoes(
    _ row: UnsafeMutablePointer<Float>, seed: UInt64, _ sampleRateHz: Double
  ) {
    var generator = RandomGenerator(seed: seed)
    for echo in 0 ..< 16 {
      let jitter = 1 + 0.12 * Double(generator.next())
      let seconds = 0.006 * realtime_pow(1.185, Double(echo)) * jitter
      let frame = Int(seconds * sampleRateHz)
      guard frame + 2 < frameCount else { return }
      let sign: Double = generator.next() < 0 ? -1 : 1
      let level = Float(0.45 * Self.chamberLevel * sign * realtime_exp(-seconds / 0.045))
      // Slightly darker than the signal that it echoes.
      row[frame] += 0.25 * level
      row[frame + 1] += 0.5 * level
      row[frame + 2] += 0.25 * level
    }
  }
}
