// FeedbackSuppressorState+Setup.swift: prepares feedback suppression. SPDX-License-Identifier: MIT

import Glibc

extension FeedbackSuppressorState {
  /// The lengths of time in which growth is examined, shortest first.
  ///
  /// A shorter time requires more growth: a note may begin with 20 dB in a twentieth of a second,
  /// but rarely with 30 dB on a straight line. The slowest growth is 3.5 dB per second; slower
  /// feedback is detected when it clips.
  private static let scales = [
    GrowthWindow(
      isCoarse: false, pointCount: 5, stride: 1, growthDecibels: 30, evenness: 0.75,
      toleranceBins: 0.5),
    GrowthWindow(
      isCoarse: false, pointCount: 9, stride: 1, growthDecibels: 27, evenness: 0.75,
      toleranceBins: 0.4),
    GrowthWindow(
      isCoarse: false, pointCount: 9, stride: 2, growthDecibels: 24, evenness: 0.75,
      toleranceBins: 0.3),
    GrowthWindow(
      isCoarse: false, pointCount: 9, stride: 4, growthDecibels: 18, evenness: 0.7,
      toleranceBins: 0.25),
    GrowthWindow(
      isCoarse: true, pointCount: 9, stride: 2, growthDecibels: 13, evenness: 0.65,
      toleranceBins: 0.25),
    GrowthWindow(
      isCoarse: true, pointCount: 9, stride: 4, growthDecibels: 11, evenness: 0.6,
      toleranceBins: 0.25),
    GrowthWindow(
      isCoarse: true, pointCount: 9, stride: 8, growthDecibels: 10, evenness: 0.6,
      toleranceBins: 0.25),
    GrowthWindow(
      isCoarse: true, pointCount: 9, stride: 14, growthDecibels: 9, evenness: 0.6,
      toleranceBins: 0.25),
  ]

  /// The highest sample rate that is analysed without decimation, in Hz.
  private static let maximumRateHz = 60_000.0

  /// Creates a suppressor without any measurement. [main]
  init(captureCount: Int, outputCount: Int, microphones: [Int], sampleRateHz: Double) {
    self.captureCount = captureCount
    microphoneCount = microphones.count
    self.microphones = .allocate(capacity: microphones.count)
    for (position, channel) in microphones.enumerated() {
      (self.microphones + position).initialize(to: channel)
    }
    self.outputCount = outputCount
    self.sampleRateHz = Float(sampleRateHz)
    let factor = max(1, Int((sampleRateHz / Self.maximumRateHz).rounded(.up)))
    decimation = factor
    hopsPerSecond = Float(sampleRateHz / Double(factor) / Double(FeedbackSpectrum.hop))
    spectrum = FeedbackSpectrum()
    (taps, tapCount) = Self.lowPass(factor)
    delayFirst = Self.filled(tapCount, with: 0)
    delaySecond = Self.filled(tapCount, with: 0)
    scales = .allocate(capacity: Self.scales.count)
    scaleCount = Self.scales.count
    for (index, scale) in Self.scales.enumerated() { (scales + index).initialize(to: scale) }
    tangents = Self.filled(Self.tangentCount, with: 0)
    for index in 0 ..< Self.tangentCount {
      tangents[index] = Float(tan(0.45 * .pi * Double(index) / Double(Self.tangentCount - 1)))
    }
    notches = Self.filled(Self.notchCount, with: NotchFilter())
    memories = Self.filled(Self.notchCount * outputCount, with: SIMD2(0, 0))
    ignoredTones = Self.filled(Self.ignoredToneCount, with: IgnoredTone())
    reports = Self.filled(
      Self.reportCapacity,
      with: FeedbackEvent(
        action: .released, frequencyHz: 0, levelDecibels: 0, depthDecibels: 0, frame: 0))
  }

  private static func filled<Value: BitwiseCopyable>(
    _ count: Int, with value: Value
  ) -> UnsafeMutablePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: count)
    memory.initialize(repeating: value, count: count)
    return memory
  }

  /// Returns a windowed sinc with its cutoff at 0.42 of the lower rate and 16 taps for each kept
  /// frame, rounded up to a power of two.
  private static func lowPass(_ factor: Int) -> (UnsafeMutablePointer<Float>, Int) {
    var count = 16
    while count < 16 * factor { count *= 2 }
    let values = (0 ..< count).map { tap -> Double in
      let position = Double(tap) - Double(count - 1) / 2
      let turn = 2 * .pi * 0.42 / Double(factor) * position
      let sinc = turn == 0 ? 1 : sin(turn) / turn
      return sinc * (0.5 - 0.5 * cos(2 * .pi * (Double(tap) + 0.5) / Double(count)))
    }
    let sum = values.reduce(0, +)
    let taps = filled(count, with: Float(0))
    for (index, value) in values.enumerated() { taps[index] = Float(value / sum) }
    return (taps, count)
  }
}
