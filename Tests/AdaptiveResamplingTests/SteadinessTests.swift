// SteadinessTests.swift: two clocks in sync for a long time. SPDX-License-Identifier: MIT

import AdaptiveResampling
import ClockSimulation
import Testing

@Suite struct SteadinessTests {
  /// The quality of the signal is measured in the same minute.
  @Test(arguments: Case.all, Direction.allCases)
  func `no frame is lost, the fill level is constant, the drift is measured, and a tone is pure`(
    _ oneCase: Case, _ direction: Direction
  ) throws {
    let (partsPerMillion, hz) = oneCase.isFirst(direction) ? (-500.0, 5_000.0) : (200, 1_000)
    var scene = oneCase.scene(partsPerMillion: partsPerMillion)
    scene.setTone(direction, hz: hz)
    let outcome = try scene.run(direction, seconds: 60)
    #expect(outcome.firstPeriod >= 0 && outcome.firstPeriod < 2_048 / oneCase.blockFrames + 4)
    #expect(outcome.status.underrunCount == 0)
    #expect(outcome.status.overrunCount == 0)
    #expect(outcome.lostFrames == 0)
    #expect(outcome.status.phase == .locked)
    let half = outcome.errorFrames.count / 2
    let fill = outcome.fill(from: half)
    #expect(abs(fill.mean) < oneCase.meanFrames)
    #expect(fill.spread < oneCase.spreadFrames)
    let wrong = outcome.driftPartsPerMillion[half...].map { abs($0 - partsPerMillion) }.max()
    #expect((wrong ?? 1e6) < oneCase.partsPerMillion)
    // Nothing else is above -100 dBFS. The samples are indexed by the device's position.
    let deviceRateHz = 48_000 * (1 + partsPerMillion * 1e-6)
    let found = report(outcome.sound, rateHz: direction == .capture ? 48_000 : deviceRateHz)
    #expect(abs(found.frequencyHz - hz) < 2)
    #expect(found.levelDecibels > -2.5)
    #expect(found.spurDecibels < -100)
    #expect(found.noiseDecibels < -96)
  }

  @Test(arguments: Direction.allCases)
  func `the fill level is unchanged after ten minutes`(_ direction: Direction) throws {
    var scene = Scene()
    scene.clock.partsPerMillion = 200
    scene.clock.stepFrames = 48
    let outcome = try scene.run(direction, seconds: 600)
    #expect(outcome.status.underrunCount + outcome.status.overrunCount == 0)
    #expect(outcome.lostFrames == 0)
    let count = outcome.errorFrames.count
    for tenth in 1 ..< 10 {
      let part = outcome.errorFrames[(count * tenth / 10) ..< (count * (tenth + 1) / 10)]
      #expect(abs(part.reduce(0, +) / Double(part.count)) < 1)
      #expect((part.map(abs).max() ?? 1e6) < 2)
    }
  }

  @Test(arguments: Direction.allCases)
  func `drift correction applies to a varying drift`(_ direction: Direction) throws {
    var scene = Scene()
    scene.clock.partsPerMillion = -200
    scene.clock.swingPartsPerMillion = 5
    scene.clock.swingSeconds = 300
    let outcome = try scene.run(direction, seconds: 400)
    #expect(outcome.status.underrunCount + outcome.status.overrunCount == 0)
    // 5 ppm in 300 s are at most 0.1 ppm a second: 6/T² of that remain as an error.
    let fill = outcome.fill(from: outcome.errorFrames.count / 4)
    #expect(abs(fill.mean) + fill.spread < 1)
  }

  @Test(arguments: Direction.allCases, [0, 1, 47, 300, 1_000, 2_000])
  func `a start works with any amount in the device's buffer`(
    _ direction: Direction, _ initialFrames: Int
  ) throws {
    var scene = Scene()
    scene.initialFrames = initialFrames
    scene.deviceBufferFrames = 4_096
    scene.clock.partsPerMillion = 200
    let outcome = try scene.run(direction, seconds: 2)
    #expect(outcome.status.underrunCount + outcome.status.overrunCount == 0)
    #expect(outcome.lostFrames == 0)
    // Frames that a playback device has buffered beyond the target are played first.
    #expect(outcome.firstPeriod >= 0 && outcome.firstPeriod <= 1 + initialFrames / 256)
    let first = outcome.errorFrames[outcome.firstPeriod...]
    #expect((first.dropFirst().map(abs).max() ?? 1e6) < 12)
  }

  @Test(arguments: Direction.allCases)
  func `a device that pauses for a second resumes at its known drift`(
    _ direction: Direction
  ) throws {
    var scene = Scene()
    scene.clock.partsPerMillion = -500
    scene.clock.stopsAt = 40
    scene.clock.stalledSeconds = 1
    scene.setTone(direction, hz: 0)
    scene.signal = { _ in 0.5 }
    let outcome = try scene.run(direction, seconds: 60)
    // A stopped capture device delivers nothing, and a stopped playback device accepts nothing.
    #expect(outcome.status.underrunCount == (direction == .capture ? 1 : 0))
    #expect(outcome.status.overrunCount == (direction == .capture ? 0 : 1))
    #expect(outcome.lostFrames == 0)
    let back = outcome.driftPartsPerMillion[(42 * 48_000 / 256)...]
    #expect((back.map { abs($0 + 500) }.max() ?? 1e6) < 10)
    // Audio recovers within a tenth of a second after the device.
    let after = outcome.sound[(direction == .capture ? 197 : 193) * 10_000 ..< 198 * 10_000]
    #expect(after.filter { abs($0 - 0.5) < 0.001 }.count > after.count - 6_000)
  }

  @Test(arguments: Direction.allCases)
  func `after a pause of the primary device the follower recovers`(_ direction: Direction) throws {
    var scene = Scene()
    scene.clock.partsPerMillion = 100
    // Relative to the primary device, the device is then a second ahead at once.
    scene.clock.stopsAt = 5
    scene.clock.stalledSeconds = -1
    let outcome = try scene.run(direction, seconds: 10)
    #expect(outcome.lostFrames > 40_000)
    #expect(outcome.status.underrunCount + outcome.status.overrunCount <= 1)
    let last = outcome.errorFrames[(outcome.errorFrames.count - 100)...]
    #expect((last.map(abs).max() ?? 1e6) < 12)
  }
}
