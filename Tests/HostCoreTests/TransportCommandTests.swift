// TransportCommandTests.swift: tests of tempo, transport and taps. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import MIDIClock
import RenderGraph
import Session
import Synchronization
import Testing

@testable import HostCore

/// A clock whose state a test sets.
private final class TestClock: ClockLink {
  var status: ClockStatus?
  private(set) var isStarted = false
  private(set) var requests: [ClockChange] = []

  init(_ state: ClockTracker.State) { status = ClockStatus(device: "Digitakt", state: state) }

  func start(_ engine: Engine) { isStarted = true }
  func stop() { isStarted = false }
  func takeNotices() -> [HostNotice] { [] }
  func request(_ change: ClockChange) -> Bool {
    guard status?.peers != nil else { return false }
    requests.append(change)
    return true
  }
}

@Suite struct `The command transport` {
  private func info(_ reply: Reply) -> TransportInfo? {
    if case .transport(let info)? = reply.result { info } else { nil }
  }

  @Test func `reports the tempo, which is part of the state`() throws {
    let test = try TestHost()
    let reply = try test.reply(.transport(.init()))
    #expect(info(reply) == TransportInfo(tempo: 120, rolling: true))
    #expect(reply.change == nil)
    #expect(test.host.snapshot.state.transport == info(reply))
  }

  @Test func `sets tempo and transport, and publishes them as one change`() throws {
    let test = try TestHost()
    let received = Mutex<[StateChange]>([])
    let watcher = test.host.port.connect { event in
      guard case .changed(let changed) = event.message.event else { return }
      received.withLock { $0 += changed.changes }
    }
    _ = try test.reply(.subscribe(.init(events: [.changed])), from: watcher)
    let reply = try test.reply(.transport(.init(tempo: 93.5, action: .stop)))
    let expected = StateChange.transport(TransportInfo(tempo: 93.5, rolling: false))
    #expect(reply.change?.changes == [expected])
    #expect(received.withLock(\.self) == [expected])
    try test.turn()
    #expect(received.withLock(\.count) == 1)
    #expect(test.host.snapshot.state.transport?.tempo == 93.5)
  }

  @Test(arguments: [0, 0.5, 1_000, -120, Double.infinity])
  func `refuses tempos out of range`(tempo: Double) throws {
    let test = try TestHost()
    let reply = try test.reply(.transport(.init(tempo: tempo, action: .stop)))
    #expect(reply.error?.kind == .usage)
    #expect(test.host.snapshot.state.transport == TransportInfo(tempo: 120, rolling: true))
  }

  @Test func `a saved rig has the tempo that was set`() throws {
    let test = try TestHost()
    _ = try test.reply(.transport(.init(tempo: 93.5)))
    _ = try test.reply(.save(.init(file: test.path("saved.yaml"))))
    let text = try String(contentsOfFile: test.path("saved.yaml"), encoding: .utf8)
    #expect(text.contains("tempo: 93.5"))
    _ = try test.reply(.save(.init()))
    let own = try String(contentsOfFile: test.path("rig.yaml"), encoding: .utf8)
    #expect(own.contains("tempo: 93.5"))
  }

  @Test func `the first tap is confirmed, and changes nothing`() throws {
    let test = try TestHost()
    let reply = try test.reply(.transport(.init(action: .tap)))
    #expect(reply.notes == ["Tap again on the next beat."])
    #expect(info(reply) == TransportInfo(tempo: 120, rolling: true))
  }

  @Test func `taps of a MIDI control count by the times of their messages`() throws {
    let controllers = TestControllers()
    let test = try TestHost(
      midi: "\nmidi: {map: [note 36 -> tap tempo, note 37 -> transport toggle]}",
      controllers: controllers)
    for time: UInt64 in [1_000, 1_600, 2_201, 2_799] {
      controllers.play(0x90, 36, 100, at: time)
      controllers.play(0x80, 36, 0, at: time + 100)
    }
    // One command is carried out after the other.
    for _ in 0 ..< 8 { try test.turn() }
    #expect(abs((test.host.snapshot.state.transport?.tempo ?? 0) - 100) < 0.1)
    controllers.play(0x90, 37, 100, at: 3_000)
    try test.turn()
    #expect(test.host.snapshot.state.transport?.rolling == false)
    controllers.play(0x90, 37, 100, at: 4_000)
    try test.turn()
    #expect(test.host.snapshot.state.transport?.rolling == true)
  }

  @Test(arguments: [ClockTracker.State.locking, .locked])
  func `a clock owns the transport while its ticks arrive`(state: ClockTracker.State) throws {
    let test = try TestHost(clock: TestClock(state))
    for change: Command.Transport in [
      .init(tempo: 100), .init(action: .tap), .init(action: .stop), .init(action: .rewind),
    ] {
      let reply = try test.reply(.transport(change))
      #expect(
        reply.error?.message
          == "The transport follows the MIDI clock of Digitakt. Change the tempo there, or stop that clock."
      )
    }
    #expect(
      info(try test.reply(.transport(.init())))
        == TransportInfo(
          tempo: 120, rolling: true, clock: .init(device: "Digitakt", state: state.rawValue)))
  }

  @Test(arguments: [ClockTracker.State.waiting, .lost])
  func `without ticks the tempo can be set`(state: ClockTracker.State) throws {
    let clock = TestClock(state)
    let test = try TestHost(clock: clock)
    #expect(clock.isStarted)
    let reply = try test.reply(.transport(.init(tempo: 100)))
    #expect(reply.error == nil)
    #expect(info(reply)?.tempo == 100)
    clock.status?.state = .locked
    try test.turn()
    #expect(test.host.snapshot.state.transport?.clock?.state == "locked")
  }

  @Test func `a clock that is shared gets each change`() throws {
    let clock = TestClock(.locked)
    clock.status = ClockStatus(device: "link", state: .locked, peers: 2)
    let test = try TestHost(clock: clock)
    let tempo = try test.reply(.transport(.init(tempo: 123.45)))
    #expect(
      info(tempo)
        == TransportInfo(
          tempo: 123.45, rolling: true, clock: .init(device: "link", state: "locked", peers: 2)))
    #expect(info(try test.reply(.transport(.init(action: .stop))))?.rolling == false)
    // The start is the clock's.
    let start = try test.reply(.transport(.init(action: .start)))
    #expect(info(start)?.rolling == false)
    #expect(start.notes == ["The transport starts with the next bar of Ableton Link."])
    _ = try test.reply(.transport(.init(action: .rewind)))
    #expect(clock.requests == [.tempo(123.45), .stop, .start, .rewind])
  }
}
