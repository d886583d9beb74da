// BlockingCallTests.swift: tests of BlockingCall.swift. SPDX-License-Identifier: MIT

import Foundation
import PluginCatalogue
import Testing

@Suite struct `BlockingCall with files` {
  @Test func `a result is returned`() {
    #expect(BlockingCall.wait(seconds: 60) { [1, 2, 3] } == [1, 2, 3])
  }

  @Test func `a call that hangs is abandoned`() {
    let gate = DispatchSemaphore(value: 0)
    let answer = BlockingCall.wait(seconds: 0.05) {
      gate.wait()
      return 1
    }
    #expect(answer == nil)
    gate.signal()
  }
}
