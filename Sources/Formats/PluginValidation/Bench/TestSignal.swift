// TestSignal.swift: reproducible test signals. SPDX-License-Identifier: MIT

/// A test signal.
enum TestSignal: Sendable {
  /// Silence.
  case silence
  /// Noise up to a level.
  case noise(level: Float)
  /// A full-scale square wave with a period in frames.
  case square(periodFrames: Int)
  /// A constant value.
  case constant(Float)
  /// An impulse: 1, then zeros.
  case impulse

  /// Returns the sample of a channel at a frame of the stream, from 0.
  func sample(_ frame: Int, channel: Int) -> Float {
    switch self {
    case .silence: return 0
    case .noise(let level): return level * Self.noise(UInt64(frame), UInt64(channel))
    case .square(let period): return frame % period < period / 2 ? 1 : -1
    case .constant(let value): return value
    case .impulse: return frame == 0 ? 1 : 0
    }
  }

  /// Returns noise from -1 to 1 that depends only on the position, not on block lengths.
  private static func noise(_ frame: UInt64, _ channel: UInt64) -> Float {
    let word = SplitMix64.mixed(
      (frame &* SplitMix64.step) ^ (channel &* 0xd1b5_4a32_d192_ed03))
    return Float(Int32(truncatingIfNeeded: word >> 32)) * (1 / 2_147_483_648)
  }
}

/// SplitMix64: the same numbers in each run, so that faults are reproducible.
struct SplitMix64: RandomNumberGenerator {
  static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// Returns a word in which each bit depends on all bits of another one.
  static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
