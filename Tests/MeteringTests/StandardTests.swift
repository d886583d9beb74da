// StandardTests.swift: the minimum requirements of EBU Tech 3341 and 3342. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Metering

/// Both loudness meters must meet the standards: that for weeks of audio, and that for files.
private let purposes: [LevelMeasurement.Purpose] = [.live, .file]

/// Records the highest momentary and short-term loudness from a given time on.
private final class Follower: TickObserver {
  private(set) var momentary: [Double] = []
  private(set) var shortTerm: [Double] = []

  func tickCompleted(of measurement: LevelMeasurement) {
    momentary.append(measurement.momentary)
    if measurement.isTenth { shortTerm.append(measurement.shortTerm) }
  }
}

private func follow(_ mono: [Float], rate: Double = 48_000) -> Follower {
  let measurement = LevelMeasurement(channelCount: 2, sampleRateHz: rate, for: .live)
  let follower = Follower()
  measurement.observer = follower
  hear([mono, mono], by: measurement)
  return follower
}

@Suite struct `EBU Tech 3341, table 1` {
  @Test(arguments: [-23.0, -33])
  func `cases 1 and 2: a steady tone`(level: Double) {
    for purpose in purposes {
      let mono = sine(level, 20)
      let reading = reading(of: [mono, mono], for: purpose)
      #expect(isNear(reading.momentary, level), "\(reading.momentary)")
      #expect(isNear(reading.shortTerm, level), "\(reading.shortTerm)")
      #expect(isNear(reading.integrated, level), "\(reading.integrated)")
    }
  }

  @Test(arguments: [
    [(-36.0, 10.0), (-23, 60), (-36, 10)],
    [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
    [(-26, 20), (-20, 20.1), (-26, 20)],
  ])
  func `cases 3 to 5: both gates`(parts: [(Double, Double)]) {
    for purpose in purposes {
      let mono = steps(parts)
      let reading = reading(of: [mono, mono], for: purpose)
      #expect(isNear(reading.integrated, -23), "\(reading.integrated)")
    }
  }

  @Test(arguments: [5, 6])
  func `case 6: five channels, with and without a silent LFE`(count: Int) {
    var signal = [-28.0, -28, -24, -30, -30].map { sine($0, 20) }
    if count == 6 { signal.insert(silence(20), at: 3) }
    let reading = reading(of: signal)
    #expect(isNear(reading.integrated, -23), "\(reading.integrated)")
  }

  // Cases 7 and 8 are programmes that exist only as recordings.

  @Test func `case 9: constant short-term loudness`() {
    let follower = follow(steps((0 ..< 10).map { $0 % 2 == 0 ? (-20, 1.34) : (-30, 1.66) }))
    let values = follower.shortTerm.dropFirst(30)
    #expect(values.count > 100 && values.allSatisfy { isNear($0, -23) }, "\(values)")
  }

  @Test(arguments: [0, 3, 7, 13, 19])
  func `case 10: the highest short-term loudness, whenever it begins`(step: Int) {
    let mono = silence(Double(step) * 0.15) + sine(-23, 3) + silence(1)
    let reading = reading(of: [mono, mono])
    #expect(isNear(reading.highestShortTerm, -23), "\(reading.highestShortTerm)")
  }

  @Test func `case 11: successive highest short-term loudness`() {
    for level in stride(from: -38.0, through: -19, by: 3) {
      let step = level + 38
      let mono = silence(step * 0.15) + sine(level, 3) + silence(3 - step * 0.15)
      let reading = reading(of: [mono, mono])
      #expect(isNear(reading.highestShortTerm, level), "\(reading.highestShortTerm), \(level)")
    }
  }

  @Test func `case 12: constant momentary loudness`() {
    let follower = follow(steps((0 ..< 50).map { $0 % 2 == 0 ? (-20, 0.18) : (-30, 0.22) }))
    let values = follower.momentary.dropFirst(100)
    #expect(values.count > 800 && values.allSatisfy { isNear($0, -23) })
  }

  @Test(arguments: 0 ..< 20)
  func `cases 13 and 14: the highest momentary loudness, whenever it begins`(step: Int) {
    let level = -38 + Double(step)
    for level in [-23, level] {
      let mono = silence(Double(step) * 0.02) + sine(level, 0.4) + silence(0.5)
      let reading = reading(of: [mono, mono])
      #expect(isNear(reading.highestMomentary, level), "\(reading.highestMomentary), \(level)")
    }
  }

  // The tolerance: 0.2 dB above, 0.4 below.
  @Test(arguments: [
    (0.5, 4.0, 0.0, -6.0), (0.5, 4, 45, -6), (0.5, 6, 60, -6), (0.5, 8, 67.5, -6), (1.41, 4, 45, 3),
  ])
  func `cases 15 to 19: peaks between the samples`(
    peak: Double, share: Double, degrees: Double, wanted: Double
  ) {
    for rate in [44_100.0, 48_000] {
      // Fades at both ends avoid additional peaks.
      let mono = sine(
        20 * log10(peak), 0.5, hertz: rate / share, rate: rate, degrees: degrees
      ).enumerated().map { frame, sample in
        sample * Float(min(1, Double(min(frame, Int(rate / 2) - frame)) / 480))
      }
      let error = reading(of: [mono, mono], rate: rate).truePeak - wanted
      #expect(error > -0.4 && error < 0.2, "\(error)")
    }
  }

  /// A tone at four times the rate with one period of twice the level, band-limited to half the rate, with a peak of
  /// exactly 1.
  ///
  /// The recordings of these cases are made in the same way.
  private static let overs: [Float] = {
    let count = 8_192
    let raw = (0 ..< count).map { frame -> Double in
      let isHigh = 4_096 ..< 4_120 ~= frame
      return sin(2 * .pi * Double(frame) / 24) * (isHigh ? 1 : 0.5)
    }
    let taps = (-64 ... 64).map { tap -> Double in
      let x = Double(tap) / 5
      let sinc = tap == 0 ? 1 : sin(.pi * x) / (.pi * x)
      return sinc * (0.5 + 0.5 * cos(.pi * Double(tap) / 65)) / 5
    }
    let smooth = (0 ..< count).map { frame -> Double in
      let fade = min(1, Double(min(frame, count - 1 - frame)) / 960)
      return fade
        * taps.indices.reduce(0) { sum, tap in
          let place = frame + tap - 64
          return raw.indices ~= place ? sum + taps[tap] * raw[place] : sum
        }
    }
    let highest = smooth.map(abs).max() ?? 1
    return smooth.map { Float($0 / highest) }
  }()

  @Test(arguments: 0 ..< 4)
  func `cases 20 to 23: one peak at four positions between the samples`(offset: Int) {
    let mono = stride(from: offset, to: Self.overs.count, by: 4).map { Self.overs[$0] }
    let truePeak = reading(of: [mono, mono]).truePeak
    #expect(truePeak > -0.4 && truePeak < 0.2, "\(truePeak)")
  }
}

@Suite struct `EBU Tech 3342, table 1` {
  @Test(
    arguments: [
      ([-20.0, -30], 10.0), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15),
    ] as [([Double], Double)])
  func `cases 1 to 4: steps of 20 s`(levels: [Double], range: Double) {
    for purpose in purposes {
      let mono = steps(levels.map { ($0, 20) }, rate: 16_000)
      let reading = reading(of: [mono, mono], rate: 16_000, for: purpose)
      // The standard requires 1 LU.
      #expect(isNear(reading.range ?? -1, range), "\(reading.range ?? -1)")
    }
  }
}
