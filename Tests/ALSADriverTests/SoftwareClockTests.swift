// SoftwareClockTests.swift: devices that accept any amount of frames have no clock. SPDX-License-Identifier: MIT

import Testing

@testable import ALSADriver

@Suite struct SoftwareClockTests {
  private func clock(isKnown: Bool = false) -> SoftwareClock {
    SoftwareClock(rateHz: 48_000, bufferFrames: 768, isKnown: isKnown)
  }

  @Test func `a device that accepts everything at once is detected`() {
    var clock = clock()
    var count = 0
    while !clock.clocksGraph {
      clock.record(256, at: 1_000_000 + UInt64(count))
      count += 1
      guard count < 100_000 else { break }
    }
    // Half a minute, and four buffers.
    #expect(count * 256 > 1_440_000 && count * 256 < 1_444_000)
    clock.recordWait()
    #expect(!clock.clocksGraph)
  }

  @Test(arguments: [-0.02, 0, 0.02])
  func `a device with a clock is still detected after days, at any rate`(error: Double) {
    var clock = clock()
    let period = 256 / 48_000 * 1e9 * (1 - error)
    // A server delivers ten seconds that it has buffered.
    for _ in 0 ..< 1_875 { clock.record(256, at: 1) }
    for count in 1 ... 1_000_000 { clock.record(256, at: 1 + UInt64(Double(count) * period)) }
    #expect(!clock.clocksGraph)
  }

  @Test func `the clock of a known device is due after its moved frames`() {
    var clock = clock(isKnown: true)
    #expect(clock.clocksGraph && !clock.hasBegun)
    clock.record(480, at: 5_000_000)
    #expect(clock.due == 15_000_000)
    clock.record(480, at: 15_000_000)
    #expect(clock.due == 25_000_000)
    clock.skip(to: 90_000_000)
    clock.recordWait()
    #expect(clock.clocksGraph && clock.due == 90_000_000)
  }
}
