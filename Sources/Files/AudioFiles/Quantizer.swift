// Quantizer.swift: floating point to integers and back, bit for bit. SPDX-License-Identifier: MIT

/// Converts between floats with full scale at ±1 and integers.
///
/// Both directions use the same factor, a power of two, so integers that pass the graph unchanged
/// return unchanged. libsndfile's own conversion scales by one step less on the way back.
/// back.
enum Quantizer {
  /// 16-bit integers to floats from -1 to just below 1. [any]
  static func floats(
    from integers: UnsafePointer<Int16>, to floats: UnsafeMutablePointer<Float>, count: Int
  ) {
    for index in 0 ..< count { unsafe floats[index] = Float(integers[index]) * (1 / 32_768) }
  }

  /// Rounds to 16-bit integers; returns how many samples lay beyond full scale. [any]
  static func shorts(
    from floats: UnsafePointer<Float>, to integers: UnsafeMutablePointer<Int16>, count: Int
  ) -> Int {
    var clipped: Int32 = 0
    for index in 0 ..< count {
      let sample = unsafe floats[index]
      unsafe integers[index] = rounded(sample)
      clipped &+= isBeyondFullScale(sample)
    }
    return Int(clipped)
  }

  /// Rounds to integers of `bits`, in the upper bits of 32, as libsndfile requires; returns the
  /// number of samples beyond full scale. [any]
  static func integers(
    from floats: UnsafePointer<Float>, to integers: UnsafeMutablePointer<Int32>, count: Int,
    bits: Int
  ) -> Int {
    let scale = bits == 24 ? 0x1p23 : 0x1p31
    let shift = Int32(32 - bits)
    var clipped: Int32 = 0
    for index in 0 ..< count {
      let sample = unsafe floats[index]
      unsafe integers[index] = rounded(sample, scale: scale) &<< shift
      clipped &+= isBeyondFullScale(sample)
    }
    return Int(clipped)
  }

  /// Returns the nearest of 16 bits, halves to even, clipped; 0 for NaN.
  ///
  /// All of it is exact in single precision, which fits twice as many values into a vector.
  @inline(__always)
  private static func rounded(_ sample: Float) -> Int16 {
    // 1.5 * 2^23, for the reason given below.
    let magic: Float = 0x1.8p23
    let number = sample == sample ? sample * 0x1p15 : 0
    let above = number > -0x1p15 ? number : -0x1p15
    let clipped = above < 0x1p15 - 1 ? above : 0x1p15 - 1
    return Int16(truncatingIfNeeded: (clipped + magic).bitPattern)
  }

  /// Returns the nearest integer, halves to even, clipped from -scale to scale - 1; 0 for NaN.
  @inline(__always)
  private static func rounded(_ sample: Float, scale: Double) -> Int32 {
    // 1.5 * 2^52: added to a double, it leaves the nearest integer in the lowest bits of the
    // significand. Unlike a conversion, this is a vector instruction on every processor.
    let magic = 0x1.8p52
    let number = sample == sample ? Double(sample) * scale : 0
    let above = number > -scale ? number : -scale
    let clipped = above < scale - 1 ? above : scale - 1
    return Int32(truncatingIfNeeded: (clipped + magic).bitPattern)
  }

  /// Returns 1 for a sample beyond ±1 or NaN, otherwise 0.
  @inline(__always)
  private static func isBeyondFullScale(_ sample: Float) -> Int32 {
    sample.magnitude <= 1 ? 0 : 1
  }
}
