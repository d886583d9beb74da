// ControlServerTests.swift: requests to a session. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits
import Testing

@testable import Control

@Suite final class `A session with a socket`: Sendable {
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }
  private var directory: String { home.path }

  init() throws { home = try RuntimeDirectory() }

  @Test func `answers one request after the other`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let client = try ControlClient(run: nil, environment: environment)
    #expect(client.name == "voice")
    for node in ["a", "b", "c"] { #expect(try client.ask(.set(node)).notes == [node]) }
  }

  @Test func `gets another name if its name is in use, and is found by it`() throws {
    let runs = [
      try Run("voice", environment, meet: Run.echo), try Run("voice", environment, meet: Run.echo),
    ]
    defer { for run in runs { run.stop() } }
    #expect(RunSearch(environment).names == ["voice", "voice-2"])
    #expect(throws: ControlError.ambiguous(running: ["voice", "voice-2"])) {
      try ControlClient(run: nil, environment: environment)
    }
    let client = try ControlClient(run: "voice-2", environment: environment)
    #expect(try client.ask(.set("x")).notes == ["x"])
  }

  @Test func `reuses the socket of a killed process`() throws {
    let path = SocketDirectory.socket("voice", in: directory + "/outboard")
    try SocketDirectory.prepare(directory + "/outboard")
    guard case .success(let socket) = UnixSocket.listen(at: path) else {
      Issue.record("no socket")
      return
    }
    socket.shutDown()
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(RunSearch(environment).names.isEmpty)
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    #expect(run.name == "voice")
  }

  @Test func `removes its socket`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    run.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/outboard").isEmpty)
    #expect(throws: ControlError.noSession) {
      try ControlClient(run: nil, environment: environment)
    }
  }

  @Test func `ends the requests that wait when it stops`() throws {
    let run = try Run("voice", environment) { _ in nil }
    let client = try ControlClient(run: "voice", environment: environment)
    Thread.detachNewThread {
      while run.openCount == 0 { sched_yield() }
      run.stop()
    }
    let error = #expect(throws: ControlError.self) { try client.ask(.set("x")) }
    #expect(error?.description == "The session is ending. The command was not executed.")
    #expect(error?.exitStatus == 1 && error?.kind == .ending)
  }

  @Test(arguments: ["{\"id\": 1}", "[]", "nonsense", "{", "\u{0}"])
  func `explains the request format to a client that sends another one`(line: String) throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let path = SocketDirectory.socket("voice", in: directory + "/outboard")
    let socket = try UnixSocket.connect(to: path, seconds: patienceSeconds).get()
    #expect(socket.send(line: Data(line.utf8), seconds: patienceSeconds))
    var rest = Data()
    let reply = try #require(socket.reply(&rest))
    #expect(reply.error?.status == 2)
    #expect(
      reply.error?.message
        == "Invalid request. Send one JSON object per line with \"command\": \"status\", \"set\", \"load\","
        + " \"save\", \"insert\", \"remove\", \"move\", \"replace\", \"undo\", \"redo\", \"scene\", \"record\", \"play\", \"meters\", \"top\", \"black-box\","
        + " \"subscribe\", \"unsubscribe\", \"acknowledge\", \"plugins\", \"plugin\", \"rigs\", \"files\", \"learn\", \"map\" or \"transport\"."
    )
    // The connection still works.
    #expect(socket.send(line: Data(CommandMessage(.set("y")).line.utf8), seconds: patienceSeconds))
    #expect(socket.reply(&rest)?.notes == ["y"])
  }

  @Test func `is not blocked by a client that sends nothing or too much`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let path = SocketDirectory.socket("voice", in: directory + "/outboard")
    let silent = try UnixSocket.connect(to: path, seconds: patienceSeconds).get()
    let talker = try UnixSocket.connect(to: path, seconds: patienceSeconds).get()
    let flood = Data(repeating: 0x20, count: ClientLimits.longestRequestBytes * 2)
    _ = talker.send(line: flood, seconds: patienceSeconds)
    let client = try ControlClient(run: "voice", environment: environment)
    #expect(try client.ask(.set("z")).notes == ["z"])
    _ = silent
  }

  @Test func `answers many simultaneous clients, each with its own reply`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let good = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 8) { caller in
      guard let client = try? ControlClient(run: "voice", environment: environment) else { return }
      for number in 0 ..< 25 {
        let node = "\(caller)-\(number)"
        if (try? client.ask(.set(node)))?.notes == [node] { good.add(1, ordering: .relaxed) }
      }
    }
    #expect(good.load(ordering: .relaxed) == 200)
  }

  @Test func `is not created in a directory that another user could have created`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/outboard", withDestinationPath: "/tmp")
    #expect(
      throws: ControlError.unusableDirectory(
        path: directory + "/outboard", reason: "it is not a directory")
    ) { try Run("voice", environment) { _ in nil } }
  }

  @Test func `is found in the directory of the service manager`() throws {
    // Without a directory of its own, a search also finds the other sessions of this user.
    let own = directory + "/own"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let service = ["RUNTIME_DIRECTORY": directory, "XDG_RUNTIME_DIR": own]
    let run = try Run("desk", service, meet: Run.echo)
    defer { run.stop() }
    #expect(FileManager.default.fileExists(atPath: directory + "/desk.sock"))
    #expect(RunSearch(service).names == ["desk"])
  }
}

@Suite struct `A session's name` {
  @Test(arguments: [
    ("voice", "voice"), ("Voice and guitar", "voice-and-guitar"),
    ("Calf -> C* Plate", "calf-c-plate"),
    ("", "run"), ("../../etc", "run..-..-etc"), ("Größe", "größe"),
  ])
  func `can have the name of a file`(text: String, name: String) {
    #expect(SocketDirectory.name(for: text) == name)
  }
}
