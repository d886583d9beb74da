// DelayLineTests.swift: reads of four frames of a delay line. SPDX-License-Identifier: MIT

import ModuleKitUnderTest
import Testing

struct DelayLineTests {
  /// The output of a line of 1,000 frames, frame by frame, and in groups of 1 to 4 frames.
  private func outputs(
    single: (DelayLine, Int) -> Float, grouped: (DelayLine, Int) -> SIMD4<Float>
  ) -> ([Float], [Float]) {
    var (line, lines) = (DelayLine(maximumDelay: 100), DelayLine(maximumDelay: 100))
    defer {
      line.free()
      lines.free()
    }
    func sample(_ frame: Int) -> Float { Float((frame * 7_919) % 1_009) / 1_009 - 0.5 }
    var expected: [Float] = []
    for frame in 0 ..< 1_000 {
      line.write(sample(frame))
      expected.append(single(line, frame))
    }
    var captured: [Float] = []
    while captured.count < 1_000 {
      let frame = captured.count
      let count = min(1 + frame % 5 % 4, 1_000 - frame)
      lines.put(SIMD4(sample(frame), sample(frame + 1), sample(frame + 2), sample(frame + 3)))
      let four = grouped(lines, frame)
      for lane in 0 ..< count { captured.append(four[lane]) }
      lines.advance(count)
    }
    return (expected, captured)
  }

  @Test(arguments: [0, 1, 3, 4, 50, 100])
  func `four frames read with a whole delay equal single reads, bit for bit`(age: Int) {
    let (expected, captured) = outputs(single: { line, _ in line.read(delay: age) }) { line, _ in
      line.four(delay: age)
    }
    #expect(captured == expected)
  }

  @Test func `delays that sweep through whole numbers equal single reads`() {
    func age(_ frame: Int) -> Double { 40 + 30 * Double(frame % 300) / 300 }
    let (expected, captured) = outputs(single: { line, frame in line.read(delay: age(frame)) }) {
      line, frame in
      line.four(
        ages: SIMD4(age(frame), age(frame + 1), age(frame + 2), age(frame + 3)))
    }
    for (one, four) in zip(expected, captured) { #expect(abs(one - four) < 1e-6) }
  }

  @Test func `the rest of a ramp equals single reads`() {
    func excess(_ frame: Int) -> Float { 20 - Float(frame) / 40 }
    let (expected, captured) = outputs(single: { $0.read(delay: 50, excess: excess($1)) }) {
      line, frame in
      line.four(
        delay: 50,
        excess: SIMD4(excess(frame), excess(frame + 1), excess(frame + 2), excess(frame + 3)))
    }
    for (one, four) in zip(expected, captured) { #expect(abs(one - four) < 1e-6) }
  }

  @Test(arguments: [0, 0.25, 0.999_999_94, 1, 399.5, 4_095.999_8, 3_999_999.75] as [Float])
  func `a number is the sum of its whole part and its fraction`(value: Float) {
    let (any, notNegative) = (SplitDelay(value), SplitDelay(notNegative: value))
    #expect(Float(any.whole) + any.fraction == value)
    #expect(Float(notNegative.whole) + notNegative.fraction == value)
    #expect(0 <= any.fraction && any.fraction <= 1)
    #expect(0 <= notNegative.fraction && notNegative.fraction < 1)
  }
}
