// LineTransport.swift: what carries the lines of a client. SPDX-License-Identifier: MIT

package import FoundationEssentials
import Synchronization

/// A connection to a client that carries lines in both directions: a Unix socket, or a WebSocket.
package protocol LineTransport: Sendable {
  /// Waits for the next line. [one thread]
  ///
  /// - Parameters:
  ///   - idleSeconds: the time limit until the line begins.
  ///   - lineSeconds: the time limit from its first byte to its end.
  /// - Returns: the line without its line break, or why there is none.
  func readLine(idleSeconds: Double, lineSeconds: Double) -> IncomingLine

  /// Sends a line within `seconds`; returns false if the client has disconnected or does not read. [one thread]
  func send(line: Data, seconds: Double) -> Bool

  /// Sends what the connection takes of a line without waiting. [one thread at a time]
  ///
  /// No other line is being sent.
  func sendNow(line: Data) -> SentPart

  /// Wakes the threads that wait, and closes the connection. [any]
  func shutDown()
}

extension LineTransport {
  /// Default: nothing, so that the thread that sends does it.
  package func sendNow(line: Data) -> SentPart { .nothing }
}

/// The part of a line that was sent without waiting.
package enum SentPart: Equatable {
  /// The line and its line break.
  case all
  /// All but these bytes and the line break.
  case allExcept(Data)
  /// No byte.
  case nothing
}

/// The result of reading a line.
package enum IncomingLine {
  /// A line without its line break.
  case line(Data)
  /// The other side has closed the connection.
  case ended
  /// The line was not complete in time.
  case late
  /// The line is longer than `ClientLimits.longestRequestBytes`.
  case tooLong
}

/// The limits of clients.
package struct ClientLimits: Sendable {
  /// The length of the longest command.
  package static let longestRequestBytes = 1 << 20

  /// The time until a command begins, in seconds.
  package var idleSeconds = 3_600.0
  /// From a command's first byte to its end, and for a reply to be read, in seconds.
  package var lineSeconds = 10.0
  /// For replies and events to be sent when the session ends.
  package var endSeconds = 1.0

  /// The usual limits.
  package init() {}
}

/// The lines of a Unix socket.
final class SocketLines: LineTransport {
  private let socket: UnixSocket
  /// The bytes after the last line; the thread that reads is its only user.
  private let rest = Mutex(Data())

  init(_ socket: UnixSocket) { self.socket = socket }

  func readLine(idleSeconds: Double, lineSeconds: Double) -> IncomingLine {
    rest.withLock { rest in
      let read = socket.readLine(
        &rest, idleSeconds: idleSeconds, lineSeconds: lineSeconds,
        longestBytes: ClientLimits.longestRequestBytes)
      // The end of the connection also ends the last line.
      guard case .ended = read, !rest.isEmpty else { return read }
      defer { rest = Data() }
      return .line(rest)
    }
  }

  func send(line: Data, seconds: Double) -> Bool { socket.send(line: line, seconds: seconds) }

  func sendNow(line: Data) -> SentPart {
    let count = socket.sendPart(of: line)
    guard count > 0 else { return .nothing }
    return count > line.count ? .all : .allExcept(line.dropFirst(count))
  }

  func shutDown() { socket.shutDown() }
}
