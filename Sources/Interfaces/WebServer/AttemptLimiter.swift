// AttemptLimiter.swift: limits wrong tokens. SPDX-License-Identifier: MIT

/// Counts wrong tokens of each address, and blocks an address that sends many. [any one thread at a time]
struct AttemptLimiter {
  /// Wrong tokens within `windowSeconds` after which an address is blocked.
  static let maximumCount = 10
  /// The time in which tokens are counted, and for which an address is blocked.
  static let windowSeconds = 60.0
  /// Addresses that are remembered; the oldest one is forgotten first.
  static let maximumAddressCount = 1_024

  private struct Record {
    var count = 0
    var begin: ContinuousClock.Instant
  }

  private var records: [String: Record] = [:]

  /// Whether an address may try a token.
  mutating func mayTry(_ address: String, at now: ContinuousClock.Instant = .now) -> Bool {
    guard let record = records[address] else { return true }
    if now - record.begin >= .seconds(Self.windowSeconds) {
      records[address] = nil
      return true
    }
    return record.count < Self.maximumCount
  }

  /// Records a wrong token; returns whether it is worth a message: the first one, and the one that blocks.
  mutating func recordFailure(
    of address: String, at now: ContinuousClock.Instant = .now
  ) -> (isFirst: Bool, isBlocked: Bool) {
    _ = mayTry(address, at: now)
    if records[address] == nil, records.count >= Self.maximumAddressCount {
      if let oldest = records.min(by: { $0.value.begin < $1.value.begin }) {
        records[oldest.key] = nil
      }
    }
    records[address, default: Record(begin: now)].count += 1
    let count = records[address]?.count ?? 0
    return (count == 1, count == Self.maximumCount)
  }
}
