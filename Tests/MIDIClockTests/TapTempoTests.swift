// TapTempoTests.swift: tests of TapTempo.swift. SPDX-License-Identifier: MIT

import MIDIClock
import Testing

@Suite struct `The tempo of taps` {
  /// Taps at distances in ms, and returns the last tempo.
  private func tempo(_ distances: [Int]) -> Double? {
    var taps = TapTempo()
    var time: UInt64 = 7_000_000_000
    var last = taps.tap(at: time)
    for distance in distances {
      time += UInt64(distance) * 1_000_000
      last = taps.tap(at: time)
    }
    return last
  }

  @Test func `needs two taps`() {
    #expect(tempo([]) == nil)
    #expect(tempo([500]) == 120)
  }

  @Test func `is the mean of the last eight distances`() {
    #expect(tempo([700, 490, 510, 495, 505, 500, 500, 488, 512]) == 120)
  }

  @Test func `ignores a late tap and the early one after it`() {
    let result = tempo([500, 500, 500, 720, 280, 500, 500])
    #expect(result == 120)
  }

  @Test func `a tap that does not fit has no effect`() {
    #expect(tempo([500, 500, 500, 720]) == nil)
  }

  @Test func `a missed tap counts as two beats`() {
    #expect(tempo([500, 500, 1_000, 500]) == 120)
  }

  @Test func `two distances that agree begin a new series`() {
    #expect(tempo([500, 500, 500, 800, 800]) == 75)
    #expect(tempo([500, 500, 500, 1_000, 1_000]) == 60)
    #expect(tempo([1_000, 1_000, 500, 500]) == 120)
  }

  @Test func `a pause begins a new series`() {
    #expect(tempo([500, 500, 2_001]) == nil)
    #expect(tempo([500, 500, 2_001, 600]) == 100)
  }

  @Test func `a bounce of the switch is no tap`() {
    #expect(tempo([500, 20, 480, 500]) == 120)
  }

  @Test func `a clock that goes back begins a new series`() {
    var taps = TapTempo()
    #expect(taps.tap(at: 5_000_000_000) == nil)
    #expect(taps.tap(at: 4_000_000_000) == nil)
    #expect(taps.tap(at: 4_500_000_000) == 120)
  }

  @Test func `is within 30 and 400`() {
    #expect(tempo([2_000]) == 30)
    #expect(tempo([150, 150]) == 400)
  }
}
