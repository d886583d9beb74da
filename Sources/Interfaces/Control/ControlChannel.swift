// ControlChannel.swift: a connection for displays, which sends commands while events arrive. SPDX-License-Identifier: MIT

import FoundationEssentials
package import HostModel
import RealtimeKit

/// A connection to a session on which commands, their replies and events pass each other.
///
/// `ControlClient` waits for each reply. A display must not: it sends commands with identifiers, and receives
/// replies and events in the order in which the session sent them.
package final class ControlChannel: Sendable {
  /// A message from the session.
  package enum Message: Sendable {
    /// The reply to the command with its identifier.
    case reply(ReplyMessage)
    /// An event of the subscription.
    case event(EventMessage)
    /// The connection has ended; nothing follows.
    case ended(ControlError)
  }

  /// The name of the session.
  package let name: String
  private let socket: UnixSocket
  /// A session that does not read for as long is given up, in seconds.
  private static let sendSeconds = 2.0
  /// A subscription may have no event for days.
  private static let idleSeconds = 1e6
  private static let lineSeconds = 10.0

  /// Connects to a session by its name, or to the only one if `name` is nil. [any thread that may wait for seconds]
  ///
  /// - Parameters:
  ///   - wanted: the name of the session.
  ///   - environment: determines the directories of the sockets.
  ///   - receive: called for each message, on the thread of the connection.
  /// - Throws: `ControlError` if there is none, or there are several and no name.
  package init(
    run wanted: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
    receive: @escaping @Sendable (Message) -> Void
  ) throws(ControlError) {
    (name, socket) = try ControlClient.connect(run: wanted, environment)
    let (name, socket) = (name, socket)
    let failure = DetachedThread.start {
      receive(.ended(Self.read(name, socket, receive)))
    }
    if failure != nil { throw .ended(name: name) }
  }

  /// Sends a command; false if the session has ended or does not read. [one thread]
  package func send(_ message: CommandMessage) -> Bool {
    socket.send(line: Data(message.line.utf8), seconds: Self.sendSeconds)
  }

  /// Ends the connection; `receive` is called once more. [any]
  package func close() { socket.shutDown() }

  /// Passes messages on until the connection ends; returns why.
  private static func read(
    _ name: String, _ socket: UnixSocket, _ receive: @Sendable (Message) -> Void
  ) -> ControlError {
    var rest = Data()
    while true {
      let read = socket.readLine(
        &rest, idleSeconds: idleSeconds, lineSeconds: lineSeconds,
        longestBytes: UnixSocket.longestReplyBytes)
      guard case .line(let line) = read else {
        if case .ended = read { return .ended(name: name) }
        return .protocolError(name: name)
      }
      guard let message = message(in: line) else { return .protocolError(name: name) }
      // A session that refuses the connection says so without an identifier, and closes it.
      if case .reply(let reply) = message, reply.id == nil, let error = reply.reply.error {
        return .refused(error)
      }
      receive(message)
    }
  }

  private static func message(in line: Data) -> Message? {
    // Every object can be read as a reply without contents, so events come first.
    if let event = JSONLine.read(EventMessage.self, line) { return .event(event) }
    return JSONLine.read(ReplyMessage.self, line).map { .reply($0) }
  }
}
