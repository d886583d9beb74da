// SampleConversionTests.swift: the conversions are exact. SPDX-License-Identifier: MIT

import CSamples
import Testing

@testable import ALSADriver

@Suite struct SampleConversionTests {
  @Test(arguments: [SampleFormat.s16, .s16BigEndian])
  func `every 16-bit code comes back as itself`(format: SampleFormat) {
    let bytes = (0 ..< 1 << 16).flatMap { Codes.bytes(of: UInt32($0) << 16, in: format) }
    #expect(roundTrip(bytes, format) == bytes)
  }

  @Test(arguments: [
    SampleFormat.s24Packed, .s24PackedBigEndian, .s24, .s24BigEndian, .s32, .s32BigEndian,
  ])
  func `every 24-bit code comes back as itself`(format: SampleFormat) {
    // Runs of 65536 codes, one for each upper byte.
    let width = format.byteCount
    var faults = 0
    var codes = [UInt8](repeating: 0, count: width << 16)
    for upper in 0 ..< UInt32(256) {
      codes.withUnsafeMutableBytes { bytes in
        Codes.fill(bytes, upper: upper, format)
      }
      if roundTrip(codes, format) != codes { faults += 1 }
    }
    #expect(faults == 0)
  }

  @Test(arguments: [SampleFormat.float, .floatBigEndian])
  func `a float in range comes back to the bit`(format: SampleFormat) {
    let samples: [Float] = [0, 1, -1, 0.1, -0.3, 1e-30, .leastNonzeroMagnitude, -0.999_999_94]
    let bytes = samples.flatMap { Codes.bytes(of: $0.bitPattern, in: format) }
    #expect(roundTrip(bytes, format) == bytes)
    #expect(read(bytes, format).map(\.bitPattern) == samples.map(\.bitPattern))
  }

  @Test(arguments: [
    (SampleFormat.s16, 32_768.0), (.s24Packed, 8_388_608), (.s24, 8_388_608),
    (.s32, 2_147_483_648), (.s16BigEndian, 32_768), (.s24PackedBigEndian, 8_388_608),
    (.s24BigEndian, 8_388_608), (.s32BigEndian, 2_147_483_648),
  ])
  func `full scale is one, and a code is its share of it`(format: SampleFormat, scale: Double) {
    let halfScale = Codes.bytes(of: 0x4000_0000, in: format)
    let lowest = Codes.bytes(of: 0x8000_0000, in: format)
    let minusOne = Codes.bytes(of: 0xffff_ffff, in: format)
    #expect(read(halfScale + lowest, format) == [0.5, -1])
    #expect(read(minusOne, format) == [Float(-1 / scale)])
  }

  @Test func `the upper byte of a 24-bit sample in four is not trusted`() {
    #expect(read([0x00, 0x00, 0x40, 0x7f], .s24) == [0.5])
    #expect(read([0x00, 0x00, 0xc0, 0x00], .s24) == [-0.5])
    #expect(read([0x7f, 0x40, 0x00, 0x00], .s24BigEndian) == [0.5])
  }

  @Test func `a 24-bit sample in four is written with its sign in the upper byte`() {
    #expect(write([-0.5], .s24).bytes == [0x00, 0x00, 0xc0, 0xff])
  }

  @Test(arguments: SampleFormat.allCases)
  func `what is out of range is clipped and counted`(format: SampleFormat) {
    let result = write([1.5, -1.5, .infinity, -.infinity, 1e30, 0.25, -1], format)
    let isFloat = format == .float || format == .floatBigEndian
    let highest = isFloat ? Float(1).bitPattern : 0x7fff_ffff
    let lowest = isFloat ? Float(-1).bitPattern : 0x8000_0000
    let quarter = isFloat ? Float(0.25).bitPattern : 0x2000_0000
    let expected = [highest, lowest, highest, lowest, highest, quarter, lowest]
    #expect(result.bytes == expected.flatMap { Codes.bytes(of: $0, in: format) })
    #expect(result.clipped == 5)
  }

  @Test func `one is out of an integer's range, and in a float's`() {
    #expect(write([1], .s16).clipped == 1)
    #expect(write([1], .s16).bytes == [0xff, 0x7f])
    #expect(write([1], .float).clipped == 0)
    #expect(write([32_767.0 / 32_768], .s16).clipped == 0)
  }

  @Test(arguments: SampleFormat.allCases)
  func `what is not a number becomes silence, uncounted`(format: SampleFormat) {
    let result = write([.nan, -.nan, .signalingNaN], format)
    #expect(result.bytes == [UInt8](repeating: 0, count: 3 * format.byteCount))
    #expect(result.clipped == 0)
  }

