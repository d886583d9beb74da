// CommandWorker.swift: carries out commands that may take long. SPDX-License-Identifier: MIT

import Dispatch
import HostModel
import RealtimeKit
import Synchronization

/// Carries out commands one after the other on a separate thread, so that the network is read meanwhile.
final class CommandWorker: Sendable {
  /// The commands that may wait.
  static let maximumCount = 256

  private struct Entry: Sendable {
    let command: Command
    let completion: @Sendable (Reply) -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var isStopped = false
  }

  private let port: any CommandPort
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  init(_ port: any CommandPort) {
    self.port = port
    _ = DetachedThread.start { self.run() }
  }

  /// Adds a command; false if too many wait. [any]
  func add(_ command: Command, completion: @escaping @Sendable (Reply) -> Void) -> Bool {
    let isAdded = state.withLock { state in
      guard state.entries.count < Self.maximumCount, !state.isStopped else { return false }
      state.entries.append(Entry(command: command, completion: completion))
      return true
    }
    if isAdded { arrival.signal() }
    return isAdded
  }

  /// Ends the thread after the command in progress. [any]
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.entries = []
    }
    arrival.signal()
  }

  private func run() {
    let client = port.connect { _ in }
    while true {
      arrival.wait()
      let (entry, isStopped) = state.withLock { state in
        (state.entries.isEmpty ? nil : state.entries.removeFirst(), state.isStopped)
      }
      guard !isStopped else { break }
      guard let entry else { continue }
      let isDone = DispatchSemaphore(value: 0)
      _ = port.submit(entry.command, from: client) { reply in
        entry.completion(reply)
        isDone.signal()
      }
      isDone.wait()
    }
    port.disconnect(client)
  }
}
