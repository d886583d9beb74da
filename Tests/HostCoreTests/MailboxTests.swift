// MailboxTests.swift: values that reach the audio thread without the main thread. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Session
import Synchronization
import TestWaits
import Testing

@testable import HostCore

@Suite(.serialized) final class `A value of a plain parameter` {
  private let test: TestHost

  init() throws {
    test = try TestHost()
    // The delay's own output would come later.
    _ = try test.reply(.set("b", "bypass", "on"))
    for _ in 0 ..< 200 { try test.turn() }
  }

  /// Whether the command takes effect without the main thread.
  private func isDirect(_ command: Command) -> Bool {
    let client = test.host.port.connect { _ in }
    guard case .canContinue = test.host.port.submit(command, from: client, completion: { _ in })
    else { return false }
    return true
  }

  @Test func `takes effect in the next block, before the main thread reads it`() throws {
    let before = test.driver.render()
    #expect(before.allSatisfy { abs($0 - 0.25) < 0.001 })
    // On another thread, like a connection; no block is rendered during that time.
    let isDone = DispatchSemaphore(value: 0)
    let port = test.host.port
    Thread.detachNewThread {
      let client = port.connect { _ in }
      _ = port.submit(.set("a", "mute", "on"), from: client) { _ in }
      isDone.signal()
    }
    isDone.waitOrTrap()
    let first = test.driver.render()
    #expect(abs(first[BlockDriver.blockFrames - 1]) < 0.24)
    // Only the ramp of the gain remains.
    var blocks = 1
    while abs(test.driver.render()[BlockDriver.blockFrames - 1]) > 0.001 { blocks += 1 }
    #expect(blocks < 100)
    #expect(test.host.revision == 1)
    test.host.serve()
    #expect(test.host.revision == 2)
  }

  @Test func `is the last value of a block, and is published once with others`() throws {
    let port = test.host.port
    let client = port.connect { _ in }
    let revisions = Revisions()
    let revision = test.host.revision
    for number in 0 ..< 10_000 {
      _ = port.submit(.set("a", "gain", "\(number % 50 - 40)"), from: client) { reply in
        revisions.all.withLock { $0.append(reply.change?.revision ?? 0) }
      }
    }
    test.host.serve()
    let all = revisions.all.withLock { $0 }
    #expect(all.count == 10_000 && Set(all) == [revision + 1])
    let gain = test.host.snapshot.state.nodes[0].parameters.first { $0.symbol == "gain" }
    #expect(gain?.value == 9)
    // After half a minute of blocks no other message has come.
    try test.turn()
    #expect(test.host.revision == revision + 1)
  }

  @Test func `wakes the main thread sooner if its client waits for a reply`() throws {
    let port = test.host.port
    let client = port.connect { _ in }
    // Counts how often the main thread is woken.
    func wakes(_ send: () -> Void) -> Int {
      let before = test.wakes.count.load(ordering: .relaxed)
      send()
      return test.wakes.count.load(ordering: .relaxed) - before
    }
    func sendValue() { #expect(port.set("gain", ofNode: "a", to: -3, from: client)) }
    func sendCommand() { #expect(isDirect(.set("a", "gain", "-4"))) }
    while test.host.isBusy { test.host.serve() }
    #expect(wakes(sendValue) == 1)
    #expect(wakes(sendValue) == 0)
    while !port.mailbox.isEmpty { test.host.serve() }
    // The main thread waits for more values.
    #expect(wakes(sendValue) == 0)
    #expect(wakes(sendCommand) == 1)
    #expect(wakes(sendCommand) == 0)
    while !port.mailbox.isEmpty { test.host.serve() }
    #expect(wakes(sendCommand) == 0)
  }

  private final class Revisions: Sendable {
    let all = Mutex<[UInt64]>([])
  }

  @Test func `is sent to the main thread if the parameter is not plain or the value is wrong`() {
    #expect(isDirect(.set("a", "gain", "-3 dB")))
    #expect(isDirect(.set("A", "gain", "-3")))
    #expect(!isDirect(.set("a", "gain", "banana")))
    #expect(!isDirect(.set("a", "nothing", "1")))
    #expect(!isDirect(.set("a", "bypass", "on")))
    #expect(!isDirect(.set("x", "gain", "1")))
    #expect(!isDirect(.set("a -> b", "gain", "1")))
  }

  @Test func `overrides a running morph, and remains when nodes are replaced`() throws {
    _ = try test.reply(.scene(.recall("slow", over: 1_000)))
    _ = try test.reply(.set("a", "gain", "-9"))
    for _ in 0 ..< 20 { try test.turn() }
    let gain = test.host.snapshot.state.nodes[0].parameters.first { $0.symbol == "gain" }
    #expect(gain?.value == -9)
    #expect(isDirect(.set("a", "gain", "-11")))
    _ = try test.reply(.load(.init(file: test.path("other.yaml"))))
    let later = test.host.snapshot.state.nodes.first { $0.name == "a" }?.parameters
      .first { $0.symbol == "gain" }
    #expect(later?.value == -11)
    #expect(isDirect(.set("d", "gain", "-1")))
  }

  @Test func `is the same for all when many clients set it at once`() throws {
    let port = test.host.port
    let group = DispatchGroup()
    let box = Replies()
    for number in 0 ..< 8 {
      group.enter()
      Thread.detachNewThread {
        let client = port.connect { _ in }
        for value in 0 ..< 2_000 {
          let node = value % 2 == 0 ? "a" : "c"
          let gain = (value * 7 + number) % 50 - 40
          _ = port.submit(.set(node, "gain", "\(gain)"), from: client) { _ in
            box.count.add(1, ordering: .relaxed)
          }
        }
        group.leave()
      }
    }
    while group.wait(timeout: .now()) == .timedOut { try test.turn() }
    while box.count.load(ordering: .relaxed) < 16_000 { try test.turn() }
    try test.turn()
    // The published values equal those of the nodes.
    for (place, node) in test.host.session.nodeValues.enumerated() {
      let published = test.host.snapshot.state.nodes[place].parameters.map(\.value)
      #expect(published == node.values)
    }
  }

  private final class Replies: Sendable {
    let count = Atomic<Int>(0)
  }
}
