// TruncationCheckTests.swift: tests of TruncationCheck.swift. SPDX-License-Identifier: MIT

import Testing

@testable import AudioFiles

@Suite struct TruncationCheckTests {
  @Test func `a header that promises more sound than exists is reported with the difference`() {
    let log = "fmt  : 16\ndata : 32768 (should be 2912)\n"
    #expect(TruncationCheck.promisedFrameCount(log, frameCount: 728) == 8192)
    #expect(TruncationCheck.promisedFrameCount("data : 2912\n", frameCount: 728) == nil)
  }

  @Test func `a stream of unknown length does not crash`() {
    let log = "data : 32768 (should be 2912)\n"
    #expect(TruncationCheck.promisedFrameCount(log, frameCount: .max) == nil)
  }
}
