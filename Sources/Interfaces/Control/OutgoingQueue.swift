// OutgoingQueue.swift: replies and events that wait to be sent. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import HostModel
import Synchronization

/// Outgoing replies and events of a client, in order. [any]
///
/// Appending never blocks. Replies are limited by the number of commands that a connection may have
/// in progress. A slow client misses events that replace each other, such as levels; if too many
/// others wait, it is disconnected.
final class OutgoingQueue: Sendable {
  /// Events that may wait.
  static let maximumEventCount = 4_096

  /// One line.
  enum Item {
    /// A reply, or the part of it that was not sent at once.
    case reply(Data)
    case event(SharedEvent)
    /// The part of an event that was not sent at once.
    case rest(Data)
    /// Says why the connection is closed next.
    case lastMessage(Data)

    var line: Data {
      switch self {
      case .reply(let line), .rest(let line), .lastMessage(let line): line
      case .event(let event): event.line
      }
    }
  }

  private struct State {
    var items: [Item] = []
    var eventCount = 0
    /// Whether a line is being sent.
    var isSending = false
    var isClosed = false
    /// Whether the client was too slow, so that it receives no more.
    var isOverrun = false

    /// Sends a line, unless another one waits or is being sent.
    func sendNow(_ line: Data, by send: (Data) -> SentPart) -> SentPart {
      items.isEmpty && !isSending ? send(line) : .nothing
    }
  }

  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// Adds a reply, unless nothing waits and `sendNow` sends it without waiting; returns whether it was sent.
  func append(reply: Data, sendNow: (Data) -> SentPart = { _ in .nothing }) -> Bool {
    let isSent = state.withLock { state in
      switch state.sendNow(reply, by: sendNow) {
      case .all: return true
      case .allExcept(let rest): state.items.append(.reply(rest))
      case .nothing: state.items.append(.reply(reply))
      }
      return false
    }
    if !isSent { arrival.signal() }
    return isSent
  }

  /// Adds an event, unless nothing waits and `sendNow` sends it without waiting.
  ///
  /// So the thread that sends need not wake for each event.
  func append(event: SharedEvent, sendNow: (Data) -> SentPart = { _ in .nothing }) {
    let isNew = state.withLock { state in
      guard !state.isClosed, !state.isOverrun else { return false }
      switch state.sendNow(event.line, by: sendNow) {
      case .all: return false
      case .allExcept(let rest):
        state.items.append(.rest(rest))
        return true
      case .nothing: break
      }
      if let key = event.message.event.replacementKey, state.eventCount > 0,
        let index = state.items.lastIndex(where: { Self.key(of: $0) == key })
      {
        state.items[index] = .event(event)
        return false
      }
      guard state.eventCount < Self.maximumEventCount else {
        state.isOverrun = true
        state.items.append(.lastMessage(JSONLine.data(ReplyMessage(Reply(Self.overrun)))))
        return true
      }
      state.items.append(.event(event))
      state.eventCount += 1
      return true
    }
    if isNew { arrival.signal() }
  }

  private static func key(of item: Item) -> String? {
    guard case .event(let event) = item else { return nil }
    return event.message.event.replacementKey
  }

  private static let overrun = ErrorInfo(
    message:
      "The client reads too slowly: \(maximumEventCount) events waited, so the connection was closed.",
    kind: .busy)

  /// The next line, waited for; nil once the queue is closed and empty. [the thread that sends]
  func next() -> Item? {
    while true {
      arrival.wait()
      let (item, isOver) = state.withLock { state -> (Item?, Bool) in
        guard !state.items.isEmpty else { return (nil, state.isClosed) }
        let item = state.items.removeFirst()
        if case .event = item { state.eventCount -= 1 }
        state.isSending = true
        return (item, false)
      }
      if let item { return item }
      if isOver { return nil }
    }
  }

  /// Records that the line has been sent. [the thread that sends]
  func sent() { state.withLock { $0.isSending = false } }

  /// Whether nothing waits or is being sent.
  var isEmpty: Bool { state.withLock { $0.items.isEmpty && !$0.isSending } }

  /// Accepts no more events; `next` returns the rest, and then nil.
  func close() {
    state.withLock { $0.isClosed = true }
    arrival.signal()
  }
}
