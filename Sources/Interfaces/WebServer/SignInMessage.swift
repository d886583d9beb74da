// SignInMessage.swift: the first message of a WebSocket. SPDX-License-Identifier: MIT

import HostModel

/// A message that a WebSocket sends before it may send commands.
enum SignInMessage: Equatable {
  /// `{"command": "authenticate", "token": "..."}`.
  case authenticate(token: String)
  /// `{"command": "pair", "code": "123456", "name": "..."}`.
  case pair(code: String, name: String)

  /// Parses a message; nil if it is another one.
  init?(_ line: [UInt8]) {
    guard let json = try? JSONParser.parse(line) else { return nil }
    switch (json["command"], json["token"], json["code"], json["name"]) {
    case (.string("authenticate")?, .string(let token)?, _, _):
      self = .authenticate(token: token)
    case (.string("pair")?, _, .string(let code)?, let name):
      guard case .string(let text)? = name else {
        self = .pair(code: code, name: "")
        return
      }
      self = .pair(code: code, name: text)
    default: return nil
    }
  }
}
