// ToyInterfaceTests.swift: interfaces that are not part of the program. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostCore
import HostModel
import Synchronization
import TestWaits
import Testing
import ToyInterface

@testable import Session

@Suite(.serialized) final class `An interface of one directory and one line` {
  /// Both ends of the pipes of a toy.
  private final class Toy {
    let lines = Pipe()
    let results = Pipe()
    private var rest = ""

    var kind: HostInterfaceKind {
      ToyInterface.kind(
        input: lines.fileHandleForReading.fileDescriptor,
        output: results.fileHandleForWriting.fileDescriptor)
    }

    func write(_ line: String) { lines.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// The output so far, one entry per line.
    func read() -> [String] {
      let descriptor = results.fileHandleForReading.fileDescriptor
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&waited, 1, 0) > 0, waited.revents & Int16(POLLIN) != 0 {
        rest += String(decoding: results.fileHandleForReading.availableData, as: UTF8.self)
      }
      return rest.split(separator: "\n").map(String.init)
    }
  }

  private let test: TestHost
  private let toys = [Toy(), Toy()]
  private let interfaces: HostInterfaces

  init() throws {
    test = try TestHost()
    interfaces = HostInterfaces(toys.map(\.kind), of: test.host, sessionName: "test")
    test.host.publishStart(notes: [])
  }

  /// Runs the host until a toy has written a line that begins with a text.
  private func expectLine(_ line: String, from toy: Toy) throws {
    let end = Date() + patienceSeconds
    while !toy.read().contains(where: { $0.hasPrefix(line) }) {
      guard Date() < end else {
        Issue.record("\"\(line)\" is missing in \(toy.read())")
        return
      }
      try test.turn()
      sched_yield()
    }
  }

  @Test func `sets parameters, and receives the changes of others but not its own ones`() throws {
    #expect(interfaces.warnings == [])
    for toy in toys { try expectLine("started", from: toy) }
    toys[0].write("a gain -6")
    try expectLine("ok", from: toys[0])
    try expectLine("a gain -6.0", from: toys[1])
    toys[1].write("c mute on")
    try expectLine("c mute 1.0", from: toys[0])
    try expectLine("ok", from: toys[1])
    toys[0].write("nothing gain -3")
    try expectLine("No such node: nothing", from: toys[0])
    #expect(!toys[0].read().contains("a gain -6.0"))
    #expect(!toys[1].read().contains("c mute 1.0"))
    #expect(test.host.snapshot.state.nodes[0].parameters[0].value == -6)
    interfaces.stop()
  }

  @Test func `receives the end of the session, and is stopped with it`() throws {
    test.host.publishEnd(notices: [.note("A notice.")])
    for toy in toys { #expect(Array(toy.read().suffix(2)) == ["notice", "stopped"]) }
    test.host.stop()
    interfaces.stop()
    test.host.publishEnd(notices: [])
    for toy in toys { #expect(toy.read().count { $0 == "stopped" } == 1) }
  }

  @Test func `that cannot be opened causes a warning, and the session starts`() throws {
    // A separate toy, because each line of a pipe has one reader.
    let other = Toy()
    let unusable = HostInterfaces(
      [ToyInterface.kind(input: -1, output: -1), other.kind], of: test.host, sessionName: "test")
    #expect(unusable.warnings == ["ToyInterfaceError()"])
    other.write("c gain -3")
    try expectLine("c gain -3.0", from: toys[1])
    unusable.stop()
    interfaces.stop()
  }

  @Test func `receives a fault that ends the session before the last event`() throws {
    final class Recorder: HostInterface, Sendable {
      let failures = Mutex<[EventMessage]>([])
      func reportFailure(_ message: EventMessage) { failures.withLock { $0.append(message) } }
      func stop() {}
    }
    let recorder = Recorder()
    let recorders = HostInterfaces(
      [HostInterfaceKind { _ in recorder }], of: test.host, sessionName: "test")
    recorders.reportFailure(
      FatalFault(
        kind: .hung, node: "a", plugin: "gain", message: "a (gain) has not returned.", location: nil
      ))
    guard case .failure(let failure)? = recorder.failures.withLock({ $0.first?.event }) else {
      Issue.record("no failure was reported")
      return
    }
    #expect(failure.node == "a")
    interfaces.stop()
  }
}
