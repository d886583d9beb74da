// FeedbackTests.swift: which values a subscriber receives and when, in virtual time. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import OSC

@Suite struct `Feedback` {
  private static func space(_ count: Int = 3) -> OSCAddressSpace {
    OSCAddressSpace(
      SessionState(
        rig: "test",
        nodes: [
          .init(
            name: "a", plugin: "p",
            parameters: (0 ..< count).map { .init(symbol: "p\($0)", value: Float($0)) })
        ]))
  }

  private static func only(_ addresses: String...) throws -> [OSCPattern] {
    try addresses.map { try #require(OSCPattern($0)) }
  }

  @Test func `begins with all values that can be read, but levels`() throws {
    var space = OSCAddressSpace(
      SessionState(rig: "test", nodes: [.init(name: "a", plugin: "p")]),
      .init(inputCount: 1, outputCount: 1, readouts: [:]))
    _ = space.set(.inputLevel(1), to: .float(-6))
    var stream = FeedbackStream(nil, in: space)
    let messages = stream.take(from: space, at: 0).flatMap { $0 }
    #expect(
      messages == [
        .init("/node/a/bypass", [.bool(false)]), .init("/node/a/wet", [.float(1)]),
        .init("/scene", [.string("")]), .init("/rig", [.string("test")]),
      ])
    #expect(!stream.hasLevels)
    var levels = FeedbackStream(try Self.only("/level/*/*"), in: space)
    #expect(levels.hasLevels)
    #expect(
      levels.take(from: space, at: 0).flatMap { $0 } == [.init("/level/in/1", [.float(-6)])])
  }

  @Test func `sends only the newest value of an interval`() throws {
    var space = Self.space()
    var stream = FeedbackStream(try Self.only("/node/a/p?"), in: space)
    #expect(stream.take(from: space, at: 0).flatMap { $0 }.count == 3)
    for value in 10 ..< 100 {
      let changed = space.apply(.parameter(node: "a", symbol: "p1", value: Float(value)))
      for address in changed { stream.mark(address) }
    }
    #expect(stream.take(from: space, at: 0.019).isEmpty)
    #expect(
      stream.take(from: space, at: 0.02).flatMap { $0 } == [.init("/node/a/p1", [.float(99)])])
    #expect(!stream.isWaiting)
  }

  @Test func `is limited to some packets of an interval, and sends the rest later`() throws {
    let space = Self.space(2_000)
    var stream = FeedbackStream(try Self.only("/node/a/p*"), in: space)
    var (time, addresses): (Double, [String]) = (0, [])
    while stream.isWaiting {
      let packets = stream.take(from: space, at: time)
      #expect(packets.count <= FeedbackStream.packetCount)
      for packet in packets {
        let bundle = OSCPacket.bundle(.immediate, packet.map(OSCPacket.message))
        #expect(bundle.bytes.count <= FeedbackStream.packetBytes)
      }
      addresses += packets.flatMap { $0 }.map(\.address)
      time += FeedbackStream.interval
    }
    #expect(time > FeedbackStream.interval * 3)
    #expect(Set(addresses).count == 2_000 && addresses.count == 2_000)
  }

  @Test func `never returns a value to the one who has set it`() throws {
    var space = Self.space()
    var stream = FeedbackStream(try Self.only("/node/a/p1"), in: space)
    _ = stream.take(from: space, at: 0)
    stream.touch("/node/a/p1", .int(5), at: 1)
    for address in space.apply(.parameter(node: "a", symbol: "p1", value: 5)) {
      stream.mark(address)
    }
    for step in 0 ..< 100 { #expect(stream.take(from: space, at: 1 + Double(step) / 50).isEmpty) }
    #expect(!stream.isWaiting)
  }

  @Test func `corrects a value that was limited, after the control has come to rest`() throws {
    var space = Self.space()
    var stream = FeedbackStream(try Self.only("/node/a/p1"), in: space)
    _ = stream.take(from: space, at: 0)
    stream.touch("/node/a/p1", .float(140), at: 1)
    for address in space.apply(.parameter(node: "a", symbol: "p1", value: 100)) {
      stream.mark(address)
    }
    #expect(stream.take(from: space, at: 1.25).isEmpty)
    stream.touch("/node/a/p1", .float(150), at: 1.26)
    #expect(stream.take(from: space, at: 1.5).isEmpty)
    #expect(
      stream.take(from: space, at: 1.6).flatMap { $0 } == [.init("/node/a/p1", [.float(100)])])
    // The same when the limited value changes nothing.
    stream.touch("/node/a/p1", .float(140), at: 2)
    #expect(
      stream.take(from: space, at: 2.4).flatMap { $0 } == [.init("/node/a/p1", [.float(100)])])
  }

  @Test func `has the new addresses after an edit, and those that have changed`() throws {
    var space = Self.space()
    var stream = FeedbackStream(nil, in: space)
    _ = stream.take(from: space, at: 0)
    let state = SessionState(
      rig: "test",
      nodes: [
        .init(name: "a", plugin: "p", parameters: [.init(symbol: "p1", value: 1)]),
        .init(name: "b", plugin: "p", parameters: [.init(symbol: "p1", value: 7)]),
      ])
    space = OSCAddressSpace(state)
    stream.update(space)
    #expect(
      stream.take(from: space, at: 1).flatMap { $0 }.map(\.address)
        == ["/node/b/p1", "/node/b/bypass", "/node/b/wet"])
  }

  @Test func `ends after the lifetime without a message`() throws {
    let (space, peer) = (Self.space(), OSCPeer.datagram(host: "127.0.0.1", port: 5))
    var subscriptions = OSCSubscriptions()
    try subscriptions.add(.init([.int(0), .int(30)], from: peer), in: space, at: 0)
    #expect(subscriptions.take(from: space, at: 1) { _ in true }.count == 1)
    subscriptions.renew(peer, at: 20)
    subscriptions.renew(.datagram(host: "127.0.0.1", port: 6), at: 40)
    subscriptions.mark(["/node/a/p1"])
    _ = subscriptions.take(from: space, at: 49.9) { _ in true }
    #expect(subscriptions.count == 1)
    _ = subscriptions.take(from: space, at: 50) { _ in true }
    #expect(subscriptions.count == 0)
  }

  @Test func `is limited in receivers, ports and lifetimes`() throws {
    let (space, peer) = (Self.space(), OSCPeer.datagram(host: "127.0.0.1", port: 5))
    var subscriptions = OSCSubscriptions()
    for port in 1 ... OSCSubscriptions.maximumCount {
      let request = try OSCSubscriptions.Request([.int(Int32(port))], from: peer)
      #expect(request.receiver == .datagram(host: "127.0.0.1", port: port))
      try subscriptions.add(request, in: space, at: 0)
      // The same receiver again takes no second place.
      try subscriptions.add(request, in: space, at: 0)
    }
    #expect(throws: OSCSubscriptionError.tooMany) {
      try subscriptions.add(.init([.int(99)], from: peer), in: space, at: 1)
    }
    try subscriptions.add(.init([.int(99)], from: peer), in: space, at: 61)
    #expect(subscriptions.count == 1)
    for (arguments, error) in [
      ([.int(-1)], .port), ([.int(70_000)], .port), ([.int(0), .float(0)], .lifetime),
      ([.int(0), .float(.nan)], .lifetime), ([.int(0), .int(90_000)], .lifetime),
      ([.string("/[a")], .pattern),
      ([OSCArgument](repeating: .string("/a"), count: 65), .pattern),
    ] as [([OSCArgument], OSCSubscriptionError)] {
      #expect(throws: error) { _ = try OSCSubscriptions.Request(arguments, from: peer) }
    }
  }

  @Test func `requested by a faked sender is limited`() {
    var allowance = ReplyAllowance()
    let first = (0 ..< 1_000).count { _ in allowance.take(at: 10) }
    let second = (0 ..< 1_000).count { _ in allowance.take(at: 10.5) }
    #expect(first == 200)
    #expect(second == 100)
  }
}

