// WAVStreamHeader.swift: a WAV header for a pipe, whose length is not known yet. SPDX-License-Identifier: MIT

/// The header of a WAV stream, with sizes of 0xFFFFFFFF, which mean "until the end" to other
/// programs.
///
/// If the stream is a file (`> out.wav`), the sizes are written at the end.
struct WAVStreamHeader {
  private let fields: [UInt8]

  init(sampleRateHz: Int, channelCount: Int, format: SampleFormat) {
    let frameBytes = channelCount * format.byteCount
    let isInteger = format.integerBits != nil
    var bytes = Array("RIFF".utf8) + Self.unknown + Array("WAVEfmt ".utf8)
    // Formats other than integers require a two-byte extension size: 0.
    bytes += Self.little(isInteger ? 16 : 18, 4)
    bytes += Self.little(isInteger ? 1 : 3, 2) + Self.little(channelCount, 2)
    bytes += Self.little(sampleRateHz, 4) + Self.little(sampleRateHz * frameBytes, 4)
    bytes += Self.little(frameBytes, 2) + Self.little(format.byteCount * 8, 2)
    if !isInteger { bytes += [0, 0] }
    fields = bytes + Array("data".utf8) + Self.unknown
  }

  /// Puts the header at the start of the stream.
  func write(to output: OutputFile) {
    put(fields, output)
  }

  /// Pads the data to an even length and, in a file, fills in the sizes, if they can be counted.
  func close(_ output: OutputFile, dataByteCount: Int) {
    if dataByteCount % 2 == 1 { put([0], output) }
    let riffByteCount = fields.count - 8 + dataByteCount + dataByteCount % 2
    guard riffByteCount < 0xffff_ffff else { return }
    output.patch(Self.little(riffByteCount, 4), at: 4)
    output.patch(Self.little(dataByteCount, 4), at: fields.count - 4)
  }

  private func put(_ bytes: [UInt8], _ output: OutputFile) {
    unsafe bytes.withUnsafeBytes { raw in
      if let start = raw.baseAddress { _ = unsafe output.put(start, raw.count) }
    }
  }

  private static var unknown: [UInt8] { [0xff, 0xff, 0xff, 0xff] }

  private static func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0 ..< byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
