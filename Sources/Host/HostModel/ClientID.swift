// ClientID.swift: identifies the sender of a command. SPDX-License-Identifier: MIT

/// A client of a session: a connection, a MIDI mapping, a web page.
///
/// An identifier is never reused after the client has disconnected.
package struct ClientID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// A number that no other client of the session has.
  package var number: Int

  /// A client by its number.
  package init(_ number: Int) { self.number = number }

  /// The session itself.
  package static let host = ClientID(0)

  /// The number.
  package var description: String { "\(number)" }

  /// Reads the number.
  package init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  /// Writes the number.
  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(number)
  }
}
