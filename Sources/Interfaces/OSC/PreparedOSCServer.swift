// PreparedOSCServer.swift: reserves the port before audio starts. SPDX-License-Identifier: MIT

package import HostModel
package import WebServer

extension PortOption {
  /// `--osc`.
  package static let osc = PortOption(
    name: "--osc", defaultPort: 9_000, failure: "OSC cannot be received")
}

/// A server whose address is known, and that receives once the session has its interfaces.
package final class PreparedOSCServer: Sendable {
  private let sockets: BoundPort
  /// Whether only programs of this machine can reach it.
  package var isLoopback: Bool { sockets.isLoopback }

  /// Reserves the port. [main]
  ///
  /// - Throws: `ListenError` if the address or port cannot be used.
  package init(_ address: ListenAddress) throws(ListenError) {
    sockets = try BoundPort(address, [.datagrams, .connections])
  }

  /// The port.
  package var port: Int { sockets.port }

  /// The addresses, as `status` shows them.
  private var addresses: [String] {
    let hosts = sockets.host == "0.0.0.0" ? ["127.0.0.1"] + NetworkAddresses.all : [sockets.host]
    return hosts.map { "osc.udp://\(ListenAddress.authority($0, sockets.port))/" }
  }

  /// Opens the server for a session; can be used once.
  package var kind: HostInterfaceKind {
    HostInterfaceKind { [self] connection in
      try OSCServer(sockets, address: addresses[0], connection)
    }
  }

  /// Returns lines that say where messages are received. [any]
  package var announcement: [String] {
    let lines = addresses.map { "OSC: \($0)" }
    guard !isLoopback else { return lines }
    return lines + ["OSC has no passwords: every device in this network can control the session."]
  }
}
