// AttackTests.swift: attacks on the web server, which all fail. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import TestWaits
import Testing
import WebTestSupport

@testable import WebServer

@Suite struct `An attack on the web server` {
  private let session: WebSession

  init() throws { session = try WebSession() }

  private func ends(_ body: (WebSession) throws -> Void) throws {
    defer { session.stop() }
    try body(session)
    #expect(session.commands.isEmpty)
  }

  @Test(arguments: [
    "evil.example", "evil.example:8420", "127.0.0.1.evil.example", "localhost.evil.example",
    "xlocal", ".local", "evil.example#.local", "127.0.0.1@evil.example", "", "[::1", "1.2.3",
    "localhost:x", "localhost:99999999",
  ])
  func `by DNS rebinding is refused because of the Host header`(host: String) throws {
    try ends { session in
      #expect(try session.request("GET /", ["Host: \(host)"]).status == 403)
      #expect(
        try session.post(#"{"command": "undo"}"#, others: ["Host: \(host)"]).status == 403)
      let client = try RawClient(port: session.port)
      client.send(WebSocketClient.upgrade(host, origin: "http://\(host)"))
      #expect(try client.response().status == 403)
    }
  }

  @Test func `with another transfer encoding is refused`() throws {
    try ends { session in
      let response = try session.request("GET /", ["Transfer-Encoding: gzip, chunked"])
      #expect(response.status == 501)
    }
  }

  @Test func `with two hosts or none is refused`() throws {
    try ends { session in
      let two = try RawClient(port: session.port)
      two.send("GET / HTTP/1.1\r\nHost: \(session.host)\r\nHost: evil.example\r\n\r\n")
      #expect(try two.response().status == 403)
      let none = try RawClient(port: session.port)
      none.send("GET / HTTP/1.0\r\n\r\n")
      #expect(try none.response().status == 403)
    }
  }

  @Test(arguments: ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"])
  func `by a page of another site is refused because of its origin`(origin: String) throws {
    try ends { session in
      let client = try RawClient(port: session.port)
      client.send(WebSocketClient.upgrade(session.host, origin: origin))
      let response = try client.response()
      #expect(response.status == 403)
      #expect(response.body.contains("Pages of other sites may not control this session."))
      #expect(
        try session.post(#"{"command": "undo"}"#, others: ["Origin: \(origin)"]).status == 403)
    }
  }

  @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
  func `by a form that browsers send without asking is refused`(type: String) throws {
    try ends { session in
      let response = try session.post(#"{"command": "undo"}"#, type: type)
      #expect(response.status == 415)
    }
  }

  @Test(arguments: [
    "/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/index.html/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd", "/..\\..\\etc\\passwd", "/index.html%00.js", "/api/v1/../v1/state",
  ])
  func `by path traversal finds nothing`(path: String) throws {
    try ends { session in
      let response = try session.request("GET \(path)")
      #expect([400, 404].contains(response.status))
      #expect(!response.body.contains("root:"))
    }
  }

  @Test func `by a body of 1 GB is refused before the body`() throws {
    try ends { session in
      let client = try RawClient(port: session.port)
      client.send(
        "POST /api/v1/command HTTP/1.1\r\nHost: \(session.host)\r\n"
          + "Authorization: Bearer \(WebSession.token)\r\nContent-Type: application/json\r\n"
          + "Content-Length: 1073741824\r\n\r\n")
      #expect(try client.response().status == 413)
      let chunked = try RawClient(port: session.port)
      chunked.send(
        "POST /api/v1/command HTTP/1.1\r\nHost: \(session.host)\r\n"
          + "Authorization: Bearer \(WebSession.token)\r\nContent-Type: application/json\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n")
      let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
      for _ in 0 ..< 17 { chunked.send(chunk) }
      #expect(try chunked.response().status == 413)
    }
  }

  @Test func `by large or many headers is refused`() throws {
    try ends { session in
      for headers in [
        ["X: " + String(repeating: "x", count: 20_000)], (0 ..< 200).map { "X\($0): y" },
      ] {
        let client = try RawClient(port: session.port)
        client.send("GET / HTTP/1.1\r\n\(headers.joined(separator: "\r\n"))\r\n\r\n")
        let text = try client.readToEnd()
        #expect(!text.contains("200 OK"))
      }
    }
  }

  @Test func `by guessing tokens is limited and reported`() throws {
    defer { session.stop() }
    for number in 0 ..< AttemptLimiter.maximumCount {
      let guess = "guess-guess-guess-\(number)"
      #expect(try session.post(#"{"command": "undo"}"#, token: guess).status == 401)
    }
    #expect(try session.post(#"{"command": "undo"}"#, token: "guess").status == 429)
    #expect(session.commands.isEmpty)
    // On this machine the right token is still accepted.
    #expect(try session.post(#"{"command": "undo"}"#).status == 200)
    #expect(
      session.messages == [
        "A client at 127.0.0.1 sent a wrong token or pairing code.",
        "The client at 127.0.0.1 sent 10 wrong tokens or codes. It is blocked for 60 s.",
      ])
  }

  @Test func `by guessing tokens from another machine blocks it, even with the right token`() {
    defer { session.stop() }
    let access = session.access
    for number in 0 ..< AttemptLimiter.maximumCount {
      let result = access.authenticate("guess \(number)", from: "192.168.1.9")
      #expect(throws: ErrorInfo.self) { try result.get() }
    }
    #expect(throws: ErrorInfo.self) {
      try access.authenticate(WebSession.token, from: "192.168.1.9").get()
    }
    #expect(throws: Never.self) {
      try access.authenticate(WebSession.token, from: "192.168.1.10").get()
    }
    var limiter = AttemptLimiter()
    let start = ContinuousClock.now
    for _ in 0 ..< AttemptLimiter.maximumCount { _ = limiter.recordFailure(of: "a", at: start) }
    let (early, late) = (
      limiter.mayTry("a", at: start + .seconds(59)), limiter.mayTry("a", at: start + .seconds(61))
    )
    #expect(!early && late)
  }

  @Test func `without a token carries out nothing`() throws {
    try ends { session in
      #expect(
        try session.request(
          "POST /api/v1/command", ["Content-Type: application/json"],
          body: #"{"command": "undo"}"#
        ).status == 401)
      #expect(try session.request("GET /api/v1/state").status == 401)
      let client = try WebSocketClient(port: session.port, token: nil)
      try client.send(#"{"command": "undo", "id": 4}"#)
      #expect(try client.frame().text.contains("Sign in first"))
      #expect(try client.closeCode() == 4_401)
    }
  }

  @Test(arguments: [
    (#""colour": 1"#, #"authenticate has no key \"colour\"; remove it."#),
    (#""name": "x""#, #"authenticate has no key \"name\"; remove it."#),
    (#""protocol": 2"#, "Protocol 2 is not supported; this session uses protocol 1."),
    (#""id": 4, "protocol": 1"#, nil),
  ])
  func `with unknown keys does not sign in`(keys: String, problem: String?) throws {
    try ends { session in
      let client = try WebSocketClient(port: session.port, token: nil)
      try client.send(#"{"command": "authenticate", "token": "\#(WebSession.token)", \#(keys)}"#)
      let reply = try client.frame().text
      guard let problem else { return #expect(reply == #"{"id":4}"#) }
      #expect(reply.contains(problem))
      #expect(try client.closeCode() == 4_401)
    }
  }

  @Test func `by frames that are too large, unmasked or in pieces without end is disconnected`()
    throws
  {
    try ends { session in
      let large = try WebSocketClient(port: session.port, token: nil)
      try large.send(String(repeating: "x", count: 5_000))
      #expect(try large.closeCode() == 1_009)
      let extended = try WebSocketClient(port: session.port, token: nil)
      try extended.send("{}", opcode: 0x41)
      #expect(try extended.closeCode() == 1_002)
      let unmasked = try WebSocketClient(port: session.port, token: nil)
      try unmasked.send("{}", isMasked: false)
      #expect(try unmasked.closeCode() == 1_002)
      let pieces = try WebSocketClient(port: session.port, token: nil)
      try pieces.send("{", isFinal: false)
      for _ in 0 ..< 100 { try pieces.send(" ", opcode: 0, isFinal: false) }
      #expect(try pieces.closeCode() == 1_008)
      // The length says 2^63 - 1 bytes.
      let huge = try WebSocketClient(port: session.port, token: nil)
      huge.raw.send([0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0])
      #expect([1_009, 1_002, 0].contains(try huge.closeCode()))
    }
  }

  @Test func `by a signed-in client with a message that is too long gets an error`() throws {
    try ends { session in
      let client = try WebSocketClient(port: session.port, token: WebSession.token)
      try client.send(String(repeating: " ", count: WebLimits().messageBytes + 1))
      #expect(try client.frame().text.contains("longer than 1 MiB"))
      _ = try client.closeCode()
    }
  }
}

@Suite struct `A slow or silent client` {
  @Test func `is disconnected before its request is complete`() throws {
    var limits = WebLimits()
    limits.requestSeconds = 0.05
    let session = try WebSession(limits: limits)
    defer { session.stop() }
    for start in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "] {
      let client = try RawClient(port: session.port)
      client.send(start)
      #expect(try client.readToEnd().isEmpty)
    }
    let body = try RawClient(port: session.port)
    body.send(
      "POST /api/v1/command HTTP/1.1\r\nHost: \(session.host)\r\n"
        + "Authorization: Bearer \(WebSession.token)\r\nContent-Type: application/json\r\n"
        + "Content-Length: 100\r\n\r\n{")
    #expect(try body.readToEnd().isEmpty)
    #expect(session.commands.isEmpty)
  }

  @Test func `is disconnected if it does not sign in`() throws {
    var limits = WebLimits()
    limits.signInSeconds = 0.05
    let session = try WebSession(limits: limits)
    defer { session.stop() }
    #expect(try WebSocketClient(port: session.port, token: nil).closeCode() == 4_401)
  }

  @Test func `is disconnected if it does not answer pings`() throws {
    var limits = WebLimits()
    limits.pingSeconds = 0.05
    let session = try WebSession(limits: limits)
    defer { session.stop() }
    let client = try WebSocketClient(port: session.port, token: WebSession.token)
    var pings = 0
    while try client.frame().opcode == 9 { pings += 1 }
    #expect(pings == 1)
    let deadline = Deadline()
    while session.clientCount > 0 { try deadline.rest() }
  }

  @Test func `does not keep a new client out`() throws {
    var limits = WebLimits()
    limits.connectionCount = 8
    let session = try WebSession(limits: limits)
    defer { session.stop() }
    let user = try WebSocketClient(port: session.port, token: WebSession.token)
    let silent = try (0 ..< 40).map { _ in try RawClient(port: session.port) }
    #expect(try session.request("GET /").status == 200)
    // One that has signed in stays.
    try user.send(#"{"command": "undo", "id": 1}"#)
    #expect(try user.frame().text == #"{"id":1,"notes":["undo"]}"#)
    _ = silent
  }
}
