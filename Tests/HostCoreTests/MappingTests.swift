// MappingTests.swift: MIDI controls of a running host. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Session
import Synchronization
import TestWaits
import Testing

@testable import HostCore

@Suite(.serialized) final class `A mapped MIDI control` {
  private let controllers = TestControllers()

  private func host(_ lines: String...) throws -> TestHost {
    let map = lines.map { "\n    - \"\($0)\"" }.joined()
    return try TestHost(midi: "\nmidi:\n  map:\(map)\n", controllers: controllers)
  }

  private func value(_ test: TestHost, _ symbol: String, of node: String = "a") -> Float? {
    test.host.snapshot.state.nodes.first { $0.name == node }?.parameters
      .first { $0.symbol == symbol }?.value
  }

  /// Runs the loop until a condition holds.
  private func wait(_ test: TestHost, until isDone: () -> Bool) throws {
    while !isDone() {
      try test.turn()
      sched_yield()
    }
  }

  @Test func `opens no devices without mappings`() throws {
    let test = try TestHost(controllers: controllers)
    try test.turn()
    #expect(controllers.request == nil)
  }

  @Test func `opens only its devices`() throws {
    let test = try host("cc 1 from desk -> a.gain", "cc 2 from keys -> c.gain")
    #expect(controllers.request == .init(devices: ["desk", "keys"], includesHardware: false))
    _ = try test.reply(.map(.add("cc 3 -> a.gain")))
    #expect(controllers.request?.includesHardware == true)
  }

  @Test func `takes effect in the next block, before the main thread reads it`() throws {
    let test = try host("cc 21 -> a.mute")
    _ = try test.reply(.set("b", "bypass", "on"))
    for _ in 0 ..< 200 { try test.turn() }
    let before = test.driver.render()[63]
    controllers.play(0xb0, 21, 127)
    let after = test.driver.render()[63]
    #expect(abs(after) < abs(before))
  }

  @Test func `is published once, with its source, and not to itself`() throws {
    let test = try host("cc 21 -> a.gain -20..0 dB")
    let seen = Mutex<[Event.Changed]>([])
    let client = test.host.port.connect { event in
      if case .changed(let changed) = event.message.event { seen.withLock { $0.append(changed) } }
    }
    _ = try test.reply(.subscribe(.init(events: [.changed])), from: client)
    let revision = test.host.revision
    for raw in 0 ... 64 { controllers.play(0xb0, 21, UInt8(raw)) }
    try wait(test) { test.host.revision > revision }
    #expect(test.host.revision == revision + 1)
    let changes = seen.withLock { $0 }
    #expect(changes.map(\.source) == [.midi])
    #expect(changes.first?.changes == [.parameter(node: "a", symbol: "gain", value: -9.92)])
  }

  @Test func `moves its target in the target's unit`() throws {
    let test = try host(
      "cc 1 -> a.gain -20..0 dB", "cc 2 -> b.wet 0..50 %", "cc 3 -> c.bypass",
      "cc 4 -> a -> b.gain -40..0 dB", "note 60 -> c.mute")
    controllers.play(0xb0, 1, 127)
    controllers.play(0xb0, 2, 127)
    controllers.play(0xb0, 3, 127)
    controllers.play(0xb0, 4, 0)
    controllers.play(0x90, 60, 1)
    try wait(test) {
      test.host.snapshot.state.connections.first { $0.name == "a -> b" }?.gain == -40
    }
    let state = test.host.snapshot.state
    #expect(value(test, "gain") == 0)
    #expect(state.nodes[1].wet == 0.5 && state.nodes[2].bypass)
    #expect(value(test, "mute", of: "c") == 1)
    controllers.play(0x80, 60, 0)
    try wait(test) { value(test, "mute", of: "c") == 0 }
  }

  @Test func `keeps only the last value while a command is carried out`() throws {
    let test = try host("cc 4 -> a -> b.gain -40..0 dB")
    let revision = test.host.revision
    for _ in 0 ..< 10 { for raw in 0 ... 127 { controllers.play(0xb0, 4, UInt8(raw)) } }
    controllers.play(0xb0, 4, 64)
    try wait(test) {
      test.host.revision > revision
        && abs(
          (test.host.snapshot.state.connections.first { $0.name == "a -> b" }?.gain ?? 0) + 19.84)
          < 0.01
    }
    #expect(test.host.revision <= revision + 3)
    // One movement is one step of the history.
    _ = try test.reply(.undo)
    #expect(test.host.snapshot.state.connections.first { $0.name == "a -> b" }?.gain == 0)
  }

  @Test func `takes over again after a scene moved the value`() throws {
    let test = try host("cc 1 -> a.gain -20..0 dB pickup")
    controllers.play(0xb0, 1, 127)
    controllers.play(0xb0, 1, 100)
    try wait(test) { (value(test, "gain") ?? 0) < -4 }
    _ = try test.reply(.scene(.recall("high", over: nil)))
    controllers.play(0xb0, 1, 90)
    try test.turn()
    #expect(value(test, "gain") == 0)
    controllers.play(0xb0, 1, 127)
    controllers.play(0xb0, 1, 64)
    try wait(test) { (value(test, "gain") ?? 0) < -9 }
  }

