// LiveSourceDetectorTests.swift: classification of the source of a pipe. SPDX-License-Identifier: MIT

import Testing

@testable import PipeIO

@Suite struct LiveSourceDetectorTests {
  private static let rateHz = 48_000.0

  /// Bursts of a number of frames, at an interval in seconds.
  private func verdict(
    frames: Int, every seconds: Double, for length: Double, again: Bool = false
  ) -> LiveSourceDetector.SourceKind {
    var judge = LiveSourceDetector(rateHz: Self.rateHz, again: again)
    for index in 0 ... Int(length / seconds) { judge.record(frames, at: Double(index) * seconds) }
    return judge.kind
  }

  /// Whether the source is live in steps of a hundredth of a second, plus the reader's wake-up delay.
  private func isHundredths(_ verdict: LiveSourceDetector.SourceKind) -> Bool {
    guard case .live(let step) = verdict else { return false }
    return 480 ... 720 ~= step
  }

  @Test(arguments: [256, 1_024, 6_000])
  func `a card's bursts are a clock, with steps of their length`(burst: Int) {
    let seconds = Double(burst) / Self.rateHz
    guard case .live(let step) = verdict(frames: burst, every: seconds, for: 1) else {
      Issue.record("not seen as a clock")
      return
    }
    // Plus the reader's wake-up delay.
    #expect(burst ... burst + 240 ~= step)
  }

  @Test func `data in the pipe from before the start do not count as speed`() {
    var judge = LiveSourceDetector(rateHz: Self.rateHz)
    judge.record(16_384, at: 0)
    for index in 1 ... 30 { judge.record(480, at: Double(index) * 0.01) }
    #expect(isHundredths(judge.kind), "\(judge.kind)")
  }

  @Test func `a source that fills all the space can wait`() {
    var judge = LiveSourceDetector(rateHz: Self.rateHz)
    judge.record(4_096, at: 0)
    judge.recordFullPipe()
    #expect(judge.kind == .nonLive)
  }

  @Test func `a program that is faster than real time has no clock`() {
    #expect(verdict(frames: 4_800, every: 0.02, for: 1) == .undecided)
  }

  @Test func `a program that is only slightly faster is recognised at the second check`() {
    #expect(verdict(frames: 1_056, every: 0.02, for: 3, again: true) == .nonLive)
    #expect(verdict(frames: 960, every: 0.02, for: 3, again: true) != .nonLive)
  }

  @Test func `a pause is not a step`() {
    var judge = LiveSourceDetector(rateHz: Self.rateHz)
    judge.record(480, at: 0)
    for index in 0 ... 40 { judge.record(480, at: 5 + Double(index) * 0.01) }
    #expect(isHundredths(judge.kind), "\(judge.kind)")
  }
}
