// QueueClockTests.swift: conversion of the queue's time to the system clock's. SPDX-License-Identifier: MIT

import Testing

@testable import ALSASequencer

@Suite struct QueueClockTests {
  private let second: UInt64 = 1_000_000_000

  @Test func `times survive conversion and back`() {
    var clock = QueueClock()
    clock.synchronize(queue: 5, after: 7 * second)
    #expect(clock.monotonic(queue: second) == 8 * second - 5)
    #expect(clock.queue(monotonic: 8 * second - 5) == second)
    #expect(clock.queue(monotonic: second) == 0)
  }

  @Test func `a late reading does not change an earlier result`() {
    var clock = QueueClock()
    clock.synchronize(queue: 0, after: second)
    // 80 us late, 1 ms later: only the tolerance for drift changes the result.
    clock.synchronize(queue: 920_000, after: second + 1_000_000)
    #expect(clock.monotonic(queue: 0) == second + 100)
  }

  @Test func `the reading with the least delay counts`() {
    var clock = QueueClock()
    clock.synchronize(queue: 900_000, after: second + 1_000_000)
    clock.synchronize(queue: 2_000_000, after: second + 2_000_000)
    #expect(clock.monotonic(queue: 0) == second)
  }

  @Test func `drift correction applies to a slow queue`() {
    var clock = QueueClock()
    // 50 parts in a million for a minute, read once a second.
    for reading in 0 ... 60 {
      let elapsed = UInt64(reading) * second
      clock.synchronize(queue: elapsed - elapsed / 20_000, after: second + elapsed)
    }
    #expect(clock.monotonic(queue: 60 * second - 60 * second / 20_000) == 61 * second)
  }
}
