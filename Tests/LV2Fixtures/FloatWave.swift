// FloatWave.swift: 32-bit float WAV files, as other programs read and write them. SPDX-License-Identifier: MIT

import Foundation

/// Planar audio in a file of 32-bit floats.
package struct FloatWave {
  /// One array for each channel.
  package var channels: [[Float]]
  /// Frames a second.
  package var sampleRateHz: UInt32

  /// Audio to be written.
  package init(channels: [[Float]], sampleRateHz: UInt32) {
    self.channels = channels
    self.sampleRateHz = sampleRateHz
  }

  /// Reads a file; nil if it has another format.
  package init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path), data.count > 44 else { return nil }
    func word(_ offset: Int) -> UInt32 {
      data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    var (count, rate) = (0, UInt32(0))
    var offset = 12
    while offset + 8 <= data.count {
      // A stream to a pipe has no length in its header.
      let size = min(Int(word(offset + 4)), data.count - offset - 8)
      switch String(decoding: data[offset ..< offset + 4], as: UTF8.self) {
      case "fmt ":
        let format = word(offset + 8) & 0xffff
        // The extensible format has the actual format at a later offset.
        guard format == 3 || (format == 0xfffe && word(offset + 32) & 0xffff == 3) else {
          return nil
        }
        count = Int(word(offset + 8) >> 16)
        rate = word(offset + 12)
      case "data" where count > 0:
        let frames = size / 4 / count
        channels = (0 ..< count).map { channel in
          (0 ..< frames).map { frame in
            Float(bitPattern: word(offset + 8 + 4 * (frame * count + channel)))
          }
        }
        sampleRateHz = rate
        return
      default: break
      }
      offset += 8 + size + size % 2
    }
    return nil
  }

  /// Writes the file.
  package func write(to path: String) throws {
    let frameCount = channels.first?.count ?? 0
    let byteCount = UInt32(frameCount * channels.count * 4)
    var data = Data("RIFF".utf8)
    func add(_ value: UInt32) {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    add(36 + byteCount)
    data += Data("WAVEfmt ".utf8)
    add(16)
    add(3 | UInt32(channels.count) << 16)
    add(sampleRateHz)
    add(sampleRateHz * UInt32(channels.count) * 4)
    add(UInt32(channels.count * 4) | 32 << 16)
    data += Data("data".utf8)
    add(byteCount)
    for frame in 0 ..< frameCount {
      for channel in channels { add(channel[frame].bitPattern) }
    }
    try data.write(to: URL(fileURLWithPath: path))
  }
}
