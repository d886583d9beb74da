// OSCPeer.swift: who sends and receives packets. SPDX-License-Identifier: MIT

/// The other end of a datagram or connection.
package enum OSCPeer: Sendable, Hashable, CustomStringConvertible {
  /// A program that sends datagrams, by its literal address and port.
  case datagram(host: String, port: Int)
  /// A connection, by a number that no other one has.
  case connection(Int, host: String)

  /// The address, for messages.
  package var description: String {
    switch self {
    case .datagram(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .connection(_, let host): host
    }
  }
}
