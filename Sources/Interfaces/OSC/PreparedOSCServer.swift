// PreparedOSCServer.swift: reserves the port before audio starts. SPDX-License-Identifier: MIT

package import HostModel
package import WebServer

/// A server whose address is known, and that receives once the session has its interfaces.
package final class PreparedOSCServer: Sendable {
  private let sockets: OSCSockets
  /// Whether only programs of this machine can reach it.
  package let isLoopback: Bool

  /// Reserves the port. [main]
  ///
  /// - Throws: `OSCServerError`.
  package init(_ address: WebAddress) throws(OSCServerError) {
    sockets = try OSCSockets(address)
    isLoopback = address.isLoopback
  }

  /// The port.
  package var port: Int { sockets.port }

  /// The address, as `status` shows it.
  private var address: String { "osc.udp://\(WebAddress.authority(sockets.host, sockets.port))/" }

  /// Opens the server for a session; can be used once.
  package var kind: HostInterfaceKind {
    HostInterfaceKind { [self] connection in
      try OSCServer(sockets, address: address, connection)
    }
  }

  /// Returns lines that say where messages are received. [any]
  package var announcement: [String] {
    guard !isLoopback else { return ["OSC: \(address)"] }
    return [
      "OSC: \(address)",
      "OSC has no passwords: every device in this network can control the session.",
    ]
  }
}