  @Test func `recalls scenes in their order, by number and by name`() throws {
    let test = try host(
      "cc 64 -> next scene", "cc 65 -> previous scene", "program 9 -> scene 3",
      "note 1 -> scene LOW", "note 2 -> undo")
    func current() -> String? { test.host.snapshot.state.scenes.first(where: \.current)?.name }
    // Two presses before the main thread works are two steps.
    controllers.play(0xb0, 64, 127)
    controllers.play(0xb0, 64, 0)
    controllers.play(0xb0, 64, 127)
    try wait(test) { current() == "slow" }
    controllers.play(0xc0, 8)
    try wait(test) { current() == "high" }
    controllers.play(0xb0, 64, 0)
    controllers.play(0xb0, 64, 127)
    try wait(test) { current() == "low" }
    controllers.play(0xb0, 65, 127)
    try wait(test) { current() == "high" }
    controllers.play(0x90, 1, 100)
    try wait(test) { current() == "low" }
    #expect(value(test, "gain") == -20)
    controllers.play(0x90, 2, 100)
    try wait(test) { value(test, "gain") == 0 }
  }

  @Test func `shares a knob with another mapping`() throws {
    let test = try host("cc 1 -> a.gain -20..0", "cc 1 -> c.gain 0..-20")
    controllers.play(0xb0, 1, 127)
    try wait(test) { value(test, "gain", of: "c") == -20 }
    #expect(value(test, "gain") == 0)
    guard case .maps(let maps)? = try test.reply(.map(.list)).result else {
      Issue.record("no list")
      return
    }
    #expect(maps.map(\.target) == ["a.gain", "c.gain"] && maps.map(\.number) == [1, 2])
    #expect(maps.map(\.options) == ["-20..0", "0..-20"])
  }

  // MARK: - Feedback

  @Test func `receives the values that others set, and not its own`() throws {
    let test = try host("cc 1 from desk -> a.gain -20..0 dB feedback")
    try test.turn()
    _ = controllers.takeSent()
    _ = try test.reply(.set("a", "gain", "-10"))
    var sent = controllers.takeSent()
    #expect(sent.map(\.device) == ["desk"] && sent.map(\.bytes) == [[0xb0, 1, 64]])
    controllers.play(0xb2, 1, 100, device: "desk:1", at: 1)
    let revision = test.host.revision
    try wait(test) { test.host.revision > revision }
    #expect(controllers.takeSent().isEmpty)
    // The control's own channel and port are used.
    _ = try test.reply(.scene(.recall("low", over: nil)))
    sent = controllers.takeSent()
    #expect(sent.map(\.device) == ["desk:1"] && sent.map(\.bytes) == [[0xb2, 1, 0]])
  }

  @Test func `receives no value while it is touched`() throws {
    let test = try host("cc 1 from desk -> a.gain -20..0 dB feedback")
    let state = test.host.snapshot.state
    let mapper = ControlMapper(test.host.port, state, wake: {})
    mapper.replace(test.host.session.maps)
    #expect(mapper.takeFeedback(at: 1).map(\.bytes) == [[0xb0, 1, 127]])
    let touched: UInt64 = 10_000_000_000
    mapper.receive(.init(time: touched, device: "desk", bytes: [0xb0, 1, 100]))
    var next = state
    let change = StateChange.parameter(node: "a", symbol: "gain", value: -20)
    next.apply(change)
    mapper.follow(
      .init(revision: 9, source: .client, client: ClientID(99), changes: [change]), next,
      isRecording: false)
    let end = touched + ControlMapper.touchNanoseconds
    #expect(mapper.takeFeedback(at: end - 1).isEmpty)
    #expect(mapper.takeFeedback(at: end).map(\.bytes) == [[0xb0, 1, 0]])
    #expect(mapper.takeFeedback(at: end + 1).isEmpty)
  }

  // MARK: - Learning

  /// Starts to learn, and returns the reply when there is one.
  private func learn(_ test: TestHost, _ command: Command.Learn) -> ReplyHolder {
    let reply = ReplyHolder()
    let client = test.host.port.connect { _ in }
    _ = test.host.port.submit(.learn(command), from: client) { answer in
      reply.value.withLock { $0 = answer }
    }
    return reply
  }

  private final class ReplyHolder: Sendable {
    let value = Mutex<Reply?>(nil)
    var reply: Reply? { value.withLock { $0 } }
  }

  @Test func `is learned with its device, works at once and can be undone and saved`() throws {
    let test = try TestHost(controllers: controllers)
    let reply = learn(test, .init(target: "a.gain", range: "-20..0 dB"))
    try test.turn()
    #expect(controllers.request?.includesHardware == true)
    controllers.play(0xb0, 30, 64)
    controllers.play(0xb0, 21, 10)
    controllers.play(0xb0, 21, 20)
    try wait(test) { reply.reply != nil }
    #expect(reply.reply?.error == nil)
    #expect(reply.reply?.notes.first == "cc 21 channel 1 from desk now controls a.gain.")
    #expect(test.host.snapshot.state.maps == ["cc 21 channel 1 from desk -> a.gain -20..0 dB"])
    controllers.play(0xb0, 21, 0)
    try wait(test) { value(test, "gain") == -20 }
    let path = test.path("saved.yaml")
    _ = try test.reply(.save(.init(file: path)))
    #expect(
      try String(contentsOfFile: path, encoding: .utf8).contains(
        "cc 21 channel 1 from desk -> a.gain -20..0 dB"))
    while test.host.snapshot.state.maps != nil { #expect(try test.reply(.undo).error == nil) }
    #expect(controllers.request == nil)
  }

