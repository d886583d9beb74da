// FadeCurve.swift: the gains of a crossfade. SPDX-License-Identifier: MIT

internal import Glibc

/// The gains of a fade-in, one for each frame, from 0 to 1.
package struct FadeCurve: ~Copyable {
  /// The usual length of a fade: short enough not to delay an edit, and long compared with a period
  /// of the lowest tone.
  package static let seconds = 0.05

  /// The gain of each frame.
  package let gains: UnsafeMutablePointer<Float>
  /// The length in frames, at least 1.
  package let frameCount: Int

  /// Creates a curve of `frameCount` frames, at least 1. [main]
  package init(frameCount: Int) {
    self.frameCount = frameCount
    gains = .allocate(capacity: frameCount)
    for frame in 0 ..< frameCount {
      // Half a cosine has no corner at either end, so a tone gets almost no side bands.
      let phase = Double(frame + 1) / Double(frameCount + 1) * Double.pi
      gains[frame] = Float((1 - cos(phase)) / 2)
    }
  }

  /// Creates a curve of the usual length. [main]
  package init(sampleRateHz: Double) {
    self.init(frameCount: max(1, Int(Self.seconds * sampleRateHz)))
  }

  deinit { gains.deallocate() }
}
