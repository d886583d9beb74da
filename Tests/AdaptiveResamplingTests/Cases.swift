// Cases.swift: how devices report their position, and the accuracy of drift correction.
// SPDX-License-Identifier: MIT

import ClockSimulation
import Glibc

/// Drift correction is the same in both directions.
enum Direction: CaseIterable {
  case capture
  case playback
}

/// A pair of periods and steps, with the allowed errors.
struct Case: Sendable {
  let blockFrames: Int
  let stepFrames: Int
  let hasTimeStamps: Bool
  /// The allowed distance of the mean fill from its target, and of the fill from its mean, in
  /// frames.
  let meanFrames: Double
  let spreadFrames: Double
  /// The allowed error of the reported drift.
  let partsPerMillion: Double

  static let all = [
    Case(64, 1), Case(256, 1), Case(1_024, 1), Case(256, 1, stamps: true),
    Case(64, 480, stamps: true), Case(256, 100, stamps: true), Case(1_024, 192, stamps: true),
    // Without time stamps the position is known only in steps. A slow beat between steps and
    // periods looks like drift.
    Case(64, 48, mean: 1, spread: 2, drift: 3), Case(256, 100, mean: 1, spread: 3, drift: 4),
    Case(1_024, 48, mean: 1, spread: 3, drift: 4), Case(256, 192, mean: 3, spread: 8, drift: 12),
    Case(64, 480, mean: 8, spread: 20, drift: 40),
  ]

  private init(
    _ blockFrames: Int, _ stepFrames: Int, stamps: Bool = false, mean: Double = 0.3,
    spread: Double = 0.3, drift: Double = 1
  ) {
    self.blockFrames = blockFrames
    self.stepFrames = stepFrames
    hasTimeStamps = stamps
    meanFrames = mean
    spreadFrames = spread
    partsPerMillion = drift
  }

  /// Each case has one half of the clocks in one direction and the other half in the other one, alternately.
  func isFirst(_ direction: Direction) -> Bool {
    ((blockFrames == 256) != hasTimeStamps) != (direction == .capture)
  }

  func scene(partsPerMillion: Double) -> Scene {
    var scene = Scene()
    scene.blockFrames = blockFrames
    scene.deviceBufferFrames = 4_096
    scene.clock.stepFrames = stepFrames
    scene.clock.partsPerMillion = partsPerMillion
    scene.hasTimeStamps = hasTimeStamps
    return scene
  }
}

extension Scene {
  func run(_ direction: Direction, seconds: Double) throws -> Outcome {
    direction == .capture ? try capture(seconds: seconds) : try play(seconds: seconds)
  }

  /// A tone whose frequency is exact by the primary device's clock, whichever device generates it.
  mutating func setTone(_ direction: Direction, hz: Double, level: Double = 0.9) {
    let rate =
      direction == .capture
      ? clock.rateHz * (1 + clock.partsPerMillion * 1e-6) : primaryRateHz
    let step = 2 * Double.pi * hz / rate
    signal = { Float(level * sin(step * Double($0))) }
    records = true
  }
}
