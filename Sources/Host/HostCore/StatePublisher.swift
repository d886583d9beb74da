// StatePublisher.swift: the state, its revisions and its subscribers. SPDX-License-Identifier: MIT

import Dispatch
import HostModel
import Session

/// Counts the changes of the state, keeps the last ones and sends them to subscribers. [main]
///
/// A subscriber receives the state at a revision, and then each later change exactly once: changes
/// of other clients as events, its own in the replies to its commands. All of this happens on one
/// thread in one order, so no change is missed or sent twice.
final class StatePublisher {
  /// The number of changes that are kept for clients that reconnect.
  static let maximumKeptChanges = 1_024

  /// The number of changes so far.
  private(set) var revision: UInt64
  /// The current state.
  private(set) var state: SessionState
  private var kept: [SharedEvent] = []
  private var subscriptions: [ClientID: Set<Event.Kind>] = [:]
  private let port: HostPort
  private let start = DispatchTime.now().uptimeNanoseconds

  init(_ state: SessionState, _ port: HostPort, revision: UInt64 = 0) {
    (self.state, self.port, self.revision) = (state, port, revision)
  }

  /// The time since the session began, in seconds, rounded to milliseconds.
  var seconds: Double {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
    return (Double(nanoseconds) / 1e6).rounded() / 1e3
  }

  // MARK: - Changes

  /// Publishes the difference to `next`; returns nil if there is none.
  ///
  /// The client that requested the change receives it in its reply, not as an event.
  func update(
    to next: SessionState, _ source: Event.Changed.Source, client: ClientID? = nil
  ) -> Event.Changed? {
    guard next != state else { return nil }
    let changes = state.changes(to: next)
    state = next
    return publish(changes, source, client)
  }

  /// Publishes new values of parameters; returns nil if there are none.
  func apply(
    _ values: [ValueChange], _ source: Event.Changed.Source, client: ClientID?
  ) -> Event.Changed? {
    let changes = values.map {
      StateChange.parameter(node: $0.node, symbol: $0.symbol, value: $0.new)
    }
    for change in changes { state.apply(change) }
    return publish(changes, source, client)
  }

  private func publish(
    _ changes: [StateChange], _ source: Event.Changed.Source, _ client: ClientID?
  ) -> Event.Changed? {
    guard !changes.isEmpty else { return nil }
    revision += 1
    let changed = Event.Changed(
      revision: revision, source: source, client: client, changes: changes)
    let event = SharedEvent(EventMessage(seconds: seconds, .changed(changed)))
    kept.append(event)
    if kept.count > Self.maximumKeptChanges * 2 { kept.removeFirst(Self.maximumKeptChanges) }
    send(event, except: client)
    return changed
  }

  // MARK: - Events

  /// Sends an event to its subscribers.
  func send(_ event: Event) {
    send(SharedEvent(EventMessage(seconds: seconds, event)), except: nil)
  }

  private func send(_ event: SharedEvent, except sender: ClientID?) {
    let kind = event.message.event.kind
    let clients = subscriptions.filter { $0.value.contains(kind) && $0.key != sender }.map(\.key)
    if !clients.isEmpty { port.deliver(event, to: clients) }
  }

  /// Whether anyone receives events of a kind.
  func isWanted(_ kind: Event.Kind) -> Bool {
    removeDisconnected()
    return subscriptions.contains { $0.value.contains(kind) }
  }

  private func removeDisconnected() {
    guard !subscriptions.isEmpty else { return }
    subscriptions = subscriptions.filter { port.isConnected($0.key) }
  }

  // MARK: - Subscribers

  /// Calls `complete` with the reply, then sends events to the client.
  func subscribe(_ client: ClientID, _ request: Command.Subscribe, complete: (Reply) -> Void) {
    subscriptions[client] = Set(request.events ?? Event.Kind.allCases)
    let missed = request.revision.flatMap(changes(since:))
    let snapshot = missed == nil ? Snapshot(revision: revision, state: state) : nil
    complete(Reply(.subscribed(.init(client: client, snapshot: snapshot))))
    guard subscriptions[client]?.contains(.changed) ?? false else { return }
    for event in missed ?? [] { port.deliver(event, to: [client]) }
  }

  /// Returns the changes after a revision; nil if some of them are no longer kept.
  private func changes(since known: UInt64) -> [SharedEvent]? {
    guard known <= revision, revision - known <= UInt64(kept.count) else { return nil }
    return kept.suffix(Int(revision - known))
  }

  /// Stops sending events to a client.
  func unsubscribe(_ client: ClientID) { subscriptions[client] = nil }
}
