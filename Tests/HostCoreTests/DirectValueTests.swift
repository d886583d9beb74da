// DirectValueTests.swift: numbers that reach a parameter without a command. SPDX-License-Identifier: MIT

import HostCore
import HostModel
import Session
import Synchronization
import TestRandom
import Testing

@Suite(.serialized) final class `A number for a plain parameter` {
  private let test: TestHost
  private let client: ClientID

  init() throws {
    test = try TestHost()
    client = test.host.port.connect { _ in }
  }

  private func value(_ symbol: String) -> Float? {
    test.host.snapshot.state.nodes[0].parameters.first { $0.symbol == symbol }?.value
  }

  @Test func `has the effect of the same number as text`() throws {
    var random = Random(seed: 23)
    for round in 0 ..< 200 {
      let symbol = round % 4 == 0 ? "mute" : "gain"
      let number = Float.random(in: -300 ... 300, using: &random)
      #expect(test.host.port.set(symbol, ofNode: "a", to: number, from: client))
      try test.turn()
      while test.host.isBusy { test.host.serve() }
      let direct = value(symbol)
      _ = try test.reply(.set("a", symbol, "\(number)"))
      #expect(value(symbol) == direct)
    }
  }

  @Test func `needs a command if the parameter is not plain or unknown`() {
    #expect(test.host.port.set("gain", ofNode: "A", to: 1, from: client))
    #expect(!test.host.port.set("nothing", ofNode: "a", to: 1, from: client))
    #expect(!test.host.port.set("bypass", ofNode: "a", to: 1, from: client))
    #expect(!test.host.port.set("gain", ofNode: "x", to: 1, from: client))
  }

  @Test func `is a change with its client, and can be undone`() throws {
    let others = Changes()
    let other = test.host.port.connect { event in
      guard case .changed(let changed) = event.message.event else { return }
      others.all.withLock { $0.append(changed) }
    }
    _ = try test.reply(.subscribe(.init(events: [.changed])), from: other)
    let before = value("gain")
    #expect(test.host.port.set("gain", ofNode: "a", to: -11, from: client))
    while test.host.isBusy { test.host.serve() }
    #expect(value("gain") == -11)
    #expect(others.all.withLock { $0.map(\.client) } == [client])
    _ = try test.reply(.undo)
    #expect(value("gain") == before)
  }

  private final class Changes: Sendable {
    let all = Mutex<[Event.Changed]>([])
  }

  @Test func `wakes the main thread once until it finds no more`() throws {
    while test.host.isBusy { test.host.serve() }
    let count = { [test] in test.wakes.count.load(ordering: .relaxed) }
    let start = count()
    for number in 0 ..< 100 {
      #expect(test.host.port.set("gain", ofNode: "a", to: Float(-number % 50), from: client))
    }
    #expect(count() == start + 1)
    // Published, so the main thread looks again after a pause of its loop.
    while value("gain") != -49 { test.host.serve() }
    #expect(test.host.isBusy && test.host.pause(atMost: 1) < 0.1)
    #expect(test.host.port.set("gain", ofNode: "a", to: -3, from: client))
    #expect(count() == start + 1)
    while test.host.isBusy { test.host.serve() }
    #expect(value("gain") == -3)
    #expect(test.host.port.set("gain", ofNode: "a", to: -4, from: client))
    #expect(count() == start + 2)
  }
}
