// ProtocolError.swift: why a line is not a command. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a line is not a command.
package enum ProtocolError: Error, Equatable {
  /// The line is not a JSON object with a command.
  case notACommand
  /// The line is of another version of the protocol.
  case version(String)
  /// A key has a value of the wrong type.
  case type(key: String, expected: String)
  /// A value to set is a list, an object or null.
  case valueType(symbol: String)
  /// The values to set are neither an object nor a list of pairs.
  case values
  /// A string contains a NUL character.
  case nul(key: String)
  /// A key that the command needs is missing.
  case missing(key: String, command: String)
  /// The command has no such key.
  case unknownKey(key: String, command: String)
  /// An object has a key twice.
  case duplicateKey(String)
  /// A command names several positions for a node.
  case severalPositions
  /// The word is not one of those that the key accepts.
  case unknownWord(String, key: String, words: [String])
  /// The line is longer than allowed.
  case tooLong(bytes: Int)
}

extension ProtocolError: HostError {
  /// The client sent something that no session can carry out.
  package var kind: ErrorKind { .usage }

  /// The key at fault, if it is known.
  package var fields: [String: String] {
    switch self {
    case .type(let key, _), .nul(let key), .missing(let key, _), .unknownKey(let key, _),
      .duplicateKey(let key), .unknownWord(_, let key, _):
      ["key": key]
    case .valueType(let symbol): ["key": "values", "symbol": symbol]
    case .values: ["key": "values"]
    case .severalPositions: ["key": "after"]
    case .notACommand, .version, .tooLong: [:]
    }
  }

  /// The message.
  package var description: String {
    switch self {
    case .notACommand:
      "Invalid request. Send one JSON object per line with \"command\": "
        + Self.list(Command.Name.allCases.map(\.rawValue)) + "."
    case .version(let version):
      "Protocol \(version) is not supported; this session uses protocol \(Protocol.version)."
    case .type(let key, let expected): "\"\(key)\" must be \(expected)."
    case .valueType(let symbol):
      "The value of \"\(symbol)\" must be a string, a number, true or false."
    case .values:
      "\"values\" must be an object of values by symbol, such as {\"mix\": 40}, or a list of pairs."
    case .nul(let key): "\"\(key)\" contains a NUL character; remove it."
    case .missing(let key, let command): "\(command) needs \"\(key)\"."
    case .unknownKey(let key, let command): "\(command) has no key \"\(key)\"; remove it."
    case .duplicateKey(let key): "The key \"\(key)\" occurs twice; remove one."
    case .severalPositions: "Use only one of \"after\", \"before\" and \"on\"."
    case .unknownWord(let word, let key, let words):
      "\"\(key)\" cannot be \"\(word.prefix(100))\"; use \(Self.list(words))."
    case .tooLong(let bytes):
      "The request is longer than \(bytes >> 20) MiB, so the connection was closed."
    }
  }

  private static func list(_ words: [String]) -> String {
    let quoted = words.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}

/// The version of commands, replies and events.
package enum Protocol {
  /// Grows when a client of the version before would misunderstand something.
  package static let version = 1
}
