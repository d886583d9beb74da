// TruncationTests.swift: tests of Truncation.swift. SPDX-License-Identifier: MIT

import Testing

@testable import AudioFiles

@Suite struct TruncationTests {
  @Test func `a header that promises more than there is tells how much`() {
    let log = "fmt  : 16\ndata : 32768 (should be 2912)\n"
    #expect(Truncation.promisedFrameCount(log, frameCount: 728) == 8192)
    #expect(Truncation.promisedFrameCount("data : 2912\n", frameCount: 728) == nil)
  }

  @Test func `a stream of unknown length with a promise is no crash`() {
    let log = "data : 32768 (should be 2912)\n"
    #expect(Truncation.promisedFrameCount(log, frameCount: .max) == nil)
  }
}
