// GainTests.swift: level, balance, mute and polarity. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct GainTests {
  private let input = [Signals.noise(4_000, seed: 1), Signals.noise(4_000, seed: 2)]

  private func render(
    _ values: [(String, Float)], changes: [ModuleInstance.Change] = []
  ) throws -> [[Float]] {
    try ModuleInstance(ModuleLibrary("gain"), values).render(input, changes: changes)
  }

  @Test func `at its defaults every bit passes`() throws {
    #expect(try render([]) == input)
  }

  @Test(arguments: [Float(-60), -20, -6, 6, 24])
  func `gain is in decibels, from the first frame on`(decibels: Float) throws {
    let factor = Float(pow(10, Double(decibels) / 20))
    #expect(try render([("gain", decibels)]) == input.map { $0.map { $0 * factor } })
  }

  @Test func `the lowest gain is silence`() throws {
    #expect(try render([("gain", -90)]).allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test(arguments: [Float(0.25), 0.5, 0.9, 1])
  func `balance attenuates one side along a cosine and not the other`(side: Float) throws {
    let factor = side == 1 ? 0 : Float(cos(Double(side) * .pi / 2))
    let toRight = try render([("balance", side)])
    #expect(toRight == [input[0].map { $0 * factor }, input[1]])
    let toLeft = try render([("balance", -side)])
    #expect(toLeft == [input[0], input[1].map { $0 * factor }])
  }

  @Test func `each channel has its own polarity`() throws {
    #expect(try render([("invert_left", 1)]) == [input[0].map { -$0 }, input[1]])
    #expect(try render([("invert_right", 1)]) == [input[0], input[1].map { -$0 }])
  }

  @Test(arguments: [("mute", Float(1)), ("invert_left", 1), ("gain", -90), ("balance", 1)])
  func `no change has a step`(symbol: String, value: Float) throws {
    let constant = [[Float](repeating: 1, count: 6_000)]
    let output = try ModuleInstance(ModuleLibrary("gain"))
      .render(constant, changes: [.init(at: 1_000, symbol, value)])[0]
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    // An exponential ramp of 5 ms moves at most 1/240 of the distance per frame. For polarity the distance is double.
    #expect((steps.max() ?? 1) < 2.01 / 240)
    #expect(abs(output[5_999] - (symbol == "invert_left" ? -1 : 0)) < 1e-6)
  }
}
