// BlockClockTests.swift: times and frames with irregular wake-ups. SPDX-License-Identifier: MIT

import GraphTestSupport
import Testing

@testable import RenderGraph

@Suite struct BlockClockTests {
  private static let block = 480
  private static let period: UInt64 = 10_000_000

  @Test func `late wake-ups change it very little`() {
    var clock = BlockClock(sampleRateHz: 48_000)
    var numbers = Numbers(seed: 1)
    var worst = 0.0
    for number in UInt64(0) ..< 4_000 {
      let ideal = 1_000_000_000 + number * Self.period
      clock.begin(now: ideal + UInt64(numbers.next(below: 400_000)), Self.block)
      // The first wake-ups have the least information.
      if number > 600 { worst = max(worst, abs(clock.frames(until: ideal))) }
    }
    // The wake-ups vary by 19 frames.
    #expect(worst < 2, "\(worst) frames")
    #expect(clock.position == 3_999 * 480)
  }

  @Test(arguments: [-300.0, 300])
  func `the clock adapts to a card with another rate`(partsPerMillion: Double) {
    var clock = BlockClock(sampleRateHz: 48_000)
    let period = Double(Self.period) * (1 + partsPerMillion * 1e-6)
    var last = 0.0
    for number in 0 ..< 6_000 {
      let ideal = UInt64(1e9 + Double(number) * period)
      clock.begin(now: ideal, Self.block)
      last = clock.frames(until: ideal)
    }
    // Three microseconds in each block, of which a 128th is corrected.
    #expect(abs(last) < 19, "\(last) frames")
  }

  @Test func `after an interruption it settles again within a few blocks`() {
    var clock = BlockClock(sampleRateHz: 48_000)
    for number in UInt64(0) ..< 100 { clock.begin(now: number * Self.period, Self.block) }
    let gap: UInt64 = 700_000_000
    for number in UInt64(100) ..< 110 {
      clock.begin(now: number * Self.period + gap, Self.block)
    }
    #expect(abs(clock.frames(until: 109 * Self.period + gap)) < 0.01)
  }

  @Test func `one very late wake-up does not change it`() {
    var clock = BlockClock(sampleRateHz: 48_000)
    for number in UInt64(0) ..< 100 { clock.begin(now: number * Self.period, Self.block) }
    clock.begin(now: 100 * Self.period + 9_000_000, Self.block)
    #expect(abs(clock.frames(until: 100 * Self.period)) < 0.01)
    clock.begin(now: 101 * Self.period, Self.block)
    #expect(abs(clock.frames(until: 101 * Self.period)) < 0.01)
  }
}
