// SampleReference.swift: slow, simple implementations of the conversions. SPDX-License-Identifier: MIT

import AudioDriver

@testable import ALSADriver

/// The properties of a format, derived from its name, independently of the tested code.
struct SampleReference {
  /// Bits of a code or of a float.
  let bits: Int
  let byteCount: Int
  let isUnsigned: Bool
  let isBigEndian: Bool
  let isFloat: Bool

  init(_ format: DeviceFormat) {
    let parts = format.rawValue.split(separator: "_")
    let digits = parts[0].filter(\.isNumber)
    isFloat = parts[0].hasPrefix("FLOAT")
    isUnsigned = parts[0].hasPrefix("U")
    isBigEndian = parts.contains("BE")
    bits = Int(digits) ?? 32
    byteCount = parts.contains("3") ? 3 : bits > 16 && bits < 32 ? 4 : bits / 8
  }

  /// Codes from -scale to scale - 1.
  var scale: Int { 1 << (bits - 1) }

  // MARK: - Bytes

  /// Returns a container's bytes; bits above the code repeat its sign.
  func bytes(ofCode code: Int) -> [UInt8] {
    bytes(of: UInt64(bitPattern: Int64(isUnsigned ? code + scale : code)))
  }

  private func bytes(of word: UInt64) -> [UInt8] {
    let bytes = (0 ..< byteCount).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  private func word(of bytes: some Collection<UInt8>) -> UInt64 {
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      word |= UInt64(byte) << UInt64(8 * (isBigEndian ? byteCount - 1 - index : index))
    }
    return word
  }

  // MARK: - Conversion

  func read(_ bytes: some Collection<UInt8>) -> Float {
    let word = word(of: bytes)
    if isFloat {
      return bits == 64
        ? Float(Double(bitPattern: word)) : Float(bitPattern: UInt32(truncatingIfNeeded: word))
    }
    var code = Int(word & (1 << UInt64(bits) - 1))
    if isUnsigned {
      code -= scale
    } else if code >= scale {
      code -= 2 * scale
    }
    return Float(Double(code) / Double(scale))
  }

  func write(_ sample: Float) -> (bytes: [UInt8], isClipped: Bool) {
    let kept = sample.isNaN ? 0 : sample
    if isFloat {
      let bounded = max(-1, min(1, kept))
      let word = bits == 64 ? Double(bounded).bitPattern : UInt64(bounded.bitPattern)
      return (bytes(of: word), bounded != kept)
    }
    let code = (Double(kept) * Double(scale)).rounded(.toNearestOrEven)
    let bounded = max(Double(-scale), min(Double(scale - 1), code))
    return (bytes(ofCode: Int(bounded)), bounded != code)
  }
}

/// Samples for finding errors: arbitrary ones, and those at the limits.
struct SampleSource {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0 ..< count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Samples in range.
  mutating func sound(_ count: Int) -> [Float] {
    (0 ..< count).map { _ in Float(Int32(truncatingIfNeeded: next() >> 40) - 1 << 23) / 8_388_609 }
  }

  /// All kinds: half codes, the values just inside and just outside of a limit, tiny values, NaN and infinity.
  mutating func hard(_ count: Int, scale: Double) -> [Float] {
    sound(count).map { sample in
      let word = next()
      let code = (Double(sample) * scale).rounded()
      let edge: Float = word & 16 == 0 ? 1 : -1
      let bound = Float((Double(edge) * scale - 0.5) / scale)
      switch word & 15 {
      case 0: return Float((code + 0.5) / scale)
      case 1: return Float((code - 0.5) / scale).nextUp
      case 2: return Float(bitPattern: UInt32(truncatingIfNeeded: word >> 32))
      case 3: return edge
      case 4: return edge.nextUp
      case 5: return edge.nextDown
      case 6: return bound
      case 7: return bound.nextUp
      case 8: return bound.nextDown
      case 9: return word & 32 == 0 ? .nan : edge * .infinity
      case 10: return sample * 1e-9
      case 11: return sample * 2
      default: return sample
      }
    }
  }
}
