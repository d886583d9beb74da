// ControlClient.swift: sends commands to a session. SPDX-License-Identifier: MIT

package import FoundationEssentials
import Glibc
package import HostModel

/// A connection to one run. [any one thread]
package final class ControlClient {
  /// The name of the session.
  package let name: String
  private let socket: UnixSocket
  private var rest = Data()
  /// The limit for a run to accept a connection.
  static let connectSeconds = 2.0
  /// The time limit for a reply in seconds; sessions usually reply within a tenth of a second.
  private static let answerSeconds = 10.0
  /// The limit for writing a rig and its plugins' states, or a black box.
  private static let writeSeconds = 60.0
  /// The time limit for a rig change in seconds, because its plugins may have to be compiled and
  /// preflighted.
  private static let editSeconds = 900.0

  /// Connects to a session by its name, or to the only one if `name` is nil. [main]
  ///
  /// - Throws: `ControlError` if there is none, or there are several and no name.
  package convenience init(
    run wanted: String?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ControlError) {
    let (name, socket) = try Self.connect(run: wanted, environment)
    self.init(name, socket)
  }

  /// Connects to a session by its name, or to the only one, and returns its name.
  static func connect(
    run wanted: String?, _ environment: [String: String]
  ) throws(ControlError) -> (name: String, socket: UnixSocket) {
    let found = RunSearch(environment, named: wanted)
    guard let first = found.runs.first else {
      if let wanted, SocketDirectory.name(for: wanted) != wanted {
        return try connect(run: SocketDirectory.name(for: wanted), environment)
      }
      if let remark = found.remarks.first { throw .untrusted(remark: remark) }
      let others = wanted == nil ? [] : RunSearch(environment).runs.map(\.name)
      throw others.isEmpty ? .noSession : .unknown(name: wanted ?? "", running: others)
    }
    guard found.runs.count == 1 || wanted != nil else {
      throw .ambiguous(running: found.runs.map(\.name))
    }
    guard let socket = first.socket else {
      throw .noResponse(name: first.name, seconds: Self.connectSeconds, process: nil)
    }
    return (first.name, socket)
  }

  init(_ name: String, _ socket: UnixSocket) { (self.name, self.socket) = (name, socket) }

  /// Sends a command and waits for the reply. [any one thread]
  ///
  /// - Throws: `ControlError.refused` with the session's error, or `.silent`.
  package func send(_ command: Command) throws(ControlError) -> Reply {
    switch command {
    case .load, .undo, .redo, .save, .blackBox, .learn:
      // A run that does not answer at all is reported soon.
      _ = try send(.status, seconds: Self.answerSeconds)
    default: break
    }
    return try send(command, seconds: Self.replySeconds(command))
  }

  /// How long a reply may take, in seconds.
  package static func replySeconds(_ command: Command) -> Double {
    switch command {
    case .save, .blackBox: writeSeconds
    case .load, .undo, .redo, .learn: editSeconds
    default: answerSeconds
    }
  }

  /// Sends a command that waits for a person, and waits for the reply. [any one thread]
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - accepted: called once the session waits; not called if it refuses the command at once.
  /// - Returns: the reply.
  /// - Throws: `ControlError.refused` with the session's error, or `.silent`.
  package func send(
    _ command: Command, accepted: () -> Void
  ) throws(ControlError) -> Reply {
    // The session checks commands in their order, so the second reply is the first one if the command waits.
    for (number, command) in [(1, command), (2, .map(.list))] {
      let line = CommandMessage(command, id: .integer(number)).line
      _ = socket.send(line: Data(line.utf8), seconds: Self.answerSeconds)
    }
    var seconds = Self.answerSeconds
    while true {
      let read = socket.readLine(
        &rest, idleSeconds: seconds, lineSeconds: Self.answerSeconds,
        longestBytes: UnixSocket.longestReplyBytes)
      guard case .line(let line) = read else {
        if case .ended = read { throw .ended(name: name) }
        throw .noResponse(name: name, seconds: seconds, process: socket.peer?.process)
      }
      guard let message = JSONLine.read(ReplyMessage.self, line) else {
        throw .protocolError(name: name)
      }
      guard message.id == .integer(1) || message.id == nil else {
        accepted()
        seconds = Self.editSeconds
        continue
      }
      if let error = message.reply.error { throw .refused(error) }
      return message.reply
    }
  }

  func send(_ command: Command, seconds: Double) throws(ControlError) -> Reply {
    let silent = ControlError.noResponse(
      name: name, seconds: seconds, process: socket.peer?.process)
    // A run that refuses the connection closes it after its answer, which can still be read.
    let isSent = socket.send(line: Data(CommandMessage(command).line.utf8), seconds: seconds)
    let read = socket.readLine(
      &rest, idleSeconds: isSent ? seconds : 0, lineSeconds: seconds,
      longestBytes: UnixSocket.longestReplyBytes)
    switch read {
    case .line(let line):
      guard let reply = JSONLine.read(ReplyMessage.self, line)?.reply else {
        throw .protocolError(name: name)
      }
      if let error = reply.error { throw .refused(error) }
      return reply
    case .tooLong: throw .protocolError(name: name)
    case .ended: throw .ended(name: name)
    case .late: throw silent
    }
  }

  /// Returns the next event as a line of JSON, after a subscription; nil after the session has
  /// closed the connection. [any one thread]
  ///
  /// - Parameter seconds: the time limit for the start of an event.
  /// - Returns: the line, empty if there was none in time.
  /// - Throws: `ControlError.refused` with the reason why the session ends the events.
  package func nextEvent(within seconds: Double) throws(ControlError) -> Data? {
    let read = socket.readLine(
      &rest, idleSeconds: seconds, lineSeconds: Self.answerSeconds,
      longestBytes: UnixSocket.longestReplyBytes)
    switch read {
    case .line(let line):
      if let error = JSONLine.read(ReplyMessage.self, line)?.reply.error { throw .refused(error) }
      return line
    case .late: return Data()
    case .tooLong: throw .protocolError(name: name)
    case .ended: return nil
    }
  }
}
