// ScriptedSessionManager.swift: a session manager whose messages a test sends. SPDX-License-Identifier: MIT

import Foundation
import HostCore
import HostModel
import OSC
import Synchronization
import TestWaits

/// A socket that a session manager would have, and a client of a host that talks to it.
final class ScriptedSessionManager {
  private let descriptor: Int32
  private var peer = sockaddr_in()
  private let test: TestHost
  private let shown = Notes()
  private var interface: (any HostInterface)?
  private var managed = ManagedSession()
  private var url = ""

  private final class Notes: Sendable { let texts = Mutex<[String]>([]) }

  /// The messages for the user.
  var notes: [String] { shown.texts.withLock { $0 } }

  /// Opens a socket, and a client that gets its address.
  init(
    _ test: TestHost, continues: Bool = false,
    answerTimeout: Duration = SessionManagerClient.answerTimeout
  ) throws {
    self.test = test
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, size)
        _ = getsockname(descriptor, $0, &size)
      }
    }
    url = "osc.udp://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))/"
    try connect(continues: continues, answerTimeout)
  }

  private func connect(
    continues: Bool, _ answerTimeout: Duration = SessionManagerClient.answerTimeout
  ) throws {
    let kind = SessionManagerClient.kind(
      continues: continues, keeping: managed, answerTimeout: answerTimeout,
      environment: ["NSM_URL": url])
    interface = try kind?.open(
      HostConnection(port: test.host.port, sessionName: "test") { [shown] notice in
        shown.texts.withLock { $0.append("\(notice)") }
      })
  }

  /// Replaces the client by one that has its identity, as after a fault.
  func restartClient() throws {
    let identity = managed.identity
    interface?.stop()
    managed = ManagedSession(
      .init(socket: identity.socket.map { dup($0) }, file: identity.file))
    try connect(continues: true)
  }

  deinit {
    interface?.stop()
    close(descriptor)
  }

  /// Waits for the next message of the client, and runs the host meanwhile.
  func next(_ address: String) throws -> [OSCArgument] {
    let deadline = Deadline()
    while true {
      if let message = try received(), message.address == address { return message.arguments }
      try test.turn()
      try deadline.rest()
    }
  }

  /// Runs the host until the condition is true.
  func wait(until condition: () throws -> Bool) throws {
    let deadline = Deadline()
    while try !condition() {
      try test.turn()
      try deadline.rest()
    }
  }

  /// The next message; nil if none has arrived.
  func received() throws -> OSCMessage? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(descriptor, &bytes, bytes.count, 0, $0, &size)
      }
    }
    guard count > 0, case .message(let message) = try OSCDecoder.decode(Array(bytes[..<count]))
    else { return nil }
    return message
  }

  /// Sends a message to the client, whose announcement has arrived.
  func send(_ address: String, _ arguments: OSCArgument...) {
    send(OSCMessage(address, arguments).bytes)
  }

  /// Sends any bytes, from this socket or from that of a stranger.
  func send(_ bytes: [UInt8], asStranger: Bool = false) {
    let stranger = asStranger ? socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) : -1
    defer { if asStranger { close(stranger) } }
    _ = withUnsafePointer(to: peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          asStranger ? stranger : descriptor, bytes, bytes.count, 0, $0,
          socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Requests to open a session, and returns the answer.
  func open(_ path: String) throws -> [OSCArgument] {
    send("/nsm/client/open", .string(path), .string("Song"), .string("Outboard.nABCD"))
    return try answer()
  }

  /// Requests to save, and returns the answer.
  func save() throws -> [OSCArgument] {
    send("/nsm/client/save")
    return try answer()
  }

  private func answer() throws -> [OSCArgument] {
    let deadline = Deadline()
    while true {
      if let message = try received(), ["/reply", "/error"].contains(message.address) {
        return message.arguments
      }
      try test.turn()
      try deadline.rest()
    }
  }
}
