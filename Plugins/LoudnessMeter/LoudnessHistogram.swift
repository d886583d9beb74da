// LoudnessHistogram.swift: how often which loudness was there. SPDX-License-Identifier: MIT

import ModuleABI

/// The powers of blocks, sorted by loudness into bins of 0.05 LU from -70 to 30 LUFS.
///
/// Blocks below -70 LUFS are ignored, as the absolute gate of BS.1770 requires. Each bin stores the sum of
/// its powers, so that means are exact except for blocks in the bin of a gate. The counters last for days.
struct LoudnessHistogram {
  private static let binCount = 2_000
  private static let binsInUnit = 20.0
  /// The absolute gate, LUFS.
  static let minimum = -70.0

  private let counts: UnsafeMutablePointer<UInt32>
  private let powers: UnsafeMutablePointer<Double>
  private var count = 0
  private var power = 0.0

  init() {
    counts = .allocate(capacity: Self.binCount)
    powers = .allocate(capacity: Self.binCount)
    clear()
  }

  func free() {
    counts.deallocate()
    powers.deallocate()
  }

  @_noLocks
  mutating func clear() {
    counts.update(repeating: 0, count: Self.binCount)
    powers.update(repeating: 0, count: Self.binCount)
    count = 0
    power = 0
  }

  /// Counts a block.
  @_noLocks
  mutating func add(power blockPower: Double, loudness: Double) {
    guard loudness >= Self.minimum else { return }
    let bin = bin(of: loudness)
    counts[bin] += 1
    powers[bin] += blockPower
    count += 1
    power += blockPower
  }

  /// Returns the mean power of the blocks above the gate, which is relative to the mean of all blocks.
  ///
  /// - Parameter gate: LU, negative.
  /// - Returns: nil if there are no blocks.
  @_noLocks
  func gatedPower(gate: Double) -> Double? {
    guard count > 0 else { return nil }
    var gatedCount: UInt64 = 0
    var gatedPower = 0.0
    for bin in firstBin(gate: gate) ..< Self.binCount where counts[bin] > 0 {
      gatedCount += UInt64(counts[bin])
      gatedPower += powers[bin]
    }
    return gatedCount > 0 ? gatedPower / Double(gatedCount) : nil
  }

  /// The distance in LU from the 10th to the 95th percentile of the gated blocks, EBU Tech 3342.
  @_noLocks
  func range(gate: Double) -> Double {
    guard count > 0 else { return 0 }
    let first = firstBin(gate: gate)
    var gatedCount: UInt64 = 0
    for bin in first ..< Self.binCount { gatedCount += UInt64(counts[bin]) }
    guard gatedCount > 0 else { return 0 }
    // The ranks are rounded, counted from 0.
    let lowRank = UInt64(Double(gatedCount - 1) * 0.1 + 0.5)
    let highRank = UInt64(Double(gatedCount - 1) * 0.95 + 0.5)
    var (low, high) = (-1, -1)
    var passed: UInt64 = 0
    for bin in first ..< Self.binCount where counts[bin] > 0 {
      passed += UInt64(counts[bin])
      if low < 0, passed > lowRank { low = bin }
      if passed > highRank {
        high = bin
        break
      }
    }
    return Double(high - low) / Self.binsInUnit
  }

  @_noLocks
  private func firstBin(gate: Double) -> Int {
    bin(of: max(Self.minimum, Loudness.fromPower(power / Double(count)) + gate))
  }

  @_noLocks
  private func bin(of loudness: Double) -> Int {
    let position = (loudness - Self.minimum) * Self.binsInUnit
    return min(max(Int(min(position, 1e6)), 0), Self.binCount - 1)
  }
}

/// Loudness and power.
enum Loudness {
  /// The display of silence, LUFS.
  static let silence = -120.0

  /// The loudness in LUFS of a K-weighted power, summed over the channels; not below -120.
  @_noLocks
  static func fromPower(_ power: Double) -> Double {
    power > 1e-12 ? -0.691 + 10 * realtime_log10(power) : silence
  }
}
