// ConnectionTable.swift: the open connections of a session. SPDX-License-Identifier: MIT

import ErrorModel
package import HostModel
import Synchronization

/// The open connections of a session. [any]
///
/// If there are too many, a new connection replaces the one that has been idle for the longest
/// time. A client that sends its command slowly, or does not read its reply, is idle as well; one
/// that receives events is not. Displays leave some connections for single commands.
package final class ConnectionTable: Sendable {
  /// Connections at a time.
  package static let limit = 40
  /// Connections that receive events.
  static let subscriberLimit = 32

  /// Says that no connection is left.
  package static let full = ErrorInfo(
    message: "The session has \(limit) connections in use, the most possible. Close a client.",
    kind: .busy)
  /// Says that no further client can receive events.
  static let tooManySubscribers = ErrorInfo(
    message:
      "\(subscriberLimit) clients receive events already, the most possible. Close one of them.",
    kind: .busy)

  private let connections = Mutex<[ClientConnection]>([])

  /// An empty table. [any]
  package init() {}

  /// Adds a connection; nil if all others are in use.
  package func admit(_ transport: any LineTransport) -> ClientConnection? {
    connections.withLock { connections in
      while connections.count >= Self.limit {
        let idle = connections.indices.compactMap { index in
          connections[index].idleSince.map { (index: index, since: $0) }
        }
        guard let oldest = idle.min(by: { $0.since < $1.since }) else { return nil }
        // It may have become busy in between.
        if connections[oldest.index].closeIfIdle() { connections.remove(at: oldest.index) }
      }
      let connection = ClientConnection(transport)
      connections.append(connection)
      return connection
    }
  }

  /// Records that a connection receives events; false if too many others do.
  func subscribe(_ connection: ClientConnection) -> Bool {
    connections.withLock { connections in
      guard
        connection.isSubscribed || connections.count(where: \.isSubscribed) < Self.subscriberLimit
      else { return false }
      connection.isSubscribed = true
      return true
    }
  }

  /// Removes a connection that has ended.
  func remove(_ connection: ClientConnection) {
    connections.withLock { $0.removeAll { $0 === connection } }
  }

  /// Whether all pending data has been sent.
  package var isSent: Bool {
    connections.withLock { $0 }.allSatisfy(\.queue.isEmpty)
  }
}
