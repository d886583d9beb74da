// SampleConversionTests.swift: the conversions are exact. SPDX-License-Identifier: MIT

import AudioDriver
import CSamples
import Testing

@testable import ALSADriver

@Suite struct SampleConversionTests {
  private static let floats: [DeviceFormat] = [
    .float, .floatBigEndian, .float64, .float64BigEndian,
  ]
  private static let integers = DeviceFormat.allCases.filter { !floats.contains($0) }

  @Test(arguments: integers.filter { SampleReference($0).bits < 24 })
  func `every code of up to 20 bits converts there and back`(format: DeviceFormat) {
    let reference = SampleReference(format)
    let codes = -reference.scale ..< reference.scale
    var bytes = [UInt8](repeating: 0, count: codes.count * format.byteCount)
    bytes.withUnsafeMutableBytes { bytes in
      for (index, code) in codes.enumerated() { Codes.put(code, index, in: bytes, reference) }
    }
    #expect(roundTrip(bytes, format) == bytes)
  }

  @Test(arguments: integers.filter { SampleReference($0).bits >= 24 })
  func `every 24-bit code converts there and back`(format: DeviceFormat) {
    let reference = SampleReference(format)
    // Runs of 65536 codes that differ in their lower bytes, one run for each upper byte.
    let step = 1 << (reference.bits - 24)
    var bytes = [UInt8](repeating: 0, count: format.byteCount << 16)
    var faults = 0
    bytes.withUnsafeMutableBytes { bytes in
      for low in 0 ..< 1 << 16 { Codes.put(low * step, low, in: bytes, reference) }
    }
    for upper in -128 ..< 128 {
      bytes.withUnsafeMutableBytes { bytes in
        Codes.putUpper(upper << 16 * step, in: bytes, reference)
      }
      if roundTrip(bytes, format) != bytes { faults += 1 }
    }
    #expect(faults == 0)
  }

  @Test(arguments: [
    DeviceFormat.s32, .s32BigEndian, .u32, .u32BigEndian,
  ])
  func `a 32-bit code keeps its upper 24 bits`(format: DeviceFormat) {
    let reference = SampleReference(format)
    for code in [1, -1, 12_345_678, -8_388_608, 16_777_215, 2_147_483_520, -2_147_483_648] {
      let bytes = reference.bytes(ofCode: code)
      #expect(roundTrip(bytes, format) == bytes)
    }
    // 31 bits: rounded to 24, up to the next even one.
    let bytes = reference.bytes(ofCode: 0x4000_0060)
    #expect(roundTrip(bytes, format) == reference.bytes(ofCode: 0x4000_0080))
    #expect(read(reference.bytes(ofCode: 0x7fff_ffff), format) == [1])
  }

  @Test(arguments: floats)
  func `a float in range survives conversion and back bit for bit`(format: DeviceFormat) {
    let samples: [Float] = [0, 1, -1, 0.1, -0.3, 1e-30, .leastNonzeroMagnitude, -0.999_999_94]
    let bytes = samples.flatMap { SampleReference(format).write($0).bytes }
    #expect(roundTrip(bytes, format) == bytes)
    #expect(read(bytes, format).map(\.bitPattern) == samples.map(\.bitPattern))
  }

  @Test(arguments: integers)
  func `full scale is one, and codes are proportional`(format: DeviceFormat) {
    let reference = SampleReference(format)
    let codes = [reference.scale / 2, -reference.scale, -1, 0]
    let expected = [0.5, -1, Float(-1 / Double(reference.scale)), 0]
    #expect(read(codes.flatMap(reference.bytes(ofCode:)), format) == expected)
  }

  @Test func `the byte order is that of the format's name`() {
    #expect(write([-0.5], .s8).bytes == [0xc0])
    #expect(write([-0.5], .u8).bytes == [0x40])
    #expect(write([-0.5], .s16).bytes == [0x00, 0xc0])
    #expect(write([-0.5], .u16BigEndian).bytes == [0x40, 0x00])
    #expect(write([-0.5], .s18Packed).bytes == [0x00, 0x00, 0xff])
    #expect(write([-0.5], .s20PackedBigEndian).bytes == [0xfc, 0x00, 0x00])
    #expect(write([-0.5], .s20).bytes == [0x00, 0x00, 0xfc, 0xff])
    #expect(write([-0.5], .s24).bytes == [0x00, 0x00, 0xc0, 0xff])
    #expect(write([-0.5], .u32BigEndian).bytes == [0x40, 0x00, 0x00, 0x00])
    #expect(write([-0.5], .float).bytes == [0x00, 0x00, 0x00, 0xbf])
    #expect(write([-0.5], .float64BigEndian).bytes == [0xbf, 0xe0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `bits above a code are ignored`() {
    #expect(read([0x00, 0x00, 0x40, 0x7f], .s24) == [0.5])
    #expect(read([0x00, 0x00, 0xc0, 0x00], .s24) == [-0.5])
    #expect(read([0x7f, 0x40, 0x00, 0x00], .s24BigEndian) == [0.5])
    #expect(read([0x00, 0x00, 0xf4], .s20Packed) == [0.5])
    #expect(read([0x0c, 0x00, 0x00], .s20PackedBigEndian) == [-0.5])
    #expect(read([0x00, 0x00, 0xf4, 0xff], .s20) == [0.5])
  }

