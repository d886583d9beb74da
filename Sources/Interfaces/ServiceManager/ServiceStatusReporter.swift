// ServiceStatusReporter.swift: journal lines and messages about a session. SPDX-License-Identifier: MIT

/// Converts readings, taken several times per second, to journal lines and messages for the service manager.
///
/// It reads no clock and writes nothing, so tests need not wait.
package struct ServiceStatusReporter {
  /// The status of the session at one moment.
  package struct Reading {
    /// The frames rendered since the start.
    package var frameCount: UInt64 = 0
    /// The status line for `systemctl status`.
    package var status = ""
    /// The number of xruns since the start.
    package var xrunCount = 0
    /// The lost audio in seconds.
    package var lostSeconds = 0.0
    /// The devices that are not running, by name, with the reason.
    package var faults: [String: String] = [:]

    /// Creates a reading without events.
    package init() {}
  }

  /// A line with its priority.
  package struct Line: Equatable {
    /// The priority.
    package let priority: JournalPriority
    /// The text.
    package let text: String

    /// Creates a line.
    package init(_ priority: JournalPriority, _ text: String) {
      self.priority = priority
      self.text = text
    }
  }

  /// The interval of status messages, in nanoseconds.
  package static let statusInterval: UInt64 = 5_000_000_000

  private var isReady = false
  private var watchdog: Watchdog?
  private var lastStatus: UInt64 = 0
  /// The interval limits the size of the journal.
  private var xruns = XrunReporter(intervalNanoseconds: 10_000_000_000)
  private var faults: [String: String] = [:]

  /// Creates a reporter; it sends watchdog pings if the manager requests them.
  package init(watchdog: Watchdog?) { self.watchdog = watchdog }

  /// Returns the messages for the service manager and the log lines that follow from a reading.
  /// [main]
  package mutating func take(
    _ reading: Reading, nanoseconds: UInt64
  ) -> (messages: [ServiceMessage], lines: [Line]) {
    let late = xruns.line(reading.xrunCount, reading.lostSeconds, nanoseconds: nanoseconds)
    let lines = deviceLines(reading) + (late.map { [Line(.warning, $0)] } ?? [])
    var messages: [ServiceMessage] = []
    if !isReady, reading.frameCount > 0 {
      isReady = true
      lastStatus = nanoseconds
      messages.append(.ready(status: reading.status))
    } else if nanoseconds >= lastStatus + Self.statusInterval || !lines.isEmpty {
      lastStatus = nanoseconds
      messages.append(.status(reading.status))
    }
    let isPinging = watchdog?.isDue(frameCount: reading.frameCount, nanoseconds: nanoseconds)
    if isPinging == true { messages.append(.watchdog) }
    return (messages, lines)
  }

  /// Returns lines about devices that were lost or reconnected.
  private mutating func deviceLines(_ reading: Reading) -> [Line] {
    let changed = reading.faults.filter { faults[$0.key] != $0.value }.sorted { $0.key < $1.key }
    let back = faults.keys.filter { reading.faults[$0] == nil }.sorted()
    faults = reading.faults
    return changed.map { Line(.warning, $0.value) }
      + back.map { Line(.notice, "The device \($0) was reconnected.") }
  }
}
