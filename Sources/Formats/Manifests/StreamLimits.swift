// StreamLimits.swift: the numbers that manifests accept for a stream. SPDX-License-Identifier: MIT

/// Ranges of stream settings: more than any card supports, but small enough to detect typing errors.
package enum StreamLimits {
  /// Sample rates in Hz.
  package static let ratesHz = 1000 ... 768_000
  /// Frames of a period.
  package static let periodFrames = 1 ... 65_536
  /// Periods of a buffer.
  package static let periodCounts = 2 ... 64
}
