// PairingTests.swift: tokens, codes and paired devices. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import TestWaits
import Testing
import WebTestSupport

@testable import WebServer

@Suite struct `A device` {
  private func pair(_ client: WebSocketClient, _ code: String) throws -> JSONValue {
    try client.send(#"{"command": "pair", "code": "\#(code)", "name": "Ada's phone", "id": 0}"#)
    return try JSONParser.parse(try client.frame().payload)
  }

  @Test func `is paired by the code, and keeps its token until it is revoked`() throws {
    var limits = WebLimits()
    limits.pingSeconds = 0.05
    // The client answers no pings.
    limits.unansweredPings = .max
    let session = try WebSession(limits: limits, allowsPairing: true)
    defer { session.stop() }
    let code = try #require(session.access.pairingCode)
    let client = try WebSocketClient(port: session.port, token: nil)
    guard case .string(let token)? = try pair(client, code)["token"] else {
      Issue.record("no token")
      return
    }
    // The client that has paired is signed in.
    try client.send(#"{"command": "undo", "id": 1}"#)
    var reply = try client.frame()
    while reply.opcode == 9 { reply = try client.frame() }
    #expect(reply.text == #"{"id":1,"notes":["undo"]}"#)
    #expect(try session.post(#"{"command": "redo"}"#, token: token).status == 200)
    // Only a digest is stored, and nobody else can read it.
    let device = try #require(session.devices.all.first)
    #expect(device.name == "Ada's phone" && device.tokenDigest != token)
    #expect(device.tokenDigest == AccessToken.digest(of: token).hexadecimal)
    // The code cannot be used again.
    #expect(session.access.pairingCode != code)
    #expect(try pair(WebSocketClient(port: session.port, token: nil), code)["token"] == nil)
    // A revoked token opens nothing, and its connection is closed.
    #expect(session.devices.revoke("Ada's phone"))
    #expect(try session.post(#"{"command": "redo"}"#, token: token).status == 401)
    #expect(try client.closeCode() == 4_401)
    #expect(session.messages[0].hasPrefix("Paired Ada's phone at 127.0.0.1. The code for the"))
  }

  @Test func `is not paired with a session for this machine only`() throws {
    let session = try WebSession()
    defer { session.stop() }
    #expect(session.access.pairingCode == nil)
    let reply = try pair(WebSocketClient(port: session.port, token: nil), "000000")
    #expect(
      reply["error"]?["message"]
        == .string("This session pairs no devices. Start it with --http lan."))
  }

  @Test func `has few tries, then there is another code after a pause`() {
    var code = PairingCode()
    let first = code.digits
    let wrong = first == "123456" ? "654321" : "123456"
    let start = ContinuousClock.now
    for _ in 1 ..< PairingCode.maximumFailureCount {
      #expect(code.attempt(wrong, at: start) == .wrong)
    }
    #expect(code.attempt(wrong, at: start) == .replaced)
    #expect(code.digits.count == 6)
    #expect(code.attempt(code.digits, at: start + .seconds(30)) == .paused(seconds: 31))
    #expect(code.attempt(code.digits, at: start + .seconds(61)) == .paired)
  }

  @Test func `has a name without control characters and another name than the others`() {
    let devices = PairedDevices(path: NSTemporaryDirectory() + UUID().uuidString + "/d.json")
    #expect(PairedDevices.cleaned("a\u{1b}[31m\n  b") == "a[31m b")
    #expect(PairedDevices.cleaned(" \n") == "device")
    #expect(PairedDevices.cleaned(String(repeating: "x", count: 99)).count == 40)
    let names = (0 ..< 3).map { _ in devices.add("phone", .random()) }
    #expect(names == ["phone", "phone 2", "phone 3"])
    #expect(devices.all.map(\.name) == ["phone", "phone 2", "phone 3"])
    #expect(devices.revoke("phone 2") && !devices.revoke("phone 2"))
    #expect(devices.all.map(\.name) == ["phone", "phone 3"])
  }
}

@Suite struct `A token` {
  @Test func `is random, and long enough`() {
    let tokens = Set((0 ..< 100).map { _ in AccessToken.random().text })
    #expect(tokens.count == 100 && tokens.allSatisfy { $0.utf8.count == 43 })
    #expect(AccessToken("short") == nil)
    #expect(AccessToken("with spaces is not allowed") == nil)
    #expect(AccessToken(String(repeating: "x", count: 257)) == nil)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `has the digest of the standard`(text: String, digest: String) {
    #expect(SHA256.digest(text.utf8).hexadecimal == digest)
  }

  @Test func `is kept in a file that only its owner can read`() throws {
    let path = NSTemporaryDirectory() + "outboard-token-\(UUID().uuidString)"
    defer { unlink(path) }
    let token = try TokenFile.token(at: path)
    #expect(try TokenFile.token(at: path).text == token.text)
    #expect(chmod(path, 0o640) == 0)
    #expect(
      throws: TokenFileError(
        path: path, reason: "other users can read it; run `chmod 600 \(path)`")
    ) { try TokenFile.token(at: path) }
    #expect(chmod(path, 0o600) == 0)
    for text in ["", "short\n", "two-lines-two-lines\ntwo-lines\n", "with space with space"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: TokenFileError.self) { try TokenFile.token(at: path) }
    }
    #expect(throws: TokenFileError.self) { try TokenFile.token(at: path + "/token") }
    #expect(throws: TokenFileError.self) { try TokenFile.token(at: "/tmp") }
  }
}

@Suite struct `The address of the web server` {
  @Test(
    arguments: [
      ("loopback", "127.0.0.1", nil), ("localhost", "127.0.0.1", nil), ("lan", "0.0.0.0", nil),
      ("lan:9000", "0.0.0.0", 9_000), ("9000", "127.0.0.1", 9_000),
      ("192.168.1.5", "192.168.1.5", nil), ("192.168.1.5:80", "192.168.1.5", 80),
      ("[::1]:80", "::1", 80), ("::1", "::1", nil),
    ] as [(String, String, Int?)])
  func `is read`(text: String, host: String, port: Int?) throws {
    let address = try ListenAddress(text)
    #expect(address.host == host && address.port == port)
  }

  @Test(arguments: ["", "studio", "300.1.1.1", "1.2.3.4:x", "0", "65536", "99999999999", "[::1]x"])
  func `is refused if it is not an address`(text: String) {
    #expect(throws: ListenError.self) { try ListenAddress(text) }
  }

  @Test func `must be free, permitted, and of this machine`() throws {
    let session = try WebSession()
    defer { session.stop() }
    #expect(throws: ListenError(.http, .portInUse(session.port))) {
      try BoundPort(try ListenAddress("\(session.port)"))
    }
    // An address for documentation, which no machine has.
    #expect(throws: ListenError(.http, .unknownAddress("203.0.113.77"))) {
      try BoundPort(try ListenAddress("203.0.113.77:8420"))
    }
  }
}
