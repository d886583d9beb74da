// Run.swift: a run to be asked, and what a client of another make sends. SPDX-License-Identifier: MIT

import Foundation
import Synchronization

@testable import Control

/// A run whose main thread answers until it is stopped.
final class Run: Sendable {
  let server: ControlServer
  private let isOver = Atomic<Bool>(false)
  private let arrival = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)

  init(
    _ name: String, _ environment: [String: String],
    limits: ControlServer.Limits = ControlServer.Limits(),
    check: @escaping ControlServer.Check = { _ in nil },
    meet: @escaping @Sendable (ControlRequest) -> ControlReply
  ) throws {
    let arrival = arrival
    server = try ControlServer(
      named: name, environment: environment, limits: limits, check: check
    ) { arrival.signal() }
    Thread.detachNewThread {
      while !self.isOver.load(ordering: .acquiring) {
        _ = self.arrival.wait(timeout: .now() + 0.05)
        self.server.answer(meet)
      }
      self.server.stop()
      self.end.signal()
    }
  }

  func stop() {
    isOver.store(true, ordering: .releasing)
    arrival.signal()
    end.wait()
  }
}

extension UnixSocket {
  /// The next answer, waited for longer than any loaded machine needs.
  func reply(_ rest: inout Data) -> ControlReply? {
    let read = readLine(&rest, idleSeconds: 60, lineSeconds: 60, longestBytes: 1 << 24)
    guard case .line(let line) = read else { return nil }
    return try? JSONDecoder().decode(ControlReply.self, from: line)
  }

  /// Waits until something was received, or the peer has closed the connection.
  func isReadable() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 60_000) == 1
  }

  /// Whether the other side closes the connection without another answer.
  func isClosedByPeer() -> Bool {
    var rest = Data()
    let read = readLine(&rest, idleSeconds: 60, lineSeconds: 60, longestBytes: 1 << 24)
    guard case .ended = read else { return false }
    return true
  }
}
