// WebFloodTests.swift: web clients that flood a session or vanish do not change its audio. SPDX-License-Identifier: MIT

import Foundation
import HostCore
import HostModel
import Synchronization
import TestWaits
import Testing
import WebServer
import WebTestSupport

@Suite(.serialized) struct `Web clients that flood or vanish` {
  @Test func `change no bit of the output`() throws {
    let quiet = try TestHost()
    let expected = try quiet.output()
    let test = try TestHost()
    let directory = NSTemporaryDirectory() + "outboard-flood-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let tokenFile = directory + "/token"
    let (port, web) = try Self.server(tokenFile)
    let token = try String(contentsOfFile: tokenFile, encoding: .utf8).trimmingCharacters(
      in: .whitespacesAndNewlines)
    let interfaces = HostInterfaces([web.kind], of: test.host, sessionName: "test")
    #expect(interfaces.warnings.isEmpty)
    let busy = Busy()
    for number in 0 ..< 4 {
      busy.count.add(1, ordering: .relaxed)
      Thread.detachNewThread {
        if (try? Self.flood(port, token, number)) == nil { Issue.record("flood \(number)") }
        busy.count.subtract(1, ordering: .relaxed)
      }
    }
    let noisy = try test.output { busy.count.load(ordering: .relaxed) > 0 }
    interfaces.stop()
    #expect(noisy == expected)
    #expect(expected.contains { $0 != 0 })
  }

  /// Reserves a free port.
  private static func server(_ tokenFile: String) throws -> (port: Int, web: PreparedWebServer) {
    for port in (0 ..< 100).map({ _ in Int.random(in: 20_000 ..< 60_000) }) {
      let address = try ListenAddress("\(port)")
      if let web = try? PreparedWebServer(address, tokenFile: tokenFile, environment: [:]) {
        return (port, web)
      }
    }
    throw POSIXError(.EADDRINUSE)
  }

  private final class Busy: Sendable {
    let count = Atomic<Int>(0)
  }

  private static func flood(_ port: Int, _ token: String, _ number: Int) throws {
    let client = try WebSocketClient(port: port, token: token)
    switch number {
    case 0:
      // Commands as fast as the server reads them.
      for _ in 0 ..< 500 { try client.send(#"{"command": "status"}"#) }
      for _ in 0 ..< 500 { _ = try client.frame() }
    case 1:
      // Levels that are never acknowledged, and replies that are never read.
      try client.send(#"{"command": "subscribe", "levels": 30}"#)
      for _ in 0 ..< 500 { try client.send(#"{"command": "nonsense"}"#) }
    case 2:
      for _ in 0 ..< 30 {
        let other = try WebSocketClient(port: port, token: token)
        try other.send(#"{"command": "subscribe"}"#)
      }
    default:
      client.raw.send([UInt8](repeating: 0xA5, count: 100_000))
      _ = try client.closeCode()
    }
  }
}
