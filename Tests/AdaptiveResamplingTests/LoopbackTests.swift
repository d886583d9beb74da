// LoopbackTests.swift: the loopback card of the virtual machine, as a follower.
// SPDX-License-Identifier: MIT

import AdaptiveResampling
import ClockSimulation
import Testing

@Suite struct LoopbackTests {
  private func cable(_ rateShift: Int, _ playbackPeriodFrames: Int) -> LoopbackCable {
    LoopbackCable(
      rateShift: rateShift, playbackPeriodFrames: playbackPeriodFrames, capturePeriodFrames: 256,
      seconds: 130)
  }

  /// The reports from 25 s on, with the error of the drift.
  private func reported(
    _ outcome: Outcome, _ scene: Scene
  ) -> (excess: ClosedRange<Double>, drift: ClosedRange<Double>) {
    let later = 25 * 48_000 / 256
    let drift = outcome.driftPartsPerMillion[later...].map { $0 - scene.clock.partsPerMillion }
    return (range(outcome.excessFrames[later...]), range(drift))
  }

  private func range(_ values: some Collection<Double>) -> ClosedRange<Double> {
    (values.min() ?? -1e6) ... (values.max() ?? 1e6)
  }

  @Test(arguments: [100_020, 99_980], Direction.allCases)
  func `the measured rate is within 5 ppm, and the level within 8 frames`(
    _ rateShift: Int, _ direction: Direction
  ) throws {
    var scene = Scene()
    scene.follow(cable(rateShift, 256), rateShift: rateShift)
    let outcome = try scene.run(direction, seconds: 120)
    #expect(outcome.status.underrunCount + outcome.status.overrunCount == 0)
    #expect(outcome.lostFrames == 0)
    let seen = reported(outcome, scene)
    #expect((-8.0 ... 8).contains(seen.excess), "\(seen.excess)")
    #expect((-5.0 ... 5).contains(seen.drift), "\(seen.drift)")
  }

  @Test func `with different periods at both ends, the rate of the card itself varies`() throws {
    let fast = cable(99_980, 1_024)
    let departures = fast.departures
    #expect(departures.upperBound - departures.lowerBound > 40, "\(departures)")
    for steady in [cable(99_980, 256), cable(100_020, 256), cable(100_000, 1_024)] {
      let departures = steady.departures
      #expect(departures.upperBound - departures.lowerBound < 16, "\(departures)")
    }
    // A variation of twenty seconds is too fast for the loop, and too slow for its filter: the fill
    // level shows it.
    var scene = Scene()
    scene.follow(fast, rateShift: 99_980)
    let seen = reported(try scene.capture(seconds: 120), scene)
    #expect(seen.excess.upperBound - seen.excess.lowerBound > 30, "\(seen.excess)")
  }

  @Test func `every tick of an unshifted card has the same length`() {
    let card = cable(100_000, 1_024)
    #expect(card.position(0.003_9) == 0)
    #expect(card.position(0.004) == 192)
    #expect(card.position(100) == 4_800_000)
    // 200 ppm of the position, to a frame or two.
    #expect(abs(cable(100_020, 256).position(100) - 4_799_040) < 16)
    #expect(abs(cable(99_980, 256).position(100) - 4_800_960) < 16)
  }
}
