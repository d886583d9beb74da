// LinkInput.swift: the clock of an Ableton Link session, for a transport. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginModel
import Synchronization

/// Publishes the reports of an Ableton Link session for the audio thread.
package final class LinkInput: Sendable {
  private struct State {
    var reading = ClockReading()
    /// The number of other programs; nil while there are no reports.
    var peerCount: Int?
    /// The change time of the last report; nil before the first one.
    var changeTime: UInt64?
    /// When the tempo was set here: earlier reports have another one.
    var requestTime: UInt64 = 0
    var isLost = false
    var hasRefused = false
    var isAnnounced = false
  }

  /// The readings for the audio thread.
  package let published = PublishedClock()
  private let notices = NoticeQueue()
  private let state = Mutex(State())

  /// Creates a clock without reports.
  package init() {}

  /// Expects the reports of a new process. [any]
  ///
  /// - Parameters:
  ///   - position: quarter notes since the beginning; nil to continue from the last report.
  ///   - quartersPerMinute: the tempo.
  ///   - isRolling: whether the transport rolls.
  ///   - now: CLOCK_MONOTONIC in ns.
  /// - Returns: the position from which the process must continue.
  package func begin(
    at position: Double?, quartersPerMinute: Double, isRolling: Bool, now: UInt64
  ) -> Double {
    state.withLock { state in
      let isMoving = state.reading.isRolling
      let last = isMoving ? state.reading.quarters(at: now) : state.reading.quarters
      state.reading.quarters = position ?? last
      state.reading.time = now
      state.reading.quartersPerMinute = quartersPerMinute
      state.reading.isRolling = isRolling
      state.changeTime = nil
      return state.reading.quarters
    }
  }

  /// Processes a line of the process; an invalid one has no effect, and is reported once. [one thread at a time]
  ///
  /// - Parameters:
  ///   - line: a line without its end.
  ///   - now: when it arrived, CLOCK_MONOTONIC in ns.
  package func receive(_ line: String, at now: UInt64) {
    state.withLock { state in
      guard let report = LinkReport(line, at: now) else {
        if !state.hasRefused { notices.append(.linkLineInvalid) }
        state.hasRefused = true
        return
      }
      announce(report, &state)
      guard report.time >= state.requestTime else { return }
      update(&state, report)
      published.publish(state.reading)
    }
  }

  /// An older stop was before this program has joined the session, in ns.
  private static let stopAge: UInt64 = 1_000_000_000

  private func announce(_ report: LinkReport, _ state: inout State) {
    (state.peerCount, state.isLost) = (report.peerCount, false)
    if report.peerCount > 0, !state.isAnnounced {
      notices.append(.linkJoined)
    }
    state.isAnnounced = report.peerCount > 0
  }

  private func update(_ state: inout State, _ report: LinkReport) {
    var reading = state.reading
    reading.quartersPerMinute = report.quartersPerMinute
    let isChanged = state.changeTime.map { $0 != report.changeTime } ?? false
    state.changeTime = report.changeTime
    if isChanged || report.isPlaying != reading.isRolling {
      reading.changeCount &+= 1
      reading.changeTime = report.changeTime
      reading.isRolling = report.isPlaying
    } else if !reading.isRolling {
      state.reading = reading
      return
    }
    (reading.time, reading.quarters) = (report.time, report.quarters)
    if !report.isPlaying, report.time < report.changeTime &+ Self.stopAge {
      reading.quarters = reading.quarters(at: report.changeTime)
      reading.time = report.changeTime
    }
    state.reading = reading
  }

  /// Sets the tempo before the session reports it. [any]
  ///
  /// - Parameters:
  ///   - quartersPerMinute: the tempo.
  ///   - now: CLOCK_MONOTONIC in ns.
  package func setTempo(_ quartersPerMinute: Double, at now: UInt64) {
    state.withLock { state in
      if state.reading.isRolling {
        state.reading.quarters = state.reading.quarters(at: now)
        state.reading.time = now
      }
      state.reading.quartersPerMinute = quartersPerMinute
      state.requestTime = now
      if state.peerCount != nil { published.publish(state.reading) }
    }
  }

  /// Stops controlling the transport, because the process has ended. [any]
  ///
  /// - Parameter isExpected: whether this program ended it.
  package func end(isExpected: Bool) {
    state.withLock { state in
      (state.peerCount, state.isAnnounced) = (nil, false)
      state.isLost = !isExpected
      // Without a tempo the transport is not steered: it continues, and clients can change its tempo.
      var reading = state.reading
      reading.quartersPerMinute = 0
      published.publish(reading)
    }
  }

  /// Whether the session plays. [any]
  package var isRolling: Bool { state.withLock { $0.reading.isRolling } }

  /// The state of the Link session: whether other programs are in it. [any]
  package var status: ClockStatus {
    state.withLock { state in
      let peers = state.peerCount ?? 0
      return ClockStatus(
        device: "link", state: state.isLost ? .lost : peers > 0 ? .locked : .waiting, peers: peers)
    }
  }

  /// Returns the notices since the last call. [any]
  package func takeNotices() -> [HostNotice] { notices.take() }
}
