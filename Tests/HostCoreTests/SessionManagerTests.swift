// SessionManagerTests.swift: a session that a session manager opens and saves. SPDX-License-Identifier: MIT

import Foundation
import HostCore
import HostModel
import OSC
import Testing

@Suite(.serialized) struct `A session manager` {
  private static let opened: [OSCArgument] = [
    .string("/nsm/client/open"), .string("The rig is open."),
  ]
  private static let saved: [OSCArgument] = [
    .string("/nsm/client/save"), .string("The rig is saved."),
  ]

  private func gain(_ test: TestHost) -> Float? {
    test.host.snapshot.state.nodes.first { $0.name == "a" }?.parameters.first?.value
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `that is not named or has a malformed address opens no session`() throws {
    for environment in [[:], ["NSM_URL": ""]] {
      #expect(
        SessionManagerClient.kind(continues: false, environment: environment).map { _ in true }
          == nil)
    }
    let test = try TestHost()
    let kind = try #require(
      SessionManagerClient.kind(continues: false, environment: ["NSM_URL": "http://host:1/"]))
    let interfaces = HostInterfaces([kind], of: test.host, sessionName: "test")
    #expect(interfaces.warnings.count == 1)
    #expect(
      interfaces.warnings.first?.contains("NSM_URL=http://host:1/ is not the address") == true)
    interfaces.stop()
  }

  @Test func `that is silent is reported once`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test, answerTimeout: .milliseconds(1))
    try manager.wait { !manager.notes.isEmpty }
    #expect(
      manager.notes.count == 1 && manager.notes[0].contains("has not answered"), "\(manager.notes)")
    // It may still answer.
    _ = try manager.next("/nsm/server/announce")
    #expect(try manager.open(test.path("late")) == Self.opened)
  }

  @Test func `that refuses the session is reported without control characters`() throws {
    let manager = try ScriptedSessionManager(try TestHost())
    _ = try manager.next("/nsm/server/announce")
    manager.send("/error", .string("/nsm/server/announce"), .int(-2), .string("too\u{1B}[2J old"))
    try manager.wait { !manager.notes.isEmpty }
    #expect(manager.notes[0].contains("does not accept this session (too"))
    #expect(!manager.notes[0].unicodeScalars.contains("\u{1B}"))
  }

  @Test func `with malformed requests changes nothing`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test)
    _ = try manager.next("/nsm/server/announce")
    let path = test.path("stranger")
    let open = OSCMessage("/nsm/client/open", [.string(path), .string("x"), .string("x")]).bytes
    manager.send(open, asStranger: true)
    for bytes in [
      [], [0x2F], Array("#bundle\0".utf8), Array(open.dropLast(4)),
      [UInt8](repeating: 0xFF, count: 60_000),
    ] {
      manager.send(bytes)
    }
    for path in [
      OSCArgument.int(1), .string(""), .string("relative"), .string("/"), .string("/tmp/"),
    ] {
      manager.send("/nsm/client/open", path)
      let answer = try manager.next("/error")
      #expect(answer.prefix(2) == [.string("/nsm/client/open"), .int(-1)])
    }
    #expect(try manager.save().prefix(2) == [.string("/nsm/client/save"), .int(-6)])
    #expect(
      try manager.open("/nowhere/of/this").prefix(2) == [.string("/nsm/client/open"), .int(-10)])
    #expect(try manager.save().prefix(2) == [.string("/nsm/client/save"), .int(-6)])
    #expect(!FileManager.default.fileExists(atPath: path + ".yaml"))
  }

  @Test func `never overwrites a file that it could not open`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test)
    _ = try manager.next("/nsm/server/announce")
    #expect(try manager.open(test.path("good")) == Self.opened)
    try "outboard: 1\nnodes: [".write(
      toFile: test.path("bad.yaml"), atomically: true, encoding: .utf8)
    #expect(
      try manager.open(test.path("bad")).prefix(2) == [.string("/nsm/client/open"), .int(-9)])
    #expect(try manager.save().prefix(2) == [.string("/nsm/client/save"), .int(-6)])
    #expect(try text(test.path("bad.yaml")) == "outboard: 1\nnodes: [")
    #expect(test.host.snapshot.state.nodes.map(\.name) == ["a", "b", "c"])
  }

  @Test func `receives what the program can do`() throws {
    let manager = try ScriptedSessionManager(try TestHost())
    let announcement = try manager.next("/nsm/server/announce")
    #expect(announcement.count == 6)
    #expect(announcement.prefix(2) == [.string("Outboard"), .string(":switch:dirty:")])
    #expect(announcement.suffix(3) == [.int(1), .int(1), .int(getpid())])
  }

  @Test func `begins a session with the present rig, saves changes and switches`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test)
    _ = try manager.next("/nsm/server/announce")
    #expect(try test.reply(.set("a", "gain", "-3")).error == nil)
    #expect(try manager.open(test.path("Outboard.nABCD")) == Self.opened)
    _ = try manager.next("/nsm/client/is_clean")
    let file = test.path("Outboard.nABCD.yaml")
    #expect(try text(file).contains("gain: -3"))
    #expect(try test.reply(.set("a", "gain", "-9")).error == nil)
    _ = try manager.next("/nsm/client/is_dirty")
    #expect(try manager.save() == Self.saved)
    _ = try manager.next("/nsm/client/is_clean")
    #expect(try text(file).contains("gain: -9"))
    // The file is the session's own now.
    #expect(try test.reply(.set("a", "gain", "-10")).error == nil)
    #expect(try test.reply(.save(.init())).error == nil)
    #expect(try text(file).contains("gain: -10"))
    #expect(try manager.open(test.path("other")) == Self.opened)
    #expect(test.host.snapshot.state.nodes.map(\.name) == ["d", "a", "b", "c"])
    #expect(gain(test) == 0)
    #expect(try manager.open(test.path("Outboard.nABCD")) == Self.opened)
    #expect(gain(test) == -10)
    #expect(test.host.snapshot.state.nodes.map(\.name) == ["a", "b", "c"])
  }

  @Test func `takes no value from one song to another`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test)
    _ = try manager.next("/nsm/server/announce")
    #expect(try test.reply(.set("a", "gain", "-3")).error == nil)
    #expect(try manager.open(test.path("first")) == Self.opened)
    // A duplicate has the same values.
    try FileManager.default.copyItem(
      atPath: test.path("first.yaml"), toPath: test.path("second.yaml"))
    #expect(try manager.open(test.path("second")) == Self.opened)
    #expect(try test.reply(.set("a", "gain", "-12")).error == nil)
    #expect(try manager.save() == Self.saved)
    #expect(try manager.open(test.path("first")) == Self.opened)
    #expect(gain(test) == -3)
    #expect(try manager.save() == Self.saved)
    #expect(try text(test.path("first.yaml")).contains("gain: -3"))
    #expect(try text(test.path("second.yaml")).contains("gain: -12"))
  }

  @Test func `does not discard values of a session that was restarted after a fault`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test, continues: true)
    _ = try manager.next("/nsm/server/announce")
    #expect(try test.reply(.set("a", "gain", "-7")).error == nil)
    #expect(try manager.open(test.path("rig")) == Self.opened)
    #expect(gain(test) == -7)
    #expect(try manager.save() == Self.saved)
    #expect(try text(test.path("rig.yaml")).contains("gain: -7"))
    #expect(try test.reply(.set("a", "gain", "-1")).error == nil)
    #expect(try manager.open(test.path("rig")) == Self.opened)
    #expect(gain(test) == -7)
  }

  @Test func `knows a session that was restarted after a fault as the same client`() throws {
    let test = try TestHost()
    let manager = try ScriptedSessionManager(test)
    _ = try manager.next("/nsm/server/announce")
    #expect(try manager.open(test.path("first")) == Self.opened)
    #expect(try test.reply(.set("a", "gain", "-7")).error == nil)
    try manager.restartClient()
    manager.send("/nsm/client/save")
    var messages: [String: [OSCArgument]] = [:]
    try manager.wait {
      if let message = try manager.received() { messages[message.address] = message.arguments }
      return messages["/reply"] != nil
    }
    // It would come before the answer.
    #expect(messages["/nsm/server/announce"] == nil && messages["/reply"] == Self.saved)
    #expect(try text(test.path("first.yaml")).contains("gain: -7"))
    // Another song, and this one again, are loaded from their files.
    #expect(try manager.open(test.path("second")) == Self.opened)
    #expect(try test.reply(.set("a", "gain", "-12")).error == nil)
    #expect(try manager.save() == Self.saved)
    #expect(try manager.open(test.path("first")) == Self.opened)
    #expect(gain(test) == -7)
  }
}
