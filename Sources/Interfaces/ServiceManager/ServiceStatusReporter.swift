// ServiceStatusReporter.swift: what of a running rig is worth a line in the journal. SPDX-License-Identifier: MIT

/// Turns readings taken several times a second into lines and messages for a service manager.
///
/// It reads no clock and writes nothing, so that it can be tested without waiting.
package struct ServiceStatusReporter {
  /// How the rig goes at one moment.
  package struct Reading {
    /// Frames rendered since the start.
    package var frameCount: UInt64 = 0
    /// How it goes in a line, for `systemctl status`.
    package var status = ""
    /// Interruptions since the start.
    package var xrunCount = 0
    /// Sound that was lost in them, in seconds.
    package var lostSeconds = 0.0
    /// Devices that do not run, by name, with the sentence that says why.
    package var faults: [String: String] = [:]

    /// Nothing has happened.
    package init() {}
  }

  /// A line with its priority.
  package struct Line: Equatable {
    /// How urgent it is.
    package let priority: JournalPriority
    /// What it says.
    package let text: String

    /// A line.
    package init(_ priority: JournalPriority, _ text: String) {
      self.priority = priority
      self.text = text
    }
  }

  /// How often the status is told, in nanoseconds.
  package static let statusInterval: UInt64 = 5_000_000_000
  /// The least between two lines about xruns, in nanoseconds: a storm of them shall not fill a disk.
  package static let xrunInterval: UInt64 = 10_000_000_000

  private var isReady = false
  private var watchdog: Watchdog?
  private var lastStatus: UInt64 = 0
  private var toldXruns = 0
  private var toldLostSeconds = 0.0
  private var lastXrunLine: UInt64?
  private var faults: [String: String] = [:]

  /// A watch that pings where the manager asked for it.
  package init(watchdog: Watchdog?) { self.watchdog = watchdog }

  /// What to send and to write after a reading; the time is on a clock that never goes back. [main]
  package mutating func take(
    _ reading: Reading, nanoseconds: UInt64
  ) -> (messages: [ServiceMessage], lines: [Line]) {
    let lines = deviceLines(reading) + xrunLine(reading, nanoseconds)
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

  /// Devices that went, and that came back.
  private mutating func deviceLines(_ reading: Reading) -> [Line] {
    let gone = reading.faults.filter { faults[$0.key] != $0.value }.sorted { $0.key < $1.key }
    let back = faults.keys.filter { reading.faults[$0] == nil }.sorted()
    faults = reading.faults
    return gone.map { Line(.warning, $0.value) }
      + back.map { Line(.notice, "The device \($0) was reconnected.") }
  }

  private mutating func xrunLine(_ reading: Reading, _ nanoseconds: UInt64) -> [Line] {
    let count = reading.xrunCount - toldXruns
    guard count > 0 else { return [] }
    if let lastXrunLine, nanoseconds < lastXrunLine + Self.xrunInterval { return [] }
    let milliseconds = Int(((reading.lostSeconds - toldLostSeconds) * 1_000).rounded())
    toldXruns = reading.xrunCount
    toldLostSeconds = reading.lostSeconds
    lastXrunLine = nanoseconds
    return [Line(.warning, "\(count == 1 ? "1 xrun" : "\(count) xruns"), \(milliseconds) ms lost.")]
  }
}
