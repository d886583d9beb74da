// CommandQueueTests.swift: values on their way to a session that is busy. SPDX-License-Identifier: MIT

import HostModel
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import OSC

@Suite struct `Values for a session that sends no reply` {
  /// A session whose main thread is busy.
  private final class BusySession: CommandPort {
    let pace: CommandProgress
    let values = Mutex<[Command]>([])

    init(_ pace: CommandProgress) { self.pace = pace }

    func connect(deliver: @escaping @Sendable (SharedEvent) -> Void) -> ClientID { ClientID(1) }
    func disconnect(_ client: ClientID) {}
    func submit(
      _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
    ) -> CommandProgress {
      values.withLock { $0.append(command) }
      return pace
    }
  }

  /// The commands that reach a session from 10,000 values of 2 parameters.
  private func submitted(_ pace: CommandProgress) throws -> [Command] {
    let session = BusySession(pace)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    let loop = group.next()
    try loop.submit {
      let queue = OSCCommandQueue(session, on: loop) { _, _, text in Issue.record("\(text)") }
      for number in 0 ..< 10_000 {
        let name = "p\(number % 2)"
        let command = Command.set(.init(node: "a", values: [.init(name, "\(number)")]))
        queue.set(command, at: "/node/a/\(name)", from: .connection(1, host: "127.0.0.1"))
      }
      queue.stop()
    }.wait()
    return session.values.withLock { $0 }
  }

  @Test func `take effect at once if they need no reply`() throws {
    #expect(try submitted(.canContinue).count == 4_096)
  }

  @Test func `replace each other if they wait for one`() throws {
    let commands = try submitted(.waitsForReply)
    #expect(commands.count == 128)
    #expect(commands.last == .set(.init(node: "a", values: [.init("p1", "127")])))
  }
}