  @Test(arguments: DeviceFormat.allCases)
  func `samples out of range are clipped and counted`(format: DeviceFormat) {
    let reference = SampleReference(format)
    let result = write([1.5, -1.5, .infinity, -.infinity, 1e30, 0.25, -1], format)
    let expected: [[UInt8]]
    if reference.isFloat {
      expected = [1, -1, 1, -1, 1, 0.25, -1].map { reference.write($0).bytes }
    } else {
      let (highest, lowest) = (reference.scale - 1, -reference.scale)
      let codes = [highest, lowest, highest, lowest, highest, reference.scale / 4, lowest]
      expected = codes.map(reference.bytes(ofCode:))
    }
    #expect(result.bytes == expected.flatMap { $0 })
    #expect(result.clipped == 5)
  }

  @Test func `the value one is out of range for an integer and in range for a float`() {
    #expect(write([1], .s16).clipped == 1)
    #expect(write([1], .s16).bytes == [0xff, 0x7f])
    #expect(write([1], .float).clipped == 0)
    #expect(write([32_767.0 / 32_768], .s16).clipped == 0)
  }

  @Test(arguments: DeviceFormat.allCases)
  func `a sample that is not finite becomes silence, and is not counted`(format: DeviceFormat) {
    let result = write([.nan, -.nan, .signalingNaN], format)
    let silence = SampleReference(format).write(0).bytes
    #expect(result.bytes == silence + silence + silence)
    #expect(result.clipped == 0)
  }

  @Test func `values round to the nearest code, halves to even`() {
    let steps: [Float] = [0.4, 0.5, 0.6, 1.5, 2.5, -0.5, -0.6, -1.5, -32_768.4]
    let result = write(steps.map { $0 / 32_768 }, .s16)
    let codes = stride(from: 0, to: result.bytes.count, by: 2).map { index in
      Int16(bitPattern: UInt16(result.bytes[index]) | UInt16(result.bytes[index + 1]) << 8)
    }
    #expect(codes == [0, 0, 1, 2, 2, 0, -1, -2, -32_768])
    #expect(result.clipped == 0)
  }

  @Test(arguments: DeviceFormat.allCases, [1, 2, 3, 10])
  func `a channel is read and written without changing its neighbours`(
    format: DeviceFormat, channelCount: Int
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

  @Test(arguments: DeviceFormat.allCases, [1, 3])
  func `silence is written to a single channel`(format: DeviceFormat, channelCount: Int) {
    let width = format.byteCount
    var frames = [UInt8](repeating: 0xa5, count: 5 * width * channelCount)
    csamples_silence(format.code, &frames, UInt32(width * channelCount), 5)
    let silence = SampleReference(format).write(0).bytes
    let neighbours = [UInt8](repeating: 0xa5, count: width * (channelCount - 1))
    #expect(frames == (0 ..< 5).flatMap { _ in silence + neighbours })
  }

  // MARK: - Helpers

  private func read(_ bytes: [UInt8], _ format: DeviceFormat) -> [Float] {
    let count = bytes.count / format.byteCount
    var samples = [Float](repeating: .nan, count: count)
    csamples_read(format.code, bytes, UInt32(format.byteCount), &samples, UInt32(count))
    return samples
  }

  private func write(
    _ samples: [Float], _ format: DeviceFormat
  ) -> (bytes: [UInt8], clipped: Int) {
    var bytes = [UInt8](repeating: 0x5a, count: samples.count * format.byteCount)
    let clipped = csamples_write(
      format.code, samples, &bytes, UInt32(format.byteCount), UInt32(samples.count))
    return (bytes, Int(clipped))
  }

  private func roundTrip(_ bytes: [UInt8], _ format: DeviceFormat) -> [UInt8] {
    let result = write(read(bytes, format), format)
    return result.clipped == 0 ? result.bytes : []
  }
}

/// Writes codes one after the other, quickly.
enum Codes {
  /// Writes the bytes of a code at the position of the sample `index`.
  static func put(
    _ code: Int, _ index: Int, in bytes: UnsafeMutableRawBufferPointer,
    _ reference: SampleReference
  ) {
    let width = reference.byteCount
    let word = reference.isUnsigned ? code &+ reference.scale : code
    for byte in 0 ..< width {
      let place = reference.isBigEndian ? width &- 1 &- byte : byte
      bytes[index &* width &+ place] = UInt8(truncatingIfNeeded: word &>> (8 &* byte))
    }
  }

  /// Sets the bits above the lower 16 bits of all samples to those of `code`.
  static func putUpper(
    _ code: Int, in bytes: UnsafeMutableRawBufferPointer, _ reference: SampleReference
  ) {
    let width = reference.byteCount
    let sample = reference.bytes(ofCode: code)
    let lowest = (reference.bits - 24) / 8 + 2
    for byte in lowest ..< width {
      let place = reference.isBigEndian ? width - 1 - byte : byte
      let value = sample[place]
      var start = place
      while start < bytes.count {
        bytes[start] = value
        start &+= width
      }
    }
  }
}
