// DelayLockedLoopTests.swift: only the loop, with an ideal buffer. SPDX-License-Identifier: MIT

import AdaptiveResampling
import Testing

/// A buffer that a device fills at its drift and the loop empties.
private struct Plant {
  var loop = DelayLockedLoop(rateHz: 48_000, reopeningFrames: 20)
  var error = 0.0
  var partsPerMillion = 0.0

  mutating func run(seconds: Double, jitter: () -> Double = { 0 }) {
    let period = 0.005
    for _ in 0 ..< Int(seconds / period) {
      let correction = loop.update(errorFrames: error + jitter(), elapsedSeconds: period)
      error += 48_000 * period * (partsPerMillion * 1e-6 - correction)
    }
  }
}

@Suite struct DelayLockedLoopTests {
  @Test(arguments: [-15_000.0, -500, 0, 3, 500, 15_000])
  func `a constant drift is found exactly, and the error becomes zero`(_ partsPerMillion: Double) {
    var plant = Plant()
    plant.partsPerMillion = partsPerMillion
    plant.run(seconds: 20)
    #expect(plant.loop.isSettled)
    plant.run(seconds: 280)
    #expect(abs(plant.loop.driftPartsPerMillion - partsPerMillion) < 0.01)
    #expect(abs(plant.error) < 0.01)
  }

  @Test func `the correction never exceeds 2 %`() {
    var plant = Plant()
    plant.partsPerMillion = 100_000
    plant.run(seconds: 10)
    #expect(plant.loop.correction == DelayLockedLoop.correctionLimit)
    #expect(plant.loop.isSettled == false)
    // It also returns from the limit, because the integrator does not wind up.
    plant.partsPerMillion = 0
    plant.error = 0
    plant.run(seconds: 60)
    #expect(abs(plant.loop.driftPartsPerMillion) < 5)
  }

  @Test func `the loop attenuates noise at least a thousandfold`() {
    var plant = Plant()
    plant.run(seconds: 60)
    var sign = 48.0
    plant.run(seconds: 20) {
      sign = -sign
      return sign
    }
    // 48 frames of noise in a period of 240 would be 200000 ppm.
    #expect(abs(plant.loop.correction) < 1e-6)
    #expect(abs(plant.loop.squaredJitter.squareRoot() - 48) < 1)
  }

  @Test func `after a jump of the clock the loop widens, so that the error ends within seconds`() {
    var plant = Plant()
    plant.run(seconds: 60)
    plant.error = 100
    plant.run(seconds: 2)
    #expect(plant.loop.isSettled == false)
    plant.run(seconds: 10)
    #expect(abs(plant.error) < 2)
  }

  @Test func `the drift estimate survives an interruption`() {
    var plant = Plant()
    plant.partsPerMillion = 300
    plant.run(seconds: 60)
    plant.loop.resume()
    plant.error = 0
    #expect(abs(plant.loop.correction - 0.0003) < 1e-6)
    plant.run(seconds: 0.5)
    #expect(abs(plant.error) < 0.1)
  }
}
