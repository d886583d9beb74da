// SessionManagerAddressTests.swift: the address of a session manager. SPDX-License-Identifier: MIT

import NIOCore
import Testing

@testable import OSC

@Suite struct `The address of a session manager` {
  @Test(arguments: [
    "", "14143", "localhost:14143", "osc.tcp://localhost:14143/", "osc.udp://", "osc.udp://host/",
    "osc.udp://:14143/", "osc.udp://host:0/", "osc.udp://host:65536/", "osc.udp://host:x/",
    "osc.udp://host:-1/", "osc.udp://::1:14143/", "osc.udp://[]:1/", "osc.udp://host:1/path",
    "osc.udp://user@host:1/", "osc.udp://a b:1/", "\u{1B}[2Josc.udp://host:1/",
  ])
  func `is refused if it is malformed`(text: String) {
    #expect(throws: SessionManagerError.notAnAddress(text)) { try SessionManagerAddress(text) }
  }

  @Test(arguments: [
    ("osc.udp://localhost:14143/", "localhost", 14_143),
    ("osc.udp://studio.local:1", "studio.local", 1),
    ("osc.udp://[::1]:65535/", "::1", 65_535), ("osc.udp://127.0.1.1:9000/", "127.0.1.1", 9_000),
  ])
  func `has a host and a port`(text: String, host: String, port: Int) throws {
    let address = try SessionManagerAddress(text)
    #expect(address.host == host && address.port == port && address.url == text)
  }

  @Test func `is the only source of its messages`() throws {
    func address(_ host: String, _ port: Int) throws -> SocketAddress {
      try SocketAddress(ipAddress: host, port: port)
    }
    let own = try address("127.0.1.1", 9_000)
    #expect(own.isSource(try address("127.0.0.1", 9_000)))
    #expect(!own.isSource(try address("127.0.0.1", 9_001)))
    #expect(!own.isSource(try address("192.168.1.5", 9_000)))
    let other = try address("192.168.1.5", 9_000)
    #expect(other.isSource(other))
    #expect(!other.isSource(try address("127.0.0.1", 9_000)))
    #expect(try own.ownAddress() == address("127.0.0.1", 0))
    #expect(try other.ownAddress() == address("0.0.0.0", 0))
  }

  @Test func `with a host that does not exist cannot be reached`() throws {
    let address = try SessionManagerAddress("osc.udp://nowhere.invalid:9000/")
    #expect {
      try address.resolved()
    } throws: { "\($0)".contains("osc.udp://nowhere.invalid:9000/ cannot be reached") }
  }
}
