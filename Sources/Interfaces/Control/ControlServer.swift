// ControlServer.swift: the socket of a session. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
package import HostModel
import RealtimeKit
import Synchronization

/// Receives commands from other processes, passes them to the session's port, and sends replies and
/// events.
///
/// Each connection has two threads: one reads commands, the other sends. Neither the session's main
/// thread nor its audio thread ever waits for a client.
package final class ControlServer: HostInterface, Sendable {
  /// The socket of the session.
  package static let kind = HostInterfaceKind { connection in
    try ControlServer(named: connection.sessionName, port: connection.port)
  }

  typealias Limits = ClientLimits

  /// The name of the session.
  package let name: String
  private let path: String
  private let socket: UnixSocket
  private let port: any CommandPort
  private let connections = ConnectionTable()
  private let limits: Limits
  private let isStopped = Atomic<Bool>(false)

  /// Listens under a name, or that name with a number if it is in use. [main]
  ///
  /// - Parameters:
  ///   - requestedName: the requested name.
  ///   - environment: determines the directory of the sockets.
  ///   - port: executes commands; called on the threads of their connections.
  /// - Throws: `ControlError` if no socket can be created.
  package convenience init(
    named requestedName: String,
    environment: [String: String] = ProcessInfo.processInfo.environment, port: any CommandPort
  ) throws(ControlError) {
    try self.init(named: requestedName, environment: environment, limits: Limits(), port: port)
  }

  init(
    named requestedName: String, environment: [String: String], limits: Limits,
    port: any CommandPort
  ) throws(ControlError) {
    self.limits = limits
    self.port = port
    let directory = SocketDirectory.createRuntimeDirectory(environment)
    try SocketDirectory.prepare(directory)
    (name, path, socket) = try Self.listen(as: requestedName, in: directory)
    // The thread ends in `stop`, which is called before the program ends.
    _ = DetachedThread.start { self.acceptLoop() }
  }

  private static func listen(
    as requestedName: String, in directory: String
  ) throws(ControlError) -> (String, String, UnixSocket) {
    var number = 1
    while true {
      let name = number == 1 ? requestedName : "\(requestedName)-\(number)"
      let path = SocketDirectory.socket(name, in: directory)
      switch UnixSocket.listen(at: path) {
      case .success(let socket): return (name, path, socket)
      case .failure(let fault) where fault.number == EADDRINUSE && number < 1_000:
        // The socket of a killed session has no listener.
        if isAbandoned(path), unsafe unlink(path) == 0 { continue }
        number += 1
      case .failure(let fault): throw .noSocket(path: path, reason: fault.reason)
      }
    }
  }

  /// Returns whether nobody listens at a path; false for a process that is stopped.
  private static func isAbandoned(_ path: String) -> Bool {
    guard case .failure(let fault) = UnixSocket.connect(to: path, seconds: 0.1) else {
      return false
    }
    return fault.number == ECONNREFUSED
  }

  /// Removes the socket, and waits a moment for replies and events to be sent; the port replies to commands
  /// that are still open before. [main]
  package func stop() {
    guard !isStopped.exchange(true, ordering: .relaxed) else { return }
    unsafe unlink(path)
    socket.shutDown()
    let end = DispatchTime.now() + limits.endSeconds
    while !connections.isSent, DispatchTime.now() < end { usleep(1_000) }
  }

  // MARK: - Threads

  private func acceptLoop() {
    while let socket = socket.accept() {
      guard let user = socket.peer?.user, user == geteuid() || user == 0 else {
        refuse(
          socket,
          ErrorInfo(
            message:
              "This session belongs to another user. Only that user and root can control it.",
            kind: .busy))
        continue
      }
      guard let connection = connections.admit(SocketLines(socket)) else {
        refuse(socket, ConnectionTable.full)
        continue
      }
      connection.start(port, limits, in: connections)
    }
  }

  /// A new connection has room for a short line, so this does not wait.
  private func refuse(_ socket: UnixSocket, _ error: ErrorInfo) {
    _ = socket.send(line: JSONLine.data(ReplyMessage(Reply(error))), seconds: 0)
  }
}
