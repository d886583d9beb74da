// SHA256.swift: the digest of stored tokens. SPDX-License-Identifier: MIT

/// The digest SHA-256 (FIPS 180-4).
///
/// A library for it would be larger than the server. Tokens have 256 random bits, so a plain digest cannot be reversed.
enum SHA256 {
  /// A digest of 32 bytes.
  struct Checksum: Sendable, Hashable {
    let bytes: [UInt8]

    /// 64 lower-case digits.
    var hexadecimal: String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Compares all bytes, so that the time does not depend on where digests differ.
    static func == (one: Checksum, other: Checksum) -> Bool {
      var difference: UInt8 = 0
      for (left, right) in zip(one.bytes, other.bytes) { difference |= left ^ right }
      return difference == 0 && one.bytes.count == other.bytes.count
    }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, computed exactly.
  private static let constants = primes(64).map { fraction(of: $0, root: 3) }
  /// The fractions of the square roots of the first 8 primes.
  private static let start = primes(8).map { fraction(of: $0, root: 2) }

  private static func primes(_ count: Int) -> [UInt64] {
    var found: [UInt64] = []
    var candidate: UInt64 = 2
    while found.count < count {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }

  /// Returns 32 bits of the fraction of a root: the largest number whose power is at most `prime` shifted by 32 bits
  /// for each factor.
  private static func fraction(of prime: UInt64, root: Int) -> UInt32 {
    let limit = UInt128(prime) << UInt128(32 * root)
    var (low, high): (UInt64, UInt64) = (0, 1 << 37)
    while high - low > 1 {
      let middle = (low + high) / 2
      var power: UInt128 = 1
      for _ in 0 ..< root { power *= UInt128(middle) }
      if power <= limit { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  /// Returns the digest of bytes. [any]
  static func digest(_ message: some Collection<UInt8>) -> Checksum {
    var bytes = Array(message)
    let bitCount = UInt64(bytes.count) * 8
    bytes.append(0x80)
    while bytes.count % 64 != 56 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    var state = start
    for block in stride(from: 0, to: bytes.count, by: 64) {
      compress(&state, bytes[block ..< block + 64])
    }
    return Checksum(
      bytes: state.flatMap { word in
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
      })
  }

  private static func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
    func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
      word >> count | word << (32 - count)
    }
    var words = [UInt32](repeating: 0, count: 64)
    for (index, byte) in block.enumerated() {
      words[index / 4] = words[index / 4] << 8 | UInt32(byte)
    }
    for index in 16 ..< 64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
      let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
      words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
    }
    var (a, b, c, d, e, f, g, h) = (
      state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
    )
    for index in 0 ..< 64 {
      let choice = e & f ^ ~e & g
      let majority = a & b ^ a & c ^ b & c
      let first =
        h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[index]
        &+ words[index]
      let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}
