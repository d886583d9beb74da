// SampleReferenceTests.swift: sample conversion compared with a slow reference. SPDX-License-Identifier: MIT

import AudioDriver
import CSamples
import Glibc
import Testing

@testable import ALSADriver

/// Every format, at any address, with any stride and any count, with narrow and with wide vectors.
@Suite(.serialized) struct SampleReferenceTests {
  private static let counts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 31, 63, 255, 256, 257, 700]

  private static func strides(_ byteCount: Int) -> [Int] {
    [byteCount, byteCount + 1, 2 * byteCount, 3 * byteCount + 5, 18 * byteCount]
  }

  @Test(arguments: DeviceFormat.allCases, [false, true])
  func `any bytes are read like the reference computation`(format: DeviceFormat, narrow: Bool) {
    csamples_narrow(narrow ? 1 : 0)
    defer { csamples_narrow(0) }
    let reference = SampleReference(format)
    var source = SampleSource(seed: 1)
    for stride in Self.strides(format.byteCount) {
      for (index, count) in Self.counts.enumerated() {
        let start = index % 5
        let bytes = source.bytes(start + count * stride + format.byteCount)
        var samples = [Float](repeating: 9, count: count + 1)
        bytes.withUnsafeBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          csamples_read(format.code, base + start, UInt32(stride), &samples, UInt32(count))
        }
        let wrong = (0 ..< count).first { index in
          let place = start + index * stride
          let expected = reference.read(bytes[place ..< place + format.byteCount])
          return samples[index] != expected && !(samples[index].isNaN && expected.isNaN)
        }
        #expect(wrong == nil, "stride \(stride), count \(count), start \(start)")
        #expect(samples[count] == 9)
      }
    }
  }

  @Test(arguments: DeviceFormat.allCases, [false, true])
  func `any samples are written like the reference computation, and no other byte changes`(
    format: DeviceFormat, narrow: Bool
  ) {
    csamples_narrow(narrow ? 1 : 0)
    defer { csamples_narrow(0) }
    let reference = SampleReference(format)
    let scale = Double(reference.isFloat ? 1 : reference.scale)
    var source = SampleSource(seed: 2)
    for stride in Self.strides(format.byteCount) {
      for (index, count) in Self.counts.enumerated() {
        let start = index % 5
        let samples =
          index % 3 == 0 ? source.sound(count + 1) : source.hard(count + 1, scale: scale)
        var written = source.bytes(start + count * stride + 20)
        var expected = written
        var expectedClipped: UInt32 = 0
        for index in 0 ..< count {
          let (bytes, isClipped) = reference.write(samples[index])
          let place = start + index * stride
          expected.replaceSubrange(place ..< place + bytes.count, with: bytes)
          if isClipped { expectedClipped += 1 }
        }
        var clipped: UInt32 = 0
        written.withUnsafeMutableBytes { bytes in
          guard let base = bytes.baseAddress else { return }
          clipped = csamples_write(
            format.code, samples, base + start, UInt32(stride), UInt32(count))
        }
        #expect(written == expected, "stride \(stride), count \(count), start \(start)")
        #expect(clipped == expectedClipped, "stride \(stride), count \(count)")
      }
    }
  }

  @Test(arguments: DeviceFormat.allCases, [false, true])
  func `no byte after the last sample is read or written`(format: DeviceFormat, narrow: Bool) {
    csamples_narrow(narrow ? 1 : 0)
    defer { csamples_narrow(0) }
    // The next page is not accessible: touching it ends the test process.
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let pages = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED, mprotect(pages + page, page, PROT_NONE) == 0 else {
      Issue.record("no page can be protected")
      return
    }
    defer { munmap(pages, 2 * page) }
    for stride in [format.byteCount, 3 * format.byteCount] {
      for count in 1 ... 40 {
        let bytes = (count - 1) * stride + format.byteCount
        let first = pages + (page - bytes)
        var samples = [Float](repeating: 0.5, count: count)
        _ = csamples_write(format.code, samples, first, UInt32(stride), UInt32(count))
        csamples_read(format.code, first, UInt32(stride), &samples, UInt32(count))
        #expect(samples.allSatisfy { $0 == 0.5 })
        csamples_silence(format.code, first, UInt32(stride), UInt32(count))
      }
    }
  }
}
