// BlockingCallTests.swift: tests of BlockingCall.swift. SPDX-License-Identifier: MIT

import Foundation
import PluginCatalogue
import Testing

@Suite struct `BlockingCall with files` {
  @Test func `what answers is handed on`() {
    #expect(BlockingCall.wait(seconds: 60) { [1, 2, 3] } == [1, 2, 3])
  }

  @Test func `what does not answer is left behind`() {
    let gate = DispatchSemaphore(value: 0)
    let answer = BlockingCall.wait(seconds: 0.05) {
      gate.wait()
      return 1
    }
    #expect(answer == nil)
    gate.signal()
  }
}
