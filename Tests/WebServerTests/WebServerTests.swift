// WebServerTests.swift: files, commands and events over HTTP. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import TestWaits
import Testing
import WebTestSupport

@testable import WebServer

@Suite struct `A web server` {
  private let session: WebSession

  init() throws { session = try WebSession() }

  @Test func `serves the page with an entity tag and a policy`() throws {
    defer { session.stop() }
    let page = try session.request("GET /")
    #expect(page.status == 200)
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["cache-control"] == "no-cache")
    #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") ?? false)
    #expect(page.body.lowercased().contains("<!doctype html>"))
    let tag = try #require(page.headers["etag"])
    let again = try session.request("GET /", ["If-None-Match: \(tag)"])
    #expect(again.status == 304 && again.body.isEmpty)
    #expect(try session.request("GET /nothing.js").status == 404)
    #expect(try session.request("DELETE /").status == 405)
    for name in PageFile.names { #expect(try session.request("GET /\(name)").status == 200) }
  }

  @Test func `has every file of the page, at most 150 KB`() throws {
    defer { session.stop() }
    let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/Interfaces/WebPage").standardized.path
    let files = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(PageFile.names == files.filter { !$0.hasSuffix(".md") }.sorted())
    let sizes = PageFile.names.compactMap { PageFile.file(at: "/\($0)")?.bytes.count }
    #expect(sizes.reduce(0, +) <= 150_000)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "studio.local", "192.168.1.5"])
  func `accepts names of the local network`(name: String) throws {
    defer { session.stop() }
    #expect(try session.request("GET /", ["Host: \(name):\(session.port)"]).status == 200)
  }

  @Test func `carries out a command`() throws {
    defer { session.stop() }
    let response = try session.post(#"{"command": "undo", "id": 7}"#)
    #expect(response.status == 200 && response.body == #"{"id":7,"notes":["undo"]}"#)
    #expect(
      try session.post(
        #"{"command": "undo"}"#, type: "application/json; charset=utf-8",
        others: ["Origin: http://\(session.host)"]
      ).status == 200)
    #expect(session.commands == [.undo, .undo])
    #expect(try session.post("nonsense").status == 400)
    let events = try session.post(#"{"command": "subscribe", "id": 8}"#)
    #expect(events.status == 400 && events.body.contains("subscribe needs a WebSocket at"))
    let levels = try session.post(#"{"command": "acknowledge", "sequence": 1}"#)
    #expect(levels.status == 400 && levels.body.contains("acknowledge needs a WebSocket at"))
  }

  @Test func `reports the state`() throws {
    defer { session.stop() }
    let response = try session.request(
      "GET /api/v1/state", ["Authorization: Bearer \(WebSession.token)"])
    #expect(response.status == 200)
    let snapshot = JSONLine.read(Snapshot.self, Data(response.body.utf8))
    #expect(snapshot?.revision == 3 && snapshot?.state.rig == "test")
    // The client is disconnected after its response.
    let deadline = Deadline()
    while session.clientCount > 0 { try deadline.rest() }
  }

  @Test func `answers commands of a WebSocket in order, also in pieces`() throws {
    defer { session.stop() }
    let client = try WebSocketClient(port: session.port, token: WebSession.token)
    for number in 0 ..< 1_000 { try client.send(#"{"command": "undo", "id": \#(number)}"#) }
    for number in 0 ..< 1_000 {
      #expect(try client.frame().text == #"{"id":\#(number),"notes":["undo"]}"#)
    }
    try client.send(#"{"command": "#, isFinal: false)
    try client.send("", opcode: 9)
    try client.send(#""redo"}"#, opcode: 0)
    #expect(try client.frame().opcode == 10)
    #expect(try client.frame().text == #"{"notes":["redo"]}"#)
    try client.send("nonsense")
    #expect(try client.frame().text.contains("Invalid request."))
    try client.send("")
    #expect(try client.frame().text.contains("Invalid request."))
    // No reply, and the next command is answered.
    try client.send(#"{"command": "acknowledge", "sequence": 1}"#)
    try client.send(#"{"command": "undo", "id": "last"}"#)
    #expect(try client.frame().text == #"{"id":"last","notes":["undo"]}"#)
    try client.send("\u{3}\u{e8}", opcode: 8)
    _ = try client.closeCode()
    let deadline = Deadline()
    while session.clientCount > 0 { try deadline.rest() }
  }

  @Test func `refuses a WebSocket with another path or subprotocol`() throws {
    defer { session.stop() }
    for (path, name, status) in [("/socket", "other", 426), ("/other", "outboard.v1", 404)] {
      let client = try RawClient(port: session.port)
      client.send(
        WebSocketClient.upgrade(session.host, origin: nil, subprotocol: name, path: path))
      #expect(try client.response().status == status)
    }
  }

  @Test func `forgets clients that vanish`() throws {
    defer { session.stop() }
    for _ in 0 ..< 20 {
      let client = try WebSocketClient(port: session.port, token: WebSession.token)
      try client.send(#"{"command": "undo"}"#)
    }
    let deadline = Deadline()
    while session.clientCount > 0 { try deadline.rest() }
    #expect(try session.post(#"{"command": "redo"}"#).status == 200)
  }

  @Test func `closes its connections when it stops`() throws {
    let client = try WebSocketClient(port: session.port, token: WebSession.token)
    session.stop()
    #expect([1_000, 1_001, 0].contains(try client.closeCode()))
    #expect(throws: (any Error).self) { try RawClient(port: session.port) }
  }

  @Test func `requests that are sent together are answered in order`() throws {
    defer { session.stop() }
    let client = try RawClient(port: session.port)
    let body = #"{"command": "status"}"#
    let request =
      "POST /api/v1/command HTTP/1.1\r\nHost: \(session.host)\r\nAuthorization: Bearer \(WebSession.token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    client.send(
      String(repeating: request, count: 20)
        + "GET /openapi.json HTTP/1.1\r\nHost: \(session.host)\r\nConnection: close\r\n\r\n")
    let answers = try client.readToEnd()
    #expect(answers.components(separatedBy: "HTTP/1.1 200").count == 22)
    #expect(answers.contains("Connection: close"))
  }

  @Test(arguments: [1, 3]) func `answers a client that ends its side after its requests`(
    count: Int
  ) throws {
    defer { session.stop() }
    let client = try RawClient(port: session.port)
    let body = #"{"command": "undo"}"#
    let request =
      "POST /api/v1/command HTTP/1.1\r\nHost: \(session.host)\r\nAuthorization: Bearer \(WebSession.token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    client.send(String(repeating: request, count: count))
    client.endOutput()
    let answers = try client.readToEnd()
    #expect(answers.components(separatedBy: "HTTP/1.1 200").count == count + 1)
    // Without a complete request there is no answer, and nothing stays open.
    for text in ["", "GET / HTT", String(request.dropLast(3))] {
      let other = try RawClient(port: session.port)
      other.send(text)
      other.endOutput()
      #expect(try !other.readToEnd().contains("HTTP/1.1 200"))
    }
    let socket = try WebSocketClient(port: session.port, token: WebSession.token)
    socket.raw.endOutput()
    let deadline = Deadline()
    while session.clientCount > 0 { try deadline.rest() }
  }
}
