// BusyLoopScheduleTests.swift: a constant load that meets its deadlines. SPDX-License-Identifier: MIT

import Builtins
import Testing

@Suite struct BusyLoopScheduleTests {
  /// Blocks of 48 frames at 48 kHz, a millisecond each.
  private let duration: UInt64 = 1_000_000

  private func schedule(share: Double = 0.5, periodCount: Int = 2) -> BusyLoopSchedule {
    BusyLoopSchedule(sampleRateHz: 48_000, load: share, periodCount: periodCount)
  }

  /// Returns the load of each block that starts at one of these times, in milliseconds.
  private func burnt(_ schedule: BusyLoopSchedule, at times: [Double]) -> [Double] {
    var schedule = schedule
    return times.map { time in
      let now = 1_000_000_000 + UInt64(time * 1e6)
      return Double(schedule.begin(at: now, frameCount: 48) - now) / 1e6
    }
  }

  @Test func `the loop uses a fraction of each block's time`() {
    #expect(burnt(schedule(share: 0.9), at: [0, 1, 2, 3]) == [0.9, 0.9, 0.9, 0.9])
  }

  @Test func `a fraction above 1 counts as 1`() {
    #expect(burnt(schedule(share: 7), at: [0, 1]) == [1, 1])
    #expect(burnt(schedule(share: -1), at: [0, 1]) == [0, 0])
  }

  @Test func `blocks in bursts that meet their deadlines have the full load`() {
    // Three at a time, every three milliseconds, with a buffer of that size.
    let times = (0 ..< 300).map { (index: Int) -> Double in
      Double(index / 3 * 3) + 0.01 * Double(index % 3)
    }
    #expect(burnt(schedule(share: 0.3, periodCount: 4), at: times).allSatisfy { $0 == 0.3 })
  }

  @Test(arguments: [-0.003, 0.003])
  func `a slow or fast clock does not count as late`(drift: Double) {
    let times = (0 ..< 100_000).map { Double($0) * (1 + drift) }
    #expect(burnt(schedule(), at: times).allSatisfy { $0 == 0.5 })
  }

  @Test func `a block that would miss its deadline has load only up to the deadline`() {
    // 0.7 ms late. The other period covers 1 ms.
    let end = burnt(schedule(), at: [0, 1, 2.7])[2]
    #expect(abs(end - 0.3) < 0.006)
  }

  @Test func `after a missed deadline the load pauses, then resumes`() throws {
    // 3 ms are lost, then the device continues.
    let times: [Double] = [0, 1] + (5 ..< 1_005).map { Double($0) }
    let burnt = burnt(schedule(), at: times)
    #expect(burnt[..<2] == [0.5, 0.5])
    #expect(burnt[2] == 0)
    let back = try #require(burnt[2...].firstIndex { $0 > 0 })
    // All but the one millisecond that the buffer covers, at 0.5 %.
    #expect(abs(back - 2 - 400) <= 2, "\(back)")
    #expect(burnt[(back + 200)...].allSatisfy { $0 == 0.5 })
  }

  @Test func `after a burst of late blocks the load continues at once`() {
    // Two milliseconds late, then three blocks without delay: the whole delay is recovered.
    let times = [0, 1, 4, 4.01, 4.02, 5, 6]
    #expect(burnt(schedule(periodCount: 4), at: times).allSatisfy { $0 == 0.5 })
  }

  @Test func `the delay of a block's start is reported`() {
    var schedule = schedule()
    _ = schedule.begin(at: 1_000_000_000, frameCount: 48)
    #expect(schedule.delay == 0)
    _ = schedule.begin(at: 1_001_250_000, frameCount: 48)
    #expect(schedule.delay == 250_000)
    _ = schedule.begin(at: 1_002_000_000, frameCount: 48)
    #expect(schedule.delay == 0)
  }
}
