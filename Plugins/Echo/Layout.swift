// Layout.swift: the times, levels and pan positions of the taps. SPDX-License-Identifier: MIT

import ModuleKit

let maximumTaps = 8
/// The longest feedback delay.
let maximumCycleSeconds = 8.0

/// The rhythms, numbered as in the manifest.
enum Rhythm: Int {
  case even
  case swing
  case tresillo
  case faster
  case slower
}

/// The pan patterns of the taps, numbered as in the manifest.
enum Panning: Int {
  case none
  case pingPong
  case leftToRight
  case outwards
}

/// The parameters of a layout.
struct LayoutSettings: Equatable {
  var stepSeconds = 0.0
  var count = 1
  var rhythm = Rhythm.even
  var panning = Panning.none
  var slopeDecibels: Float = 0  // dB from a tap to the next
  var width: Float = 1  // of the panning, ratio
}

/// Up to eight positions in the history, and their gains to both sides.
struct Layout {
  private(set) var count = 0
  private var ages: InlineArray<8, Int>  // frames before the newest in the history
  private var gains: InlineArray<8, SIMD4<Float>>  // left to both, then right to both
  private(set) var cycleDelay = 0  // the age of the feedback signal

  /// Creates a silent layout.
  @_noLocks
  init() {
    ages = InlineArray(repeating: 0)
    gains = InlineArray(repeating: .zero)
  }

  /// The loudest tap has 0 dB; the last one is always `count` steps back.
  @_noLocks
  init(_ settings: LayoutSettings, sampleRateHz: Double) {
    self.init()
    count = settings.count
    let step = min(settings.stepSeconds, maximumCycleSeconds / Double(count))
    for tap in 0 ..< count {
      let steps = Self.steps(tap + 1, of: count, settings.rhythm)
      // Signals that are read before the newest frame is written are one frame older.
      ages[tap] = max(1, Int(steps * step * sampleRateHz + 0.5)) - 1
      let fromLoudest = settings.slopeDecibels < 0 ? tap : tap + 1 - count
      let gain = Decibels.amplitude(settings.slopeDecibels * Float(fromLoudest))
      let side = Self.side(tap + 1, of: count, settings.panning) * settings.width
      gains[tap] = Self.matrix(side: side) * gain
    }
    cycleDelay = max(1, Int(Double(count) * step * sampleRateHz + 0.5)) - 1
  }

  /// One frame of all taps.
  @_noLocks
  @inline(__always)
  func output(_ history: DelayHistory) -> SIMD2<Float> {
    var sum = SIMD4<Float>.zero
    for tap in 0 ..< count {
      let frame = history.read(age: ages[tap])
      sum += gains[tap] * SIMD4(frame.x, frame.x, frame.y, frame.y)
    }
    return sum.lowHalf + sum.highHalf
  }

  /// Returns how many steps back tap `number` is; the first tap is 1.
  @_noLocks
  private static func steps(_ number: Int, of count: Int, _ rhythm: Rhythm) -> Double {
    let even = Double(number)
    if number == count { return even }
    switch rhythm {
    case .even: return even
    // Two steps are divided as 2 to 1.
    case .swing: return number % 2 == 1 ? even + 1.0 / 3 : even
    // Eight of the fastest notes in groups of 3, 3 and 2, over each three steps.
    case .tresillo: return even + Double(number % 3) * 0.125
    // Parabolas: gaps shrink, or grow, evenly.
    case .faster: return even * (2 - even / Double(count))
    case .slower: return even * even / Double(count)
    }
  }

  /// Returns the pan position: -1 is left, 1 is right.
  @_noLocks
  private static func side(_ number: Int, of count: Int, _ panning: Panning) -> Float {
    let sign: Float = number % 2 == 1 ? -1 : 1
    switch panning {
    case .none: return 0
    case .pingPong: return sign
    case .leftToRight: return count > 1 ? 2 * Float(number - 1) / Float(count - 1) - 1 : 0
    case .outwards: return sign * Float(number) / Float(count)
    }
  }

  /// Returns the gains of a pan position: a side also collects the other side, and has the mean of both at
  /// its end.
  @_noLocks
  private static func matrix(side: Float) -> SIMD4<Float> {
    let amount = abs(side)
    let (leaves, enters) = (1 - amount, amount * 0.5)
    return side < 0
      ? SIMD4(1 - enters, 0, enters, leaves)
      : SIMD4(leaves, enters, 0, 1 - enters)
  }
}
