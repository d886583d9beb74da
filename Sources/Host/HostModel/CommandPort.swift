// CommandPort.swift: the interface between clients and a session. SPDX-License-Identifier: MIT

package import FoundationEssentials
import Glibc
import Synchronization

/// Accepts commands from any thread, and delivers events.
package protocol CommandPort: Sendable {
  /// Registers a client. [any]
  ///
  /// - Parameter deliver: receives the events that the client has subscribed to, on any thread; must not wait.
  /// - Returns: the client.
  func connect(deliver: @escaping @Sendable (SharedEvent) -> Void) -> ClientID

  /// Executes a command. [any one thread for each client]
  ///
  /// Commands of one client are executed in order. Replies of the main thread and events are in that order, too;
  /// other replies may be earlier. The call may take long if a file must be examined first.
  /// - Parameters:
  ///   - command: the command.
  ///   - client: the sender.
  ///   - completion: receives the reply once, on any thread; must not block.
  /// - Returns: whether the client may send more commands before the reply.
  func submit(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) -> CommandProgress

  /// Sets a plain parameter in the next block, without a reply. [any]
  ///
  /// - Parameters:
  ///   - symbol: the parameter.
  ///   - node: the name of the node.
  ///   - value: in the unit of the parameter; the nearest legal value is set.
  ///   - client: the sender.
  /// - Returns: false if nothing was set, because only a command can do this.
  func set(_ symbol: String, ofNode node: String, to value: Float, from client: ClientID) -> Bool

  /// Forgets a client; it receives no more events. [any]
  func disconnect(_ client: ClientID)
}

extension CommandPort {
  /// Default: nothing can be set without a command.
  package func set(
    _ symbol: String, ofNode node: String, to value: Float, from client: ClientID
  ) -> Bool { false }
}

/// Whether a client may send more before the reply to a command.
package enum CommandProgress: Sendable {
  /// The command has taken effect; only its reply is still to come.
  case canContinue
  /// The next command must wait for the reply.
  case waitsForReply
}

/// An event for several clients, encoded once.
package final class SharedEvent: Sendable {
  /// The event.
  package let message: EventMessage
  private let encoded = Mutex<Data?>(nil)

  /// An event that is not encoded yet.
  package init(_ message: EventMessage) { self.message = message }

  /// The event as a line of JSON, without a line break at its end. [any]
  package var line: Data {
    encoded.withLock { encoded in
      if let encoded { return encoded }
      let line = message.lineOfValues.map { Data($0.utf8) } ?? JSONLine.data(message)
      encoded = line
      return line
    }
  }
}

/// Values as JSON, on one line if nothing else is said.
package enum JSONLine {
  /// A value with sorted keys, on one line or, for people, one line for each entry. [any]
  package static func data(_ value: some Encodable, isPretty: Bool = false) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("a value could not be written as JSON")
    }
    return data
  }

  /// Reads a value; nil if the line is not one. [any]
  package static func read<Value: Decodable>(_: Value.Type, _ line: Data) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(Value.self, from: line)
  }
}