  @Test func `is not learned for a wrong target, and the nearest is named`() throws {
    let test = try TestHost(controllers: controllers)
    let reply = try test.reply(.learn(.init(target: "a.gian")))
    #expect(reply.error?.message == "a.gian: a has no parameter gian. Did you mean gain?")
    #expect(try test.reply(.learn(.init(target: "a.gain", range: "0..60 %"))).error != nil)
    #expect(try test.reply(.learn(.init(target: "a.gain", options: "pickpu"))).error != nil)
    #expect(controllers.request == nil)
    #expect(try test.reply(.learn(.init())).error?.kind == .usage)
  }

  @Test func `is not learned after it was cancelled`() throws {
    let test = try TestHost(controllers: controllers)
    let first = learn(test, .init(target: "a.gain"))
    try test.turn()
    #expect(
      try test.reply(.learn(.init(target: "c.gain"))).error?.message.contains("a.gain") == true)
    #expect(try test.reply(.learn(.init())).error == nil)
    #expect(first.reply?.error?.message == "Learning was cancelled. Nothing was mapped.")
    #expect(controllers.request == nil)
    #expect(test.host.snapshot.state.maps == nil)
  }

  @Test func `whose devices cannot be opened leaves a message, and the session runs`() throws {
    let test = try TestHost(midi: "\nmidi:\n  map: [cc 1 -> a.gain]\n")
    let report = try test.host.report()
    #expect(
      report.midiNotices.map { "\($0)" } == [
        "The MIDI mappings have no effect. This session cannot open MIDI devices."
      ])
    #expect(report.midiNotices.map { $0.fields["kind"] } == ["device"])
    #expect(try test.host.report().midiNotices.isEmpty)
  }

  @Test func `of a host without devices is refused`() throws {
    let test = try TestHost()
    #expect(try test.reply(.learn(.init(target: "a.gain"))).error?.kind == .device)
  }

  // MARK: - Changes of the list

  @Test func `stays when the rig is read again, and goes when the file no longer has it`() throws {
    let test = try host("cc 1 -> a.gain", "cc 2 -> c.gain")
    _ = try test.reply(.map(.add("cc 3 -> b.wet")))
    _ = try test.reply(.map(.remove("cc 1")))
    _ = try test.reply(.load(.init(file: test.path("rig.yaml"))))
    #expect(test.host.snapshot.state.maps == ["cc 2 -> c.gain", "cc 3 -> b.wet"])
    // The other rig has no mappings.
    _ = try test.reply(.load(.init(file: test.path("other.yaml"))))
    #expect(test.host.snapshot.state.maps == ["cc 3 -> b.wet"])
  }

  @Test func `is added and removed`() throws {
    let test = try TestHost(controllers: controllers)
    #expect(try test.reply(.map(.add("cc 1 -> a.gain"))).error == nil)
    #expect(
      try test.reply(.map(.add("cc 1 -> a.gain"))).error?.message
        == "The mapping cc 1 -> a.gain exists already.")
    // Other options of the same control and target replace the old ones.
    #expect(try test.reply(.map(.add("cc 1 -> a.gain -20..0 dB pickup"))).error == nil)
    #expect(test.host.snapshot.state.maps == ["cc 1 -> a.gain -20..0 dB pickup"])
    #expect(try test.reply(.map(.add("cc 1 -> a.gain"))).error == nil)
    #expect(test.host.snapshot.state.maps == ["cc 1 -> a.gain"])
    #expect(
      try test.reply(.map(.add("cc 1 -> a.gain -20..900 dB"))).error?.message.contains("Using")
        == false)
    #expect(try test.reply(.map(.add("cc 200 -> a.gain"))).error?.kind == .usage)
    #expect(try test.reply(.map(.add("cc 1 -> x.gain"))).error != nil)
    #expect(
      try test.reply(.map(.remove("a.gian"))).error?.message.contains("Did you mean a.gain?")
        == true)
    #expect(try test.reply(.map(.remove("a.gain"))).notes == ["Removed cc 1 -> a.gain."])
    #expect(controllers.request == nil)
  }

  @Test func `is removed with its node`() throws {
    let test = try host("cc 1 -> a.gain", "cc 2 -> c.gain", "cc 3 -> next scene")
    let reply = try test.reply(.remove(.init(node: "c")))
    #expect(reply.error == nil)
    #expect(test.host.snapshot.state.maps == ["cc 1 -> a.gain", "cc 3 -> next scene"])
    #expect(reply.notes.contains { $0.contains("1 MIDI mapping") })
  }
}
