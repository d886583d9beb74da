// EnvelopeFollowerTests.swift: the level and speed of a peak detector. SPDX-License-Identifier: MIT

import Foundation
import ModuleKitUnderTest
import Testing

@Suite struct EnvelopeFollowerTests {
  /// Steps and pauses, and noise between them.
  private static let values: [Float] = (0 ..< 4_000).map { frame in
    let noise = Float((frame &* 2_654_435_761) >> 8 & 0xffff) / 65_536
    return frame % 1_000 < 300 ? 12 : frame % 1_000 < 600 ? 0 : 24 * noise
  }

  private static func coefficient(_ seconds: Double) -> Double {
    EnvelopeFollower.coefficient(timeConstantSeconds: seconds, sampleRateHz: 48_000)
  }

  @Test(arguments: [0, 0.000_1, 0.01], [0.000_1, 0.05])
  func `four values at once equal single values, to the bit`(
    attackSeconds: Double, releaseSeconds: Double
  ) {
    let (attack, release) = (Self.coefficient(attackSeconds), Self.coefficient(releaseSeconds))
    var (single, fourfold) = (EnvelopeFollower(), EnvelopeFollower())
    for place in stride(from: 0, to: Self.values.count, by: 4) {
      let four = SIMD4(Self.values[place ..< place + 4])
      let followed = fourfold.follow(four, attack: attack, release: release)
      for lane in 0 ..< 4 {
        let expected = single.follow(four[lane], attack: attack, release: release)
        #expect(followed[lane].bitPattern == expected.bitPattern)
      }
    }
  }

  @Test func `a time constant is the time of 63 % of a rise`() {
    var envelope = EnvelopeFollower()
    let (attack, release) = (Self.coefficient(0.01), Self.coefficient(0.1))
    var captured: Float = 0
    for _ in 0 ..< 480 { captured = envelope.follow(1, attack: attack, release: release) }
    #expect(abs(captured - Float(1 - exp(-1.0))) < 1e-4)
  }

  @Test func `without a time constant it follows at once, and after silence it is zero`() {
    var envelope = EnvelopeFollower()
    #expect(envelope.follow(3, attack: 0, release: 0) == 3)
    let release = Self.coefficient(0.01)
    #expect(envelope.follow(0, attack: 0, release: release) < 3)
    var captured: Float = 1
    for _ in 0 ..< 9_600 { captured = envelope.follow(0, attack: 0, release: release) }
    #expect(captured == 0)
  }
}
