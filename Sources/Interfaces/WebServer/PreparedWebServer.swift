// PreparedWebServer.swift: reserves the port before audio starts. SPDX-License-Identifier: MIT

import Control
import FoundationEssentials
import Glibc
package import HostModel
import Synchronization

/// A server whose address and token are known, and that serves once the session has its interfaces.
package final class PreparedWebServer: Sendable {
  private let socket: BoundPort
  private let token: AccessToken
  /// The path of the file with the token.
  private let tokenPath: String
  /// Whether the token file is removed at the end.
  private let isTemporary: Bool
  private let devices: PairedDevices?
  private let access = Mutex<AccessControl?>(nil)

  /// Reserves the port and reads the token. [main]
  ///
  /// - Parameters:
  ///   - address: where to listen.
  ///   - tokenFile: a file with the token, which is created on demand; nil for a new token that ends with the session.
  ///   - keepsToken: whether the process continues a session with its token.
  ///   - environment: determines the directories.
  /// - Throws: `ListenError`, `TokenFileError`, or `ControlError` if the directory of sockets cannot be used.
  package init(
    _ address: ListenAddress, tokenFile: String?, keepsToken: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    if let tokenFile {
      (tokenPath, isTemporary) = (tokenFile, false)
    } else {
      let directory = try SocketDirectory.preparedRuntimeDirectory(environment)
      (tokenPath, isTemporary) = ("\(directory)/http-\(getpid()).token", true)
      if !keepsToken { unsafe unlink(tokenPath) }
    }
    socket = try BoundPort(address)
    token = try TokenFile.token(at: tokenPath)
    devices = socket.isLoopback ? nil : PairedDevices.ofUser(environment)
  }

  deinit { if isTemporary { unsafe unlink(tokenPath) } }

  /// The port.
  package var port: Int { socket.port }
  /// Whether only programs of this machine can reach it.
  package var isLoopback: Bool { socket.isLoopback }

  /// The address on this machine, without the token.
  private var localAddress: String {
    let host = socket.host == "0.0.0.0" ? "127.0.0.1" : socket.host == "::" ? "::1" : socket.host
    return "http://\(ListenAddress.authority(host, socket.port))/"
  }

  /// Opens the server for a session; can be used once.
  package var kind: HostInterfaceKind {
    HostInterfaceKind { [self] connection in
      let access = AccessControl(
        token: token, devices: devices, allowsPairing: !socket.isLoopback,
        notify: connection.notify)
      self.access.withLock { $0 = access }
      return try WebServer(socket, address: localAddress, connection.port, access)
    }
  }

  /// Returns lines that say how to open the page; without the token if they are stored in a log. [any, after the server
  /// was opened]
  package func announcement(isLogged: Bool) -> [String] {
    guard let access = access.withLock({ $0 }) else { return [] }
    var lines =
      isLogged
      ? ["Web page: \(localAddress) (the token is in \(tokenPath))"]
      : ["Web page: \(localAddress)#token=\(token.text)"]
    guard let code = access.pairingCode else { return lines }
    let hosts = socket.isEveryAddress ? NetworkAddresses.all : [socket.host]
    let others = hosts.map { "http://\(ListenAddress.authority($0, socket.port))/" }
    lines += others.map { "Web page for other devices: \($0) (pairing code \(code))" }
    return lines
  }
}
