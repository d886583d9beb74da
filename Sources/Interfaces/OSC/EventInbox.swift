// EventInbox.swift: events that wait for the event loop. SPDX-License-Identifier: MIT

import HostModel
import Synchronization

/// Keeps events until the event loop reads them. [any]
///
/// New values of parameters do not wake the event loop while nobody receives them; it reads them before it uses any
/// value.
final class EventInbox: Sendable {
  /// The events that may wait without a reader.
  private static let maximumCount = 256

  private struct State {
    var events: [SharedEvent] = []
    var isObserved = false
    /// Whether the event loop will read the events soon.
    var isAwaited = false
  }

  private let state = Mutex(State())

  /// Adds an event; returns whether the event loop must wake.
  func add(_ event: SharedEvent) -> Bool {
    state.withLock { state in
      state.events.append(event)
      guard !state.isAwaited else { return false }
      state.isAwaited =
        state.isObserved || !Self.isOfParameters(event) || state.events.count >= Self.maximumCount
      return state.isAwaited
    }
  }

  /// Returns and clears the events.
  func take() -> [SharedEvent] {
    state.withLock { state in
      defer { (state.events, state.isAwaited) = ([], false) }
      return state.events
    }
  }

  /// Records whether anyone receives values.
  func setObserved(_ isObserved: Bool) { state.withLock { $0.isObserved = isObserved } }

  private static func isOfParameters(_ event: SharedEvent) -> Bool {
    guard case .changed(let changed) = event.message.event else { return false }
    return changed.changes.allSatisfy { $0.kind == .parameter }
  }
}
