// DecodedAudio.swift: known samples, and the samples that a file contains. SPDX-License-Identifier: MIT

package import AudioFiles

/// Interleaved samples on the grid of `bits`, from a seeded generator, never beyond full scale.
package func noise(_ count: Int, bits: Int = 16, seed: UInt64 = 1) -> [Float] {
  var state = seed
  return (0 ..< count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let steps = Int64(bitPattern: state) >> Int64(64 - bits)
    return Float(Double(steps) / Double(sign: .plus, exponent: bits - 1, significand: 1))
  }
}

/// The samples of a reader, interleaved.
package struct DecodedAudio: Equatable {
  package var samples: [Float]
  package var rate: Int
  package var channels: Int
  package var note: String?

  package init(samples: [Float], rate: Int, channels: Int, note: String?) {
    self.samples = samples
    self.rate = rate
    self.channels = channels
    self.note = note
  }
}

/// Reads to the end, `block` frames at a time.
package func decodeAudio(_ reader: consuming AudioFileReader, block: Int = 1000) throws
  -> DecodedAudio
{
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
  return DecodedAudio(
    samples: samples, rate: reader.sampleRateHz, channels: reader.channelCount, note: reader.note)
}

/// Reads a file to its end.
package func decodeAudio(_ path: String) throws -> DecodedAudio {
  try decodeAudio(AudioFileReader(path: path))
}

/// Returns the message of the error that a closure throws.
package func message(_ work: () throws -> Void) -> String {
  do { try work() } catch { return "\(error)" }
  return "nothing was thrown"
}
