// FadeCurve.swift: how one sound gives way to another. SPDX-License-Identifier: MIT

import Glibc

/// Gains of what comes in, one for each frame of a fade, from 0 to 1.
struct FadeCurve: ~Copyable {
  /// How long a fade takes: short beside the time in which a person changes something, long beside a
  /// period of the lowest tone.
  static let seconds = 0.05

  /// One gain for each frame.
  let gains: UnsafeMutablePointer<Float>
  /// Frames, at least 1.
  let frameCount: Int

  /// A curve of so many frames, at least 1. [main]
  init(frameCount: Int) {
    self.frameCount = frameCount
    gains = .allocate(capacity: frameCount)
    for frame in 0 ..< frameCount {
      // Half a cosine, which has no corner at either end: a tone gets no side bands to speak of.
      let phase = Double(frame + 1) / Double(frameCount + 1) * Double.pi
      gains[frame] = Float((1 - cos(phase)) / 2)
    }
  }

  /// A curve of the usual length. [main]
  init(sampleRateHz: Double) {
    self.init(frameCount: max(1, Int(Self.seconds * sampleRateHz)))
  }

  deinit { gains.deallocate() }
}
