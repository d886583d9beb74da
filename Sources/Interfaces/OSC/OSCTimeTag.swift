// OSCTimeTag.swift: the time of a bundle. SPDX-License-Identifier: MIT

import Glibc

/// A time in units of 2^-32 seconds since 1 January 1900, as in NTP.
package struct OSCTimeTag: Sendable, Hashable, Comparable {
  /// The time; 1 means immediately.
  package var rawValue: UInt64

  /// A tag by its bits.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Immediately.
  package static let immediate = OSCTimeTag(rawValue: 1)

  /// The seconds from 1900 to 1970.
  private static let epochSeconds: UInt64 = 2_208_988_800

  /// The time of the system's clock. [any]
  package static var now: OSCTimeTag {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let fraction = UInt64(time.tv_nsec) << 32 / 1_000_000_000
    return OSCTimeTag(rawValue: (UInt64(time.tv_sec) &+ epochSeconds) << 32 | fraction)
  }

  /// The seconds from another tag to this one; negative if this one is earlier.
  package func seconds(since other: OSCTimeTag) -> Double {
    Double(Int64(bitPattern: rawValue &- other.rawValue)) / 4_294_967_296
  }

  /// A tag some seconds later.
  package func advanced(by seconds: Double) -> OSCTimeTag {
    OSCTimeTag(rawValue: rawValue &+ UInt64(bitPattern: Int64(seconds * 4_294_967_296)))
  }

  /// Compares times.
  package static func < (left: OSCTimeTag, right: OSCTimeTag) -> Bool {
    left.rawValue < right.rawValue
  }
}
