// StepResponse.swift: how a plugin reacts to a step of the level. SPDX-License-Identifier: MIT

/// The gain after a step up and a step down of a tone of 1 kHz, and the times until it is steady.
package struct StepResponse: Sendable, Equatable {
  /// The gain before, during and after the step, when it is steady, in dB.
  package let gains: [Double]
  /// The time after the step up until the gain stays within 1 dB of its end, in seconds.
  package let attackSeconds: Double
  /// The time after the step down.
  package let releaseSeconds: Double
  /// The gain over time in dB, a value for each period of about 1 ms.
  package let curve: [Double]
  /// The time between two values of `curve`, in seconds.
  package let intervalSeconds: Double

  /// The deviation from the end that counts as steady, in dB.
  private static let tolerance = 1.0

  init(_ output: [Float], delayFrames: Int, _ signal: MeasurementSignal) {
    let period = Double(MeasurementSignal.toneFrames) / Double(signal.tonePeriods)
    let lengths = signal.stepFrames
    var start = signal.stepStart
    var parts: [[Double]] = []
    for (level, length) in zip(MeasurementSignal.stepLevels, lengths) {
      let count = Int(Double(length) / period)
      parts.append(
        (0 ..< count).map { index in
          let first = start + delayFrames + Int(Double(index) * period)
          return Self.level(output, first, Int(period.rounded())) - level
        })
      start += length
    }
    gains = parts.map { part in
      let end = part.suffix(part.count / 10)
      return end.reduce(0, +) / Double(max(1, end.count))
    }
    intervalSeconds = period / Double(signal.sampleRateHz)
    curve = parts.flatMap(\.self)
    attackSeconds = Self.steady(parts[1], gains[1]) * intervalSeconds
    releaseSeconds = Self.steady(parts[2], gains[2]) * intervalSeconds
  }

  /// The level of a period in dBFS; a sine of full scale has 0.
  private static func level(_ output: [Float], _ start: Int, _ count: Int) -> Double {
    let first = min(output.count, max(0, start))
    let range = first ..< min(output.count, first + count)
    let sum = output[range].reduce(0) { $0 + Double($1) * Double($1) }
    return DecibelConversion.ofMeanSquare(sum / Double(max(1, range.count)))
  }

  /// The number of periods until all later ones are steady.
  private static func steady(_ gains: [Double], _ end: Double) -> Double {
    Double((gains.lastIndex { !(abs($0 - end) <= tolerance) } ?? -1) + 1)
  }
}
