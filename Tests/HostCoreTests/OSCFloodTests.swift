// OSCFloodTests.swift: OSC peers that flood a session or vanish do not change its audio. SPDX-License-Identifier: MIT

import Foundation
import HostCore
import HostModel
import OSC
import Synchronization
import TestWaits
import Testing
import WebServer
import WebTestSupport

@Suite(.serialized) struct `OSC peers that flood or vanish` {
  @Test func `change no bit of the output`() throws {
    let expected = try TestHost().output()
    let test = try TestHost()
    let (port, server) = try Self.server()
    let interfaces = HostInterfaces([server.kind], of: test.host, sessionName: "test")
    #expect(interfaces.warnings.isEmpty)
    let flood = Flood()
    for number in 0 ..< 3 { flood.start(port, number) }
    let noisy = try test.output { flood.isBusy }
    interfaces.stop()
    #expect(noisy == expected)
    #expect(expected.contains { $0 != 0 })
  }

  @Test func `set a parameter for the next block without the main thread`() throws {
    let test = try TestHost()
    let (port, server) = try Self.server()
    let interfaces = HostInterfaces([server.kind], of: test.host, sessionName: "test")
    let client = try RawClient(port: port)
    let deadline = Deadline()
    // The server knows the address once it answers.
    while !String(decoding: client.received, as: UTF8.self).contains("/node/a/gain\0\0\0\0,f") {
      client.send(framed(OSCMessage("/node/a/gain")))
      try test.turn()
      while try client.receiveAvailable() {}
      try deadline.rest()
    }
    client.send(framed(OSCMessage("/node/a/gain", [.float(-60)])))
    // From here on, the test renders blocks only.
    while (test.driver.render().last ?? 1) > 0.01 { try deadline.rest(0.001) }
    interfaces.stop()
  }

  @Test func `set a parameter by a datagram at once, in order`() throws {
    let test = try TestHost()
    let (port, server) = try Self.server()
    let interfaces = HostInterfaces([server.kind], of: test.host, sessionName: "test")
    let sender = try DatagramSender(port: port)
    let deadline = Deadline()
    // The first value passes through the event loop, which must have learned the state.
    while test.host.snapshot.state.nodes[0].parameters[0].value != -1 {
      sender.send(OSCMessage("/node/a/gain", [.float(-1)]))
      try test.turn()
      try deadline.rest()
    }
    for value in [Float(-60), 0, -60] {
      sender.send(OSCMessage("/node/a/gain", [.float(value)]))
      // Only blocks are rendered.
      while ((test.driver.render().last ?? 1) > 0.01) == (value < -1) { try deadline.rest(0.001) }
    }
    // The scene has -20, which would be no change.
    for round in 1 ... 30 {
      let revision = test.host.revision
      // The scene sets another value on the main thread; a value after it must not be lost.
      sender.send(OSCMessage("/scene", [.string("low")]))
      sender.send(OSCMessage("/node/a/gain", [.float(Float(-round) / 2)]))
      while test.host.snapshot.state.nodes[0].parameters[0].value != Float(-round) / 2
        || test.host.revision < revision + 2
      {
        try test.turn()
        try deadline.rest()
      }
    }
    interfaces.stop()
  }

  @Test func `lose no value that was set last`() throws {
    let test = try TestHost()
    let (port, server) = try Self.server()
    let interfaces = HostInterfaces([server.kind], of: test.host, sessionName: "test")
    let client = try RawClient(port: port)
    // More values than may wait for replies, between commands of the main thread.
    for value in 0 ..< 2_000 {
      client.send(framed(OSCMessage("/node/a/gain", [.float(Float(value % 20))])))
      if value % 500 == 0 { client.send(framed(OSCMessage("/scene", [.string("low")]))) }
    }
    client.send(framed(OSCMessage("/node/a/gain", [.float(-7)])))
    let deadline = Deadline()
    while test.host.snapshot.state.nodes[0].parameters[0].value != -7 {
      try test.turn()
      try deadline.rest()
    }
    interfaces.stop()
  }

  /// Reserves a free port.
  private static func server() throws -> (port: Int, server: PreparedOSCServer) {
    for port in (0 ..< 100).map({ _ in Int.random(in: 20_000 ..< 60_000) }) {
      let address = try ListenAddress("\(port)", for: .osc)
      if let server = try? PreparedOSCServer(address) { return (port, server) }
    }
    throw POSIXError(.EADDRINUSE)
  }

  /// Peers that send what changes nothing.
  private final class Flood: Sendable {
    private let busy = Atomic<Int>(3)

    var isBusy: Bool { busy.load(ordering: .relaxed) > 0 }

    func start(_ port: Int, _ number: Int) {
      Thread.detachNewThread { [self] in
        if (try? Self.send(port, number)) == nil { Issue.record("flood \(number)") }
        busy.subtract(1, ordering: .relaxed)
      }
    }

    private static func send(_ port: Int, _ number: Int) throws {
      switch number {
      case 0:
        // Requests of all values over a connection, whose answers are never read.
        let client = try RawClient(port: port)
        client.send(framed(OSCMessage("/subscribe", [.string("/*/*/*")])))
        for _ in 0 ..< 2_000 { client.send(framed(OSCMessage("/node/*/*"))) }
      case 1:
        // Unknown addresses and wrong arguments, then a frame that is too long.
        let client = try RawClient(port: port)
        for _ in 0 ..< 2_000 {
          client.send(framed(OSCMessage("/node/a/nothing", [.float(1)])))
          client.send(framed(OSCMessage("/node/a/gain", [.null])))
        }
        client.send([0, 255, 255, 255])
        _ = try client.readToEnd()
      default:
        let sender = try DatagramSender(port: port)
        for size in 0 ..< 5_000 {
          sender.send([UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size % 200))
        }
      }
    }
  }
}

/// Sends datagrams to a port of this machine.
private final class DatagramSender {
  private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)

  init(port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  func send(_ message: OSCMessage) { send(message.bytes) }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, 0) }
}

/// The bytes of a message on a connection.
private func framed(_ message: OSCMessage) -> [UInt8] {
  let bytes = message.bytes
  return withUnsafeBytes(of: UInt32(bytes.count).bigEndian, Array.init) + bytes
}
