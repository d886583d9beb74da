// SignInMessage.swift: the first message of a WebSocket. SPDX-License-Identifier: MIT

import HostModel

/// A message that a WebSocket sends before it may send commands.
enum SignInMessage: Equatable {
  /// `{"command": "authenticate", "token": "..."}`.
  case authenticate(token: String)
  /// `{"command": "pair", "code": "123456", "name": "..."}`.
  case pair(code: String, name: String)

  /// Parses a message; nil if it is another one.
  ///
  /// - Throws: the first error in the keys of such a message.
  init?(_ line: [UInt8]) throws(ProtocolError) {
    guard case .object(let members)? = try? JSONParser.parse(line) else { return nil }
    var reader = ObjectReader(members)
    guard case .string(let word)? = reader.take("command") else { return nil }
    switch word {
    case "authenticate":
      self = .authenticate(token: try reader.requiredString("token", of: word))
    case "pair":
      let code = try reader.requiredString("code", of: word)
      self = .pair(code: code, name: try reader.string("name") ?? "")
    default: return nil
    }
    _ = reader.take("id")
    if let version = reader.take("protocol"), version != .integer(Protocol.version) {
      throw .version(version.line)
    }
    try reader.finish(word)
  }
}