@Suite struct `Bundles with a time` {
  private static let message = OSCMessage("/undo")
  private static let now = OSCTimeTag(rawValue: 0xe000_0000_0000_0000)

  @Test func `are carried out in the order of their times`() {
    var schedule = BundleSchedule<Int>()
    let now = Self.now
    for (sender, seconds) in [(1, 2.0), (2, 1.0), (3, 2.0), (4, 59.0)] {
      #expect(
        schedule.add([Self.message], at: now.advanced(by: seconds), from: sender, now: now)
          == .waits)
    }
    #expect(schedule.pause(at: now) == 1)
    #expect(schedule.takeDue(at: now.advanced(by: 0.99)).isEmpty)
    #expect(schedule.takeDue(at: now.advanced(by: 2)).map(\.sender) == [2, 1, 3])
    #expect(schedule.messageCount == 1)
    schedule.remove { $0 == 4 }
    #expect(schedule.pause(at: now) == nil)
  }

  @Test func `that are late or immediate are due, and others are limited`() {
    var schedule = BundleSchedule<Int>()
    let now = Self.now
    func add(_ tag: OSCTimeTag, _ count: Int = 1) -> BundleSchedule<Int>.Outcome {
      schedule.add(
        [OSCMessage](repeating: Self.message, count: count), at: tag, from: 0, now: now)
    }
    #expect(add(.immediate) == .isDue)
    #expect(add(now) == .isDue)
    #expect(add(now.advanced(by: -100)) == .isDue)
    #expect(add(now.advanced(by: 60.1)) == .tooFarAhead)
    #expect(add(OSCTimeTag(rawValue: .max)) == .tooFarAhead)
    #expect(add(now.advanced(by: 1), 4_000) == .waits)
    #expect(add(now.advanced(by: 1), 97) == .full)
    #expect(add(now.advanced(by: 1), 96) == .waits)
  }

  @Test func `use the clock of the system`() {
    let tags = (OSCTimeTag.now, OSCTimeTag.now)
    #expect(tags.0 <= tags.1)
    // After 2025, and before the tags begin again in 2036.
    #expect(tags.0.rawValue >> 32 > 3_944_678_400)
    #expect(abs(tags.0.advanced(by: -1.5).seconds(since: tags.0) + 1.5) < 1e-6)
  }
}
