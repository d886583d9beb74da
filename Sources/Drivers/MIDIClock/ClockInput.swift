// ClockInput.swift: the MIDI clock of a device, for a transport. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginModel
import Synchronization

/// The clock that a transport follows, as users see it.
package struct ClockStatus: Sendable, Equatable {
  /// The device, as it was requested.
  package var device: String
  /// The state of the clock.
  package var state: ClockTracker.State
  /// The number of other programs of an Ableton Link session; nil for a MIDI clock.
  package var peers: Int?

  /// A status by its values.
  package init(device: String, state: ClockTracker.State, peers: Int? = nil) {
    (self.device, self.state, self.peers) = (device, state, peers)
  }
}

/// Receives the clock of one device and publishes it for the audio thread.
///
/// While one port sends a clock, those of other ports are ignored.
package final class ClockInput: Sendable {
  private struct State {
    var tracker: ClockTracker
    /// The port whose clock is followed; nil for none.
    var source: String?
    /// Whether the last notice was about a clock.
    var isAnnounced = false
  }

  /// The requested device.
  package let device: String
  /// The readings for the audio thread.
  package let published = PublishedClock()
  private let notices = NoticeQueue()
  private let state: Mutex<State>

  /// Creates a clock without messages.
  ///
  /// - Parameters:
  ///   - device: the name of the device, for messages.
  ///   - quartersPerMinute: the tempo until the clock's own is known.
  package init(device: String, quartersPerMinute: Double) {
    self.device = device
    state = Mutex(State(tracker: ClockTracker(quartersPerMinute: quartersPerMinute)))
  }

  /// Processes a message. [one thread at a time]
  ///
  /// - Parameters:
  ///   - message: a complete message; all but those of a clock are ignored.
  ///   - source: the port that sent it.
  ///   - time: when it arrived, CLOCK_MONOTONIC in ns.
  package func receive(_ message: [UInt8], from source: String, at time: UInt64) {
    guard let status = message.first, status >= 0xf2 else { return }
    state.withLock { state in
      let isAbsent = state.tracker.state == .waiting || state.tracker.state == .lost
      if state.source == nil || isAbsent { state.source = source }
      guard state.source == source else { return }
      state.tracker.receive(message, at: time)
      published.publish(state.tracker.reading)
      if state.tracker.state == .locked, !state.isAnnounced {
        state.isAnnounced = true
        notices.append(.clockFollowed(source))
      }
    }
  }

  /// Detects a lost clock; called several times a second. [any]
  ///
  /// - Parameter now: CLOCK_MONOTONIC in ns.
  package func poll(at now: UInt64) {
    state.withLock { state in
      guard state.tracker.poll(at: now) else { return }
      state.isAnnounced = false
      // Without a tempo the transport is not steered: it continues, and clients can change its tempo.
      var reading = state.tracker.reading
      reading.quartersPerMinute = 0
      published.publish(reading)
      let tempo = (state.tracker.reading.quartersPerMinute * 10).rounded() / 10
      notices.append(.clockLost(state.source ?? device, tempo: tempo))
    }
  }

  /// The state of the clock, for displays. [any]
  package var status: ClockStatus {
    ClockStatus(device: device, state: state.withLock { $0.tracker.state })
  }

  /// Returns the notices since the last call. [any]
  package func takeNotices() -> [HostNotice] { notices.take() }
}
