// RangeTests.swift: clocks beyond the range, and cases that only look like it. SPDX-License-Identifier: MIT

import AdaptiveResampling
import ClockSimulation
import Testing

@Suite struct RangeTests {
  @Test(arguments: Case.all, Direction.allCases)
  func `a clock beyond the range is reported within seconds, with its deviation`(
    _ oneCase: Case, _ direction: Direction
  ) throws {
    for partsPerMillion in oneCase.isFirst(direction) ? [-30_000.0, 25_000] : [-25_000, 30_000] {
      let scene = oneCase.scene(partsPerMillion: partsPerMillion)
      let outcome = try scene.run(direction, seconds: 12)
      let measured = outcome.status.unfollowablePartsPerMillion
      // If the position moves in steps, each end of a run is wrong by a part of one of its hundreds of steps.
      let steps = oneCase.hasTimeStamps ? 0 : oneCase.stepFrames
      let tolerance = 50 + 12 * Double(steps)
      #expect(abs(measured - partsPerMillion) < tolerance, "\(measured)")
    }
  }

  @Test(arguments: Case.all, Direction.allCases)
  func `a clock within the range is not reported`(_ oneCase: Case, _ direction: Direction) throws {
    for partsPerMillion in oneCase.isFirst(direction) ? [-17_000.0, 200] : [17_000] {
      let scene = oneCase.scene(partsPerMillion: partsPerMillion)
      let outcome = try scene.run(direction, seconds: 20)
      #expect(outcome.status.unfollowablePartsPerMillion == 0)
    }
  }

  /// At -1 s the primary device stops instead.
  @Test(arguments: Direction.allCases, [-1.0, 1, 3])
  func `a device that stops for a while is not reported as a clock out of range`(
    _ direction: Direction, _ seconds: Double
  ) throws {
    var scene = Scene()
    scene.clock.stopsAt = 9.9
    scene.clock.stalledSeconds = seconds
    let outcome = try scene.run(direction, seconds: 30)
    #expect(outcome.status.unfollowablePartsPerMillion == 0)
  }

  @Test(arguments: Direction.allCases)
  func `a primary device at another rate is not reported as a clock out of range`(
    _ direction: Direction
  )
    throws
  {
    var scene = Scene()
    scene.primaryRateHz = 44_100
    scene.clock.partsPerMillion = 100
    let outcome = try scene.run(direction, seconds: 30)
    #expect(outcome.status.unfollowablePartsPerMillion == 0)
  }
}
