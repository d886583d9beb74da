// LinkReportTests.swift: tests of LinkReport.swift. SPDX-License-Identifier: MIT

import MIDIClock
import TestRandom
import Testing

@Suite struct `A line of outboard-link` {
  static let now: UInt64 = 18_787_000_000_000

  @Test func `has time, position, tempo, state, last change and peers`() throws {
    let report = try #require(
      LinkReport("state 18786536885000 -0.073100 128.3000 1 18786083864000 2", at: Self.now))
    #expect(report.time == 18_786_536_885_000)
    #expect(report.quarters == -0.0731)
    #expect(report.quartersPerMinute == 128.3)
    #expect(report.isPlaying)
    #expect(report.changeTime == 18_786_083_864_000)
    #expect(report.peerCount == 2)
  }

  @Test(arguments: [
    "", " ", "state", "state 18786536885000 1 120 1 18786083864000",
    "state 18786536885000 1 120 1 18786083864000 0 0", "states 18786536885000 1 120 1 1 0",
    "state 18786536885000 1 120 1 1 0x", "state\t18786536885000 1 120 1 1 0",
    "State 18786536885000 1 120 1 1 0",
    // Not numbers, and out of range.
    "state 18786536885000 1 nan 1 1 0", "state 18786536885000 nan 120 1 1 0",
    "state 18786536885000 1 inf 1 1 0", "state 18786536885000 -inf 120 1 1 0",
    "state 18786536885000 1e300 120 1 1 0", "state 18786536885000 1 0 1 1 0",
    "state 18786536885000 1 -120 1 1 0", "state 18786536885000 1 1000 1 1 0",
    "state 18786536885000 1 120 2 1 0", "state 18786536885000 1 120 yes 1 0",
    "state 18786536885000 1 120 1 1 -1", "state 18786536885000 1 120 1 1 1e9",
    // Times that are too old, too early or no times.
    "state 18776000000000 1 120 1 1 0", "state 18798000000000 1 120 1 1 0",
    "state -1 1 120 1 1 0", "state 1.5 1 120 1 1 0", "state 18446744073709551615 1 120 1 1 0",
    "state 18786536885000 1 120 1 19788000000000 0",
    "state 18786536885000 1 120 1 18446744073709551615 0",
    "state 99999999999999999999999 1 120 1 1 0",
    "state 18786536885000 1.\(String(repeating: "0", count: 100)) 120 1 1 0",
  ])
  func `is refused if it is anything else`(line: String) {
    #expect(LinkReport(line, at: Self.now)?.time == nil)
  }

  @Test func `that is damaged is refused or has values in range`() {
    let line = Array("state 18786536885000 17.503870 100.0000 1 18785081792000 0".utf8)
    for seed in 1 ... 5_000 {
      var random = Random(seed: UInt64(seed))
      var damaged = line
      for _ in 0 ..< Int.random(in: 1 ... 4, using: &random) {
        let place = Int.random(in: 0 ..< damaged.count, using: &random)
        switch Int.random(in: 0 ..< 3, using: &random) {
        case 0: damaged.remove(at: place)
        case 1: damaged[place] = UInt8.random(in: 0 ... 255, using: &random)
        default: damaged.insert(UInt8.random(in: 32 ... 126, using: &random), at: place)
        }
      }
      guard let report = LinkReport(String(decoding: damaged, as: UTF8.self), at: Self.now) else {
        continue
      }
      #expect(1 ... 999 ~= report.quartersPerMinute && report.quarters.isFinite)
      #expect(abs(Int64(report.time) - Int64(Self.now)) <= 10_000_000_000)
    }
  }
}
