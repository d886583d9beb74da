// WAVFile.swift: a WAV file of a failing test, for listening. SPDX-License-Identifier: MIT

import Foundation

/// Writes planar audio as a 32-bit float WAV file into the temporary directory.
///
/// - Parameters:
///   - channels: all equally long.
///   - name: becomes part of the file's name; anything but letters and digits becomes a hyphen.
///   - sampleRateHz: a whole number.
/// - Returns: a message with the file's path, for the failing expectation.
package func writeWAV(
  _ channels: [[Float]], named name: String, sampleRateHz: Double = 48_000
) -> String {
  let frameCount = channels.map(\.count).min() ?? 0
  let dataSize = frameCount * channels.count * 4
  var bytes = Data()
  func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
  bytes.append(contentsOf: Array("RIFF".utf8))
  append(UInt32(36 + dataSize))
  bytes.append(contentsOf: Array("WAVEfmt ".utf8))
  append(UInt32(16))
  append(UInt16(3))  // IEEE float
  append(UInt16(channels.count))
  append(UInt32(sampleRateHz))
  append(UInt32(Int(sampleRateHz) * channels.count * 4))
  append(UInt16(channels.count * 4))
  append(UInt16(32))
  bytes.append(contentsOf: Array("data".utf8))
  append(UInt32(dataSize))
  for frame in 0 ..< frameCount {
    for channel in channels { append(channel[frame].bitPattern) }
  }
  let stem = String(name.map { $0.isLetter || $0.isNumber ? $0 : "-" })
  let url = FileManager.default.temporaryDirectory.appending(
    path: "outboard-\(stem)-\(UUID().uuidString.prefix(8)).wav")
  do {
    try bytes.write(to: url)
    return "Listen to \(url.path)."
  } catch {
    return "No WAV file could be written: \(error)."
  }
}
