// WebSession.swift: a session with a web server, for tests. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Synchronization

@testable import WebServer

/// Replies to each command with its name as a note, and serves a free port of this machine.
final class WebSession: CommandPort {
  private struct State {
    var lastClient = 0
    var sinks: [ClientID: @Sendable (SharedEvent) -> Void] = [:]
    var commands: [Command] = []
  }

  static let token = "0123456789abcdefghijklmnopqrstuvwxyz"

  private let state = Mutex(State())
  private let server = Mutex<WebServer?>(nil)
  let access: AccessControl
  let devices: PairedDevices
  let port: Int
  private let directory: String

  private let log: Log

  private final class Log: Sendable {
    let lines = Mutex<[String]>([])
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private init(_ port: Int, _ token: AccessToken, allowsPairing: Bool) {
    directory = NSTemporaryDirectory() + "outboard-web-\(UUID().uuidString)"
    devices = PairedDevices(path: directory + "/paired-devices.json")
    let log = Log()
    access = AccessControl(
      token: token, devices: devices, allowsPairing: allowsPairing, notify: { log.append("\($0)") })
    (self.port, self.log) = (port, log)
  }

  convenience init(limits: WebLimits = WebLimits(), allowsPairing: Bool = false) throws {
    let socket = try Self.freeSocket()
    self.init(
      socket.port, try unwrapped(AccessToken(Self.token)), allowsPairing: allowsPairing)
    let server = try WebServer(
      socket, address: "http://127.0.0.1:\(port)/", self, access, limits)
    self.server.withLock { $0 = server }
  }

  /// The messages for the user.
  var messages: [String] { log.lines.withLock { $0 } }

  private static func freeSocket() throws -> BoundPort {
    for _ in 0 ..< 1_000 {
      let address = try ListenAddress("\(Int.random(in: 20_000 ..< 60_000))")
      if let socket = try? BoundPort(address) { return socket }
    }
    throw POSIXError(.EADDRINUSE)
  }

  /// The commands so far.
  var commands: [Command] { state.withLock { $0.commands } }
  /// The number of registered clients.
  var clientCount: Int { state.withLock { $0.sinks.count } }

  func stop() {
    server.withLock { $0 }?.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  func connect(deliver: @escaping @Sendable (SharedEvent) -> Void) -> ClientID {
    state.withLock { state in
      state.lastClient += 1
      state.sinks[ClientID(state.lastClient)] = deliver
      return ClientID(state.lastClient)
    }
  }

  func disconnect(_ client: ClientID) { state.withLock { $0.sinks[client] = nil } }

  func submit(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) -> CommandProgress {
    state.withLock { $0.commands.append(command) }
    guard case .subscribe = command else {
      completion(Reply(notes: [command.name.rawValue]))
      return .waitsForReply
    }
    let snapshot = Snapshot(
      revision: 3,
      state: SessionState(rig: "test", nodes: [], nestedRigs: [], connections: [], scenes: []))
    completion(Reply(.subscribed(.init(client: client, snapshot: snapshot))))
    return .waitsForReply
  }
}

/// Unwraps a value outside of a test.
func unwrapped<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw CocoaError(.coderValueNotFound) }
  return value
}
