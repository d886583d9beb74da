// SoundTests.swift: the signal after adaptive resampling. SPDX-License-Identifier: MIT

import AdaptiveResampling
import ClockSimulation
import Glibc
import Testing

@Suite struct SoundTests {
  @Test(arguments: Direction.allCases, ResamplerQuality.allCases)
  func `the pass band is flat to 18 kHz`(
    _ direction: Direction, _ quality: ResamplerQuality
  ) throws {
    var scene = Scene()
    scene.quality = quality
    scene.clock.partsPerMillion = -200
    // One sum of all tones: they are whole cycles apart in the measured time, and do not disturb each other.
    let tones = [20.0, 100, 1_000, 5_000, 10_000, 15_000, 18_000]
    let parts = tones.map { hz in
      scene.setTone(direction, hz: hz, level: 0.1)
      return scene.signal
    }
    scene.signal = { frame in parts.reduce(0) { $0 + $1(frame) } }
    let outcome = try scene.run(direction, seconds: 12)
    for hz in tones {
      let perFrame =
        direction == .capture ? hz / 48_000 : hz / 48_000 / (1 + scene.clock.partsPerMillion * 1e-6)
      let level = amplitude(outcome.sound.suffix(9_600), cyclesPerFrame: perFrame)
      #expect(abs(20 * log10(level / 0.1)) < 0.1, "\(hz) Hz")
    }
  }

  @Test(
    arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (96_000, 48_000), (48_000, 96_000)],
    [true, false])
  func `a different rate is converted, with separate clocks and with one clock`(
    _ rates: (Double, Double), _ clocksDiffer: Bool
  ) throws {
    for direction in Direction.allCases {
      var scene = Scene()
      scene.clock.rateHz = rates.0
      scene.primaryRateHz = rates.1
      scene.clocksDiffer = clocksDiffer
      scene.clock.partsPerMillion = clocksDiffer ? 200 : 0
      scene.setTone(direction, hz: 1_000)
      let outcome = try scene.run(direction, seconds: 40)
      #expect(outcome.status.underrunCount + outcome.status.overrunCount == 0)
      #expect(outcome.lostFrames == 0)
      let found = report(outcome.sound, rateHz: direction == .capture ? rates.1 : rates.0)
      #expect(abs(found.frequencyHz - 1_000) < 2)
      #expect(found.spurDecibels < -100)
      let fill = outcome.fill(from: outcome.errorFrames.count / 2)
      #expect(abs(fill.mean) < 1.1)
      #expect(fill.spread < 1.1)
    }
  }

  @Test(
    arguments: [(48_000.0, 48_000.0), (44_100, 48_000), (96_000, 48_000)], [true, false])
  func `the latency equals the reported one within a frame`(
    _ rates: (Double, Double), _ hasTimeStamps: Bool
  ) throws {
    for direction in Direction.allCases {
      var scene = Scene()
      scene.clock.rateHz = rates.0
      scene.primaryRateHz = rates.1
      scene.clock.partsPerMillion = 200
      scene.hasTimeStamps = hasTimeStamps
      scene.records = true
      // A pulse after half a minute, wide enough for the bandwidth of each rate.
      let centre = (direction == .capture ? rates.0 : rates.1) * 30
      scene.signal = { Float(exp(-pow((Double($0) - centre) / 12, 2))) }
      let outcome = try scene.run(direction, seconds: 31)
      let arrival = centroid(outcome.sound)
      let measured: Double
      if direction == .capture {
        measured =
          arrival + Double(scene.blockFrames)
          - scene.clock.seconds(position: centre) * scene.primaryRateHz
      } else {
        measured =
          scene.clock.seconds(position: arrival) * scene.primaryRateHz - centre
          - Double(scene.blockFrames)
      }
      #expect(abs(measured - outcome.latencyFrames) < 1)
      // One period, half a filter at the lower rate, and a millisecond.
      #expect(outcome.latencyFrames < 256 + 50 * max(1, rates.1 / rates.0) + 60)
    }
  }

  @Test(arguments: Direction.allCases)
  func `audio starts and stops without a click`(_ direction: Direction) throws {
    var scene = Scene()
    scene.records = true
    scene.signal = { _ in 0.5 }
    scene.restartsAtPeriod = 300
    scene.clock.stopsAt = 3
    scene.clock.stalledSeconds = 0.5
    let outcome = try scene.run(direction, seconds: 5)
    let sound = outcome.sound
    let steps = zip(sound, sound.dropFirst()).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 0.03)
    // The device did stop, and it returned each time.
    let edges = zip(sound, sound.dropFirst()).filter { ($0 < 0.25) != ($1 < 0.25) }.count
    #expect(edges == 5)
  }

  /// Returns the position of a pulse in frames.
  private func centroid(_ sound: [Float]) -> Double {
    let top = sound.indices.max { sound[$0] < sound[$1] } ?? 0
    var (sum, moment) = (0.0, 0.0)
    for index in max(0, top - 80) ..< min(sound.count, top + 80) {
      sum += Double(sound[index])
      moment += Double(sound[index]) * Double(index)
    }
    return moment / sum
  }
}
