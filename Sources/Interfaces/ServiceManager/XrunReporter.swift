// XrunReporter.swift: lines about xruns at a limited rate. SPDX-License-Identifier: MIT

/// Joins xruns to lines with an interval between them.
///
/// It reads no clock, so tests need not wait.
package struct XrunReporter {
  private let intervalNanoseconds: UInt64
  private var reportedCount = 0
  private var reportedLostSeconds = 0.0
  private var lastLine: UInt64?

  /// Creates a reporter with the minimum interval of its lines.
  package init(intervalNanoseconds: UInt64) { self.intervalNanoseconds = intervalNanoseconds }

  /// Returns a line such as `3 xruns, 12 ms lost.` for the xruns since the last line; nil for none. [main]
  ///
  /// `count` and `lostSeconds` are those since the start. Before the interval has ended, there is no line.
  package mutating func line(
    _ count: Int, _ lostSeconds: Double, nanoseconds: UInt64
  ) -> String? {
    let new = count - reportedCount
    guard new > 0 else { return nil }
    if let lastLine, nanoseconds < lastLine + intervalNanoseconds { return nil }
    let milliseconds = Int(((lostSeconds - reportedLostSeconds) * 1_000).rounded())
    (reportedCount, reportedLostSeconds, lastLine) = (count, lostSeconds, nanoseconds)
    return "\(new == 1 ? "1 xrun" : "\(new) xruns"), \(milliseconds) ms lost."
  }
}