  @Test func `between two codes the nearer is taken, and of a half the even one`() {
    let steps: [Float] = [0.4, 0.5, 0.6, 1.5, 2.5, -0.5, -0.6, -1.5, -32_768.4]
    let result = write(steps.map { $0 / 32_768 }, .s16)
    let codes = stride(from: 0, to: result.bytes.count, by: 2).map { index in
      Int16(bitPattern: UInt16(result.bytes[index]) | UInt16(result.bytes[index + 1]) << 8)
    }
    #expect(codes == [0, 0, 1, 2, 2, 0, -1, -2, -32_768])
    #expect(result.clipped == 0)
  }

  @Test(arguments: SampleFormat.allCases, [1, 2, 3, 10])
  func `a channel is read and written without touching its neighbours`(
    format: SampleFormat, channelCount: Int
  ) {
    let width = format.byteCount
    let stride = UInt32(width * channelCount)
    let samples: [Float] = (0 ..< 37).map { Float($0 - 18) / 32 }
    var frames = [UInt8](repeating: 0xa5, count: samples.count * Int(stride))
    let first = width * (channelCount - 1)
    frames.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      _ = csamples_write(format.code, samples, base + first, stride, 37)
    }
    var back = [Float](repeating: 9, count: samples.count)
    frames.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      csamples_read(format.code, base + first, stride, &back, 37)
    }
    #expect(back == samples)
    let neighbours = frames.indices.filter { $0 % Int(stride) < first }
    #expect(neighbours.allSatisfy { frames[$0] == 0xa5 })
  }

  @Test(arguments: SampleFormat.allCases, [1, 3])
  func `silence is written to one channel alone`(format: SampleFormat, channelCount: Int) {
    let width = format.byteCount
    var frames = [UInt8](repeating: 0xa5, count: 5 * width * channelCount)
    csamples_silence(format.code, &frames, UInt32(width * channelCount), 5)
    for index in frames.indices {
      #expect(frames[index] == (index % (width * channelCount) < width ? 0 : 0xa5))
    }
  }

  // MARK: - Helpers

  private func read(_ bytes: [UInt8], _ format: SampleFormat) -> [Float] {
    let count = bytes.count / format.byteCount
    var samples = [Float](repeating: .nan, count: count)
    csamples_read(format.code, bytes, UInt32(format.byteCount), &samples, UInt32(count))
    return samples
  }

  private func write(
    _ samples: [Float], _ format: SampleFormat
  ) -> (bytes: [UInt8], clipped: Int) {
    var bytes = [UInt8](repeating: 0x5a, count: samples.count * format.byteCount)
    let clipped = csamples_write(
      format.code, samples, &bytes, UInt32(format.byteCount), UInt32(samples.count))
    return (bytes, Int(clipped))
  }

  private func roundTrip(_ bytes: [UInt8], _ format: SampleFormat) -> [UInt8] {
    let result = write(read(bytes, format), format)
    return result.clipped == 0 ? result.bytes : []
  }
}

/// Codes laid out by hand, independently of what is tested.
enum Codes {
  /// The bytes of a sample whose 32-bit code is `word`; narrower formats take its upper bits.
  static func bytes(of word: UInt32, in format: SampleFormat) -> [UInt8] {
    let all = (0 ..< 4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    let sign: UInt8 = word >> 31 == 1 ? 0xff : 0
    let bigEndian: [UInt8]
    switch format {
    case .s16, .s16BigEndian: bigEndian = Array(all[..<2])
    case .s24Packed, .s24PackedBigEndian: bigEndian = Array(all[..<3])
    case .s24, .s24BigEndian: bigEndian = [sign] + all[..<3]
    default: bigEndian = all
    }
    return isBigEndian(format) ? bigEndian : bigEndian.reversed()
  }

  /// Fills `bytes` with the 65536 codes of 24 bits that begin with the byte `upper`.
  static func fill(_ bytes: UnsafeMutableRawBufferPointer, upper: UInt32, _ format: SampleFormat) {
    let width = format.byteCount
    let sample = Codes.bytes(of: upper << 24, in: format)
    // The places of the middle and the lower byte of the 24 bits.
    let lowEnd = format == .s32 || format == .s32BigEndian ? 1 : 0
    let low = isBigEndian(format) ? width - 1 - lowEnd : lowEnd
    let middle = isBigEndian(format) ? low - 1 : low + 1
    for code in 0 ..< 1 << 16 {
      let start = code &* width
      for index in 0 ..< width { bytes[start &+ index] = sample[index] }
      bytes[start &+ low] = UInt8(truncatingIfNeeded: code)
      bytes[start &+ middle] = UInt8(truncatingIfNeeded: code &>> 8)
    }
  }

  private static func isBigEndian(_ format: SampleFormat) -> Bool {
    format.rawValue.hasSuffix("_BE")
  }
}
