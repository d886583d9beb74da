// TestSignal.swift: what plugins are fed with: the same every time. SPDX-License-Identifier: MIT

/// A source of samples.
enum TestSignal: Sendable {
  /// Nothing but zeroes.
  case silence
  /// Noise up to a level.
  case noise(level: Float)
  /// A square wave between full scale and its opposite, with a period in frames.
  case square(periodFrames: Int)
  /// The same value again and again.
  case constant(Float)
  /// 1, then zeroes.
  case impulse

  /// The sample of a channel at a frame of the stream, counted from 0.
  func sample(_ frame: Int, channel: Int) -> Float {
    switch self {
    case .silence: return 0
    case .noise(let level): return level * Self.noise(UInt64(frame), UInt64(channel))
    case .square(let period): return frame % period < period / 2 ? 1 : -1
    case .constant(let value): return value
    case .impulse: return frame == 0 ? 1 : 0
    }
  }

  /// From -1 to 1, by its position alone, so that it does not depend on block lengths.
  private static func noise(_ frame: UInt64, _ channel: UInt64) -> Float {
    let word = SplitMix64.mixed(
      (frame &* SplitMix64.step) ^ (channel &* 0xd1b5_4a32_d192_ed03))
    return Float(Int32(truncatingIfNeeded: word >> 32)) * (1 / 2_147_483_648)
  }
}

/// SplitMix64: the same numbers every time, as what fails must fail again.
struct SplitMix64: RandomNumberGenerator {
  static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// A word of which each bit depends on all of another one.
  static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
