// SubscriptionTests.swift: commands sent ahead, events, and damaged lines. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits
import Testing

@testable import Control

@Suite final class `A connection`: Sendable {
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }

  init() throws { home = try RuntimeDirectory() }

  private func connected() throws -> UnixSocket { try home.connected() }

  @Test func `accepts commands before it has replied, and replies in order`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let socket = try connected()
    let count = ClientConnection.maximumRequestCount * 4
    let writer = Thread {
      for number in 0 ..< count {
        let line = CommandMessage(.set("\(number)"), id: .integer(number)).line
        _ = socket.send(line: Data(line.utf8), seconds: patienceSeconds)
      }
    }
    writer.start()
    var rest = Data()
    for number in 0 ..< count {
      let message = try #require(socket.message(&rest))
      #expect(message.id == .integer(number) && message.reply.notes == ["\(number)"])
    }
  }

  @Test func `replies to a client that has closed its sending side`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let socket = try connected()
    for number in 0 ..< 20 {
      #expect(
        socket.send(
          line: Data(CommandMessage(.set("\(number)")).line.utf8), seconds: patienceSeconds))
    }
    shutdown(socket.descriptor, Int32(SHUT_WR))
    var rest = Data()
    for number in 0 ..< 20 { #expect(socket.reply(&rest)?.notes == ["\(number)"]) }
    #expect(socket.line(&rest) == nil)
  }

  @Test func `carries events between replies`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let client = try ControlClient(run: "voice", environment: environment)
    try client.ask(.subscribe(.init()))
    for number in 0 ..< 100 { run.send(.notice(.init(.note("\(number)")))) }
    for number in 0 ..< 100 {
      let line = try #require(try client.nextEvent(within: patienceSeconds))
      let event = JSONLine.read(EventMessage.self, line)?.event
      #expect(event == .notice(.init(.note("\(number)"))))
    }
    run.stop()
    #expect(try client.nextEvent(within: 0.01)?.isEmpty ?? true)
  }

  @Test func `ends with the reason if a client reads nothing, without blocking others`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let deaf = try connected()
    #expect(
      deaf.send(line: Data(CommandMessage(.subscribe(.init())).line.utf8), seconds: patienceSeconds)
    )
    #expect(deaf.isReadable())
    // Far more than the queue and the socket's buffer can store.
    let text = String(repeating: "x", count: 1_000)
    for _ in 0 ..< OutgoingQueue.maximumEventCount * 3 { run.send(.notice(.init(.note(text)))) }
    var rest = Data()
    var last: Data?
    while let line = deaf.line(&rest) { last = line }
    let reply = last.flatMap { JSONLine.read(ReplyMessage.self, $0)?.reply }
    #expect(reply?.error?.kind == .busy)
  }

  @Test func `sends whole events in order while the connection takes only parts of them`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let slow = try connected()
    #expect(
      slow.send(line: Data(CommandMessage(.subscribe(.init())).line.utf8), seconds: patienceSeconds)
    )
    var rest = Data()
    #expect(slow.line(&rest) != nil)
    // More than the socket's buffer stores, and lines of different lengths, so that some are cut.
    let texts = (0 ..< 3_000).map { "\($0) " + String(repeating: "x", count: 500 + $0 % 777) }
    for text in texts { run.send(.notice(.init(.note(text)))) }
    for text in texts {
      let line = try #require(slow.line(&rest))
      #expect(JSONLine.read(EventMessage.self, line)?.event == .notice(.init(.note(text))))
    }
  }

  @Test func `leaves to its thread what was not sent at once, and everything after that`() throws {
    let queue = OutgoingQueue()
    func event(_ text: String) -> SharedEvent {
      SharedEvent(EventMessage(seconds: 0, .notice(.init(.note(text)))))
    }
    queue.append(event: event("all")) { _ in .all }
    #expect(queue.isEmpty)
    queue.append(event: event("part")) { .allExcept($0.suffix(3)) }
    queue.append(event: event("next")) { _ in
      Issue.record("a line overtook another")
      return .all
    }
    #expect(queue.next()?.line == event("part").line.suffix(3))
    // The rest is being sent.
    queue.append(event: event("last")) { _ in
      Issue.record("a line was sent within another")
      return .all
    }
    queue.sent()
    #expect(queue.next()?.line == event("next").line)
    #expect(queue.next()?.line == event("last").line)
    queue.sent()
    #expect(queue.isEmpty)
  }

  @Test func `sends a reply at once if nothing waits, and its rest before later replies`() {
    let queue = OutgoingQueue()
    #expect(queue.append(reply: Data("one".utf8)) { _ in .all })
    #expect(queue.isEmpty)
    #expect(!queue.append(reply: Data("two".utf8)) { .allExcept($0.suffix(1)) })
    let isSent = queue.append(reply: Data("three".utf8)) { _ in
      Issue.record("a reply overtook another")
      return .all
    }
    #expect(!isSent)
    #expect(queue.next()?.line == Data("o".utf8))
    queue.sent()
    #expect(queue.next()?.line == Data("three".utf8))
    queue.sent()
    #expect(queue.isEmpty)
  }

  @Test func `sends a slow client only the newest levels`() throws {
    let queue = OutgoingQueue()
    func send(_ event: Event) { queue.append(event: SharedEvent(EventMessage(seconds: 0, event))) }
    for number in 0 ..< 10_000 {
      send(.meter(.init(meter: .init(name: "input", seconds: Double(number), lostFrames: 0))))
      send(.meter(.init(meter: .init(name: "output", seconds: Double(number), lostFrames: 0))))
    }
    send(.rate(.init(sampleRateHz: 1)))
    queue.close()
    var names: [String] = []
    while case .event(let event)? = queue.next() {
      if case .meter(let payload) = event.message.event {
        #expect(payload.meter.seconds == 9_999)
        names.append(payload.meter.name)
      }
    }
    #expect(names == ["input", "output"])
  }

  /// Valid lines with bytes changed, removed, doubled and inserted.
  @Test func `replies exactly once to each line of any content`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let socket = try connected()
    var random = SystemLines(seed: 5)
    var lines: [[UInt8]] = []
    while lines.count < 20_000 {
      let line = random.next()
      // Skips empty lines; these subscriptions bring no events.
      if !line.isEmpty { lines.append(line) }
    }
    let writer = Thread { [lines] in
      for line in lines { _ = socket.send(line: Data(line), seconds: patienceSeconds) }
      shutdown(socket.descriptor, Int32(SHUT_WR))
    }
    writer.start()
    var rest = Data()
    var count = 0
    var errors = 0
    while let message = socket.message(&rest) {
      count += 1
      if message.reply.error != nil { errors += 1 }
    }
    #expect(count == lines.count)
    #expect(errors > 10_000 && errors < count)
  }
}

/// Damaged lines that can be repeated.
private struct SystemLines {
  private var state: UInt64
  private let valid = [
    #"{"command": "set", "node": "reverb", "values": {"mix": "40 %", "decay": 2.5}, "id": 7}"#,
    #"{"command": "scene", "scene": "chorus", "over": 2}"#, #"{"command": "status"}"#,
    #"{"command": "save", "file": "/tmp/x.yaml", "force": true}"#,
    #"{"command": "record", "node": "tape", "action": "mark", "text": "a\u00e9\ud83c\udfb8"}"#,
    #"{"command": "subscribe", "events": ["level", "changed"], "revision": 3}"#,
  ].map { Array($0.utf8) }

  init(seed: UInt64) { state = seed }

  private mutating func number(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  mutating func next() -> [UInt8] {
    var line = valid[number(below: valid.count)]
    for _ in 0 ..< number(below: 4) where !line.isEmpty {
      let place = number(below: line.count)
      switch number(below: 4) {
      case 0: line[place] = UInt8(number(below: 256))
      case 1: line.remove(at: place)
      case 2: line.removeSubrange(place...)
      default: line.insert(line[number(below: line.count)], at: place)
      }
    }
    return line.filter { $0 != 0x0a }
  }
}
