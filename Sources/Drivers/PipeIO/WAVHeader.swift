// WAVHeader.swift: parses the header of a WAV stream. SPDX-License-Identifier: MIT

import AudioDriver
import AudioFiles

/// The header before the samples of a WAV stream.
///
/// RIFF and RF64, with WAVE_FORMAT_PCM, _IEEE_FLOAT and _EXTENSIBLE. A writer to a pipe does not
/// know the length and writes 0, about 0x7FFFFFFF, or 0xFFFFFFFF. All of these mean "until the
/// end".
struct WAVHeader {
  /// The sample format.
  let format: PipeFormat
  /// The number of bytes of samples, if the header contains it.
  let dataByteCount: Int?

  /// Sizes from here on mean "unknown".
  private static let unknownByteCount = 0x7fff_0000
  /// The maximum size of a chunk before the samples, in bytes.
  private static let longestChunk = 1 << 26

  /// Parses a header up to the first sample; `magic` has its first 12 bytes, `next` returns exactly
  /// the requested number of further bytes or throws.
  init(
    magic: [UInt8], next: (Int) throws(PipeError) -> [UInt8]
  ) throws(PipeError) {
    guard StreamTrailer.isWAV(magic) else { throw .notWave(beginning: Self.shown(magic)) }
    var format: PipeFormat?
    var longData: Int?
    while true {
      let head = try next(8)
      let size = Self.number(head[4...])
      let name = String(decoding: head[..<4], as: UTF8.self)
      if name == "data" {
        guard let format else { throw .impossible(what: "nothing about its samples") }
        self.format = format
        let isUnknown = size == 0 || size >= Self.unknownByteCount
        // A length of 0 without audio is detected at the end of the stream.
        dataByteCount = isUnknown ? longData : size
        return
      }
      guard size <= Self.longestChunk else { throw .impossible(what: "a chunk of \(size) bytes") }
      // Chunks have even lengths.
      let body = try next(size + size % 2)
      if name == "fmt " { format = try Self.format(body) }
      if name == "ds64", body.count >= 16 {
        let count = Self.number(body[8 ..< 16])
        longData = count > 0 && count < Int.max / 2 ? count : nil
      }
    }
  }

  /// Returns whether a file that ends within its first bytes may have been a WAV file.
  static func couldBeWAV(_ magic: [UInt8]) -> Bool {
    ["RIFF", "RF64"].contains { $0.utf8.starts(with: magic.prefix(4)) }
  }

  private static func format(_ body: [UInt8]) throws(PipeError) -> PipeFormat {
    guard body.count >= 16 else { throw .impossible(what: "a format of \(body.count) bytes") }
    var tag = number(body[0 ..< 2])
    // The format is in the first two bytes of the longer identifier.
    if tag == 0xfffe, body.count >= 26 { tag = number(body[24 ..< 26]) }
    let (channels, rate) = (number(body[2 ..< 4]), number(body[4 ..< 8]))
    let (frameBytes, bits) = (number(body[12 ..< 14]), number(body[14 ..< 16]))
    guard let kind = kind(tag, bits: bits) else {
      throw .impossible(what: "samples of kind \(tag) with \(bits) bits")
    }
    guard PipeFormat.rates ~= rate else { throw .impossible(what: "a rate of \(rate) Hz") }
    guard PipeFormat.channelCounts ~= channels else {
      throw .impossible(what: "\(channels) channels")
    }
    let format = PipeFormat(sampleRateHz: rate, channelCount: channels, format: kind)
    guard frameBytes == format.frameByteCount else {
      throw .impossible(
        what: "frames of \(frameBytes) bytes with \(channels) samples of \(bits) bits")
    }
    return format
  }

  private static func kind(_ tag: Int, bits: Int) -> DeviceFormat? {
    switch (tag, bits) {
    case (1, 8): .u8
    case (1, 16): .s16
    case (1, 24): .s24Packed
    case (1, 32): .s32
    case (3, 32): .float
    case (3, 64): .float64
    default: nil
    }
  }

  /// Returns a little-endian number; a number that does not fit counts as unknown.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    var value: UInt64 = 0
    for byte in bytes.reversed() { value = value << 8 | UInt64(byte) }
    return Int(clamping: value)
  }

  /// Returns a readable form of the beginning: `"fLaC"`, or numbers.
  static func shown(_ magic: [UInt8]) -> String {
    let first = magic.prefix(4)
    return first.allSatisfy { 0x20 ... 0x7e ~= $0 }
      ? "\"\(String(decoding: first, as: UTF8.self))\""
      : first.map { "0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
