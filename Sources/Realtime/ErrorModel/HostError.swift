// HostError.swift: the protocol of all errors that can reach a user. SPDX-License-Identifier: MIT

/// The kind of an error, for programs that react to it.
package enum ErrorKind: String, Sendable, Codable, CaseIterable {
  /// The request cannot be carried out as it was made: exit status 2.
  case usage
  /// The request was correct, but it failed: exit status 1.
  case failure
  /// A device is missing or refused: exit status 3.
  case device
  /// The user has ended the work: exit status 0.
  case interrupted
  /// A later request replaced this one: exit status 1.
  case superseded
  /// No block is rendered, so a command would have no effect: exit status 1.
  case stalled
  /// The session is ending: exit status 1.
  case ending
  /// There are too many clients or requests: exit status 1.
  case busy

  /// The exit status of a command that ends with such an error.
  package var exitStatus: Int32 {
    switch self {
    case .interrupted: 0
    case .failure, .superseded, .stalled, .ending, .busy: 1
    case .usage: 2
    case .device: 3
    }
  }
}

/// An error that can reach a user or a program.
///
/// Its `description` is one message, the only text that is created below the interfaces;
/// everything else is data.
package protocol HostError: Error, CustomStringConvertible {
  /// The kind of error.
  var kind: ErrorKind { get }
  /// The exit status of a command that ends with this error.
  var exitStatus: Int32 { get }
  /// Names and values for programs, which otherwise would have to parse the message.
  var fields: [String: String] { get }
}

extension HostError {
  /// The exit status of the kind of error.
  package var exitStatus: Int32 { kind.exitStatus }
  /// Default: none.
  package var fields: [String: String] { [:] }
}
