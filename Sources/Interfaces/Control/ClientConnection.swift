// ClientConnection.swift: a connection of a client. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import HostModel
import Synchronization

/// A connection of a client: its commands in progress, and its outgoing replies and events. [any]
package final class ClientConnection: Sendable {
  /// Commands whose replies have not been sent yet.
  static let maximumRequestCount = 256

  private struct State {
    /// The number of commands in progress.
    var openRequests = 0
    /// Whether the client receives events.
    var isSubscribed = false
    /// Whether the connection was closed in favour of another one.
    var isClosed = false
    /// When the last command ended, or the connection began, in nanoseconds of the monotonic clock.
    var idleSince = DispatchTime.now().uptimeNanoseconds
  }

  let transport: any LineTransport
  let queue = OutgoingQueue()
  /// Keeps the replies in the order of their commands.
  let replies = ReplyOrder()
  private let state = Mutex(State())
  /// One for each further command that the client may send.
  private let credits = DispatchSemaphore(value: maximumRequestCount)
  /// The last reply that is nothing but a change.
  ///
  /// The commands of one batch have equal ones, and encoding takes longer than the rest of a command.
  private let lastChange = Mutex<(message: ReplyMessage, line: Data)?>(nil)

  init(_ transport: any LineTransport) { self.transport = transport }

  // MARK: - Commands

  /// Records that a command is being carried out, once there is room for its reply; false if the connection
  /// has been closed.
  func begin() -> Bool {
    credits.wait()
    let isOpen = state.withLock { state in
      if !state.isClosed { state.openRequests += 1 }
      return !state.isClosed
    }
    if !isOpen { credits.signal() }
    return isOpen
  }

  /// Sends the reply to a command that has been carried out, once all replies before it have been sent.
  ///
  /// - Parameters:
  ///   - message: the reply; nil for a command without one.
  ///   - position: the position of the reply; nil to send it at once.
  func end(_ message: ReplyMessage?, at position: Int?) {
    guard let position else { return send(message) }
    replies.append(message, at: position, send: send)
  }

  private func send(_ message: ReplyMessage?) {
    // A reply that was not sent at once is sent later by `sendAll`, which releases its credit.
    if message.map({ queue.append(reply: line(of: $0), sendNow: transport.sendNow) }) ?? true {
      credits.signal()
    }
    state.withLock { state in
      state.openRequests -= 1
      state.idleSince = DispatchTime.now().uptimeNanoseconds
    }
  }

  private func line(of message: ReplyMessage) -> Data {
    guard message.reply.change != nil, message.reply.result == nil else {
      return JSONLine.data(message)
    }
    return lastChange.withLock { last in
      if let last, last.message == message { return last.line }
      let line = JSONLine.data(message)
      last = (message, line)
      return line
    }
  }

  /// Waits until all commands are complete and their replies sent, or the client has disconnected.
  func finish() {
    for _ in 0 ..< Self.maximumRequestCount { credits.wait() }
    // A semaphore must not be released with a lower value than it began with.
    for _ in 0 ..< Self.maximumRequestCount { credits.signal() }
    queue.close()
  }

  /// Whether the client receives events, so that it need not send anything.
  var isSubscribed: Bool {
    get { state.withLock { $0.isSubscribed } }
    set { state.withLock { $0.isSubscribed = newValue } }
  }

  /// Since when no command has been carried out; nil while one is, and for subscribers.
  var idleSince: UInt64? {
    state.withLock { $0.openRequests > 0 || $0.isSubscribed ? nil : $0.idleSince }
  }

  /// Closes the connection unless a command is being carried out.
  func closeIfIdle() -> Bool {
    let isClosed = state.withLock { state in
      state.isClosed = state.openRequests == 0 && !state.isSubscribed
      return state.isClosed
    }
    if isClosed { transport.shutDown() }
    return isClosed
  }

  // MARK: - The thread that sends

  /// Sends replies and events until the queue is closed.
  ///
  /// A client that does not read what is sent within `seconds` is disconnected.
  func sendAll(seconds: Double) {
    var isGone = false
    while let item = queue.next() {
      if !isGone, !transport.send(line: item.line, seconds: seconds) {
        isGone = true
        transport.shutDown()
      }
      queue.sent()
      switch item {
      case .reply: credits.signal()
      case .event, .rest: break
      case .lastMessage:
        isGone = true
        transport.shutDown()
      }
    }
  }
}
