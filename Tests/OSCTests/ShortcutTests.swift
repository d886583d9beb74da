// ShortcutTests.swift: values and events that need no event loop. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import OSC

@Suite struct `Values that the receiving thread sets` {
  private let shortcuts = OSCShortcuts()
  private let peer = OSCPeer.datagram(host: "127.0.0.1", port: 9_000)

  private func take(_ address: String, _ argument: OSCArgument) -> Float? {
    shortcuts.take(OSCMessage(address, [argument]).bytes[...], from: peer)?.value
  }

  private func add(_ address: String) {
    shortcuts.add(address, .init(node: "a", symbol: "gain", address: "/node/a/gain"))
  }

  @Test func `have an address that was added, and one finite number`() {
    #expect(take("/node/a/gain", .float(1)) == nil)
    add("/node/a/gain")
    for value: Float in [0, -7.25, 1e-30, .greatestFiniteMagnitude] {
      #expect(take("/node/a/gain", .float(value)) == value)
    }
    #expect(take("/node/a/gain", .float(.nan)) == nil)
    #expect(take("/node/a/gain", .float(-.infinity)) == nil)
    #expect(take("/node/a/gain", .int(1)) == nil)
    #expect(take("/node/a/gain", .string("1")) == nil)
    for other in ["/node/a/gai", "/node/a/gain1", "/node/a/gain/1234", "/node/*/gain"] {
      #expect(take(other, .float(1)) == nil)
    }
    let two = OSCMessage("/node/a/gain", [.float(1), .float(2)]).bytes
    #expect(shortcuts.take(two[...], from: peer) == nil)
    shortcuts.removeAll()
    #expect(take("/node/a/gain", .float(1)) == nil)
  }

  @Test func `do not overtake a packet or command`() {
    add("/node/a/gain")
    shortcuts.begin()
    #expect(take("/node/a/gain", .float(1)) == nil)
    shortcuts.setQueueBusy(true)
    shortcuts.end()
    #expect(take("/node/a/gain", .float(1)) == nil)
    shortcuts.setQueueBusy(false)
    #expect(take("/node/a/gain", .float(1)) == 1)
  }

  @Test func `are known to the event loop if anyone receives values`() {
    add("/NODE/a/gain")
    #expect(take("/NODE/a/gain", .float(1)) == 1)
    #expect(shortcuts.readTouches().isEmpty)
    shortcuts.setObserved(true)
    let packet = OSCMessage("/NODE/a/gain", [.float(2)]).bytes
    #expect(shortcuts.take(packet[...], from: peer)?.isFirst == true)
    #expect(shortcuts.take(packet[...], from: peer)?.isFirst == false)
    let touches = shortcuts.readTouches()
    #expect(touches.map(\.address) == ["/node/a/gain", "/node/a/gain"])
    #expect(touches.allSatisfy { $0.peer == peer && $0.value == .float(2) })
    #expect(shortcuts.take(packet[...], from: peer)?.isFirst == true)
  }
}

@Suite struct `Events for the event loop` {
  private let inbox = EventInbox()

  private func event(_ change: StateChange) -> SharedEvent {
    SharedEvent(
      EventMessage(seconds: 0, .changed(.init(revision: 1, source: .client, changes: [change]))))
  }

  private var value: SharedEvent { event(.parameter(node: "a", symbol: "gain", value: 1)) }

  @Test func `wake it unless they are values that nobody receives`() {
    #expect(!inbox.add(value))
    #expect(inbox.add(event(.bypass(node: "a", isOn: true))))
    // It is awake already.
    #expect(!inbox.add(event(.bypass(node: "a", isOn: false))))
    #expect(inbox.take().count == 3)
    #expect(!inbox.add(value))
    inbox.setObserved(true)
    #expect(inbox.add(value))
    #expect(inbox.take().count == 2)
    #expect(inbox.take().isEmpty)
  }

  @Test func `wake it before too many wait`() {
    let count = (1 ... 1_000).first { _ in inbox.add(value) }
    #expect(count == 256)
    #expect(inbox.take().count == 256)
    #expect(!inbox.add(value))
  }
}
