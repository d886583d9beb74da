// TestSignal.swift: a signal that exercises plugins. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// A stereo signal with an impulse, a sweep, noise and tone bursts, the same at each call.
package enum TestSignal {
  /// The sample rate in Hz.
  package static let sampleRateHz = 48_000
  /// The length in seconds.
  package static let seconds = 8.0

  /// A part: its start, its length in seconds, and the samples of both channels.
  private struct Part {
    let start: Double
    let seconds: Double
    let sample: (Int, Double) -> SIMD2<Float>
  }

  /// Writes the signal to a temporary file. [any]
  ///
  /// - Throws: if the temporary file cannot be written.
  package static func file() throws(AudioFileError) -> UnnamedFile {
    let file = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: sampleRateHz, channelCount: 2), stream: file.descriptor,
      name: "The test signal")
    let frames = samples
    try writer.write(frames, frameCount: frames.count / 2)
    try writer.finish()
    file.rewind()
    return file
  }

  /// The interleaved samples.
  package static var samples: [Float] {
    var samples = [Float](repeating: 0, count: 2 * Int(seconds * Double(sampleRateHz)))
    for part in parts {
      let first = Int(part.start * Double(sampleRateHz))
      for frame in 0 ..< Int(part.seconds * Double(sampleRateHz)) {
        let value = part.sample(frame, Double(frame) / Double(sampleRateHz))
        samples[2 * (first + frame)] = value.x
        samples[2 * (first + frame) + 1] = value.y
      }
    }
    return samples
  }

  private static var parts: [Part] {
    var state: UInt64 = 1
    func noise() -> Float {
      // Knuth's linear congruential generator (MMIX).
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-31
    }
    let impulse = Part(start: 0.05, seconds: 0.01) { frame, _ in
      frame == 0 ? SIMD2(0.5, 0.5) : SIMD2(0, 0)
    }
    // -12 dBFS from 20 Hz to 20 kHz; the right channel is 6 dB lower.
    let sweep = Part(start: 0.5, seconds: 3) { _, time in
      let octaves = log(1_000.0)
      let value = Float(0.25 * sin(2 * .pi * 20 * 3 / octaves * (exp(time / 3 * octaves) - 1)))
      return SIMD2(value, value / 2)
    }
    let hiss = Part(start: 4, seconds: 1) { _, _ in SIMD2(0.2 * noise(), 0.2 * noise()) }
    // Bursts of 1 kHz, each 8 dB louder: -40 to 0 dBFS.
    let bursts = (0 ..< 6).map { step in
      Part(start: 5.25 + 0.35 * Double(step), seconds: 0.25) { _, time in
        let value = Float(pow(10, (-40 + 8 * Double(step)) / 20) * sin(2 * .pi * 1_000 * time))
        return SIMD2(value, value)
      }
    }
    return [impulse, sweep, hiss] + bursts
  }
}
