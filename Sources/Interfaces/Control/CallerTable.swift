// CallerTable.swift: the connections of a run, and which of them gives way. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// A connection of a client. [any]
final class Caller: Sendable {
  private struct State {
    /// Whether a request is being carried out.
    var isBusy = false
    /// Whether the connection was closed in favour of another one.
    var isClosed = false
    /// When the last request ended, or the connection began, in nanoseconds of the monotonic clock.
    var idleSince = DispatchTime.now().uptimeNanoseconds
  }

  let socket: UnixSocket
  private let state = Mutex(State())

  init(_ socket: UnixSocket) { self.socket = socket }

  /// Records that a request is being carried out; false if the connection has been closed.
  func begin() -> Bool {
    state.withLock { state in
      state.isBusy = !state.isClosed
      return state.isBusy
    }
  }

  /// Records that the request has been carried out.
  func end() {
    state.withLock { state in
      state.isBusy = false
      state.idleSince = DispatchTime.now().uptimeNanoseconds
    }
  }

  /// Since when no request has been carried out; nil while one is.
  var idleSince: UInt64? { state.withLock { $0.isBusy ? nil : $0.idleSince } }

  /// Closes the connection unless a request is being carried out.
  func closeIfIdle() -> Bool {
    let isClosed = state.withLock { state in
      state.isClosed = !state.isBusy
      return state.isClosed
    }
    if isClosed { socket.hangUp() }
    return isClosed
  }
}

/// The open connections of a run. [any]
///
/// If there are too many, the one that has been idle for the longest gives way to a new one. A client that
/// sends its request slowly, or does not read its reply, is idle as well.
final class CallerTable: Sendable {
  /// Connections at a time.
  static let limit = 32

  private let callers = Mutex<[Caller]>([])

  /// Adds a connection; nil if all others are carrying out requests.
  func admit(_ socket: UnixSocket) -> Caller? {
    callers.withLock { callers in
      while callers.count >= Self.limit {
        let idle = callers.indices.compactMap { index in
          callers[index].idleSince.map { (index: index, since: $0) }
        }
        guard let oldest = idle.min(by: { $0.since < $1.since }) else { return nil }
        // It may have become busy in between.
        if callers[oldest.index].closeIfIdle() { callers.remove(at: oldest.index) }
      }
      let caller = Caller(socket)
      callers.append(caller)
      return caller
    }
  }

  /// Removes a connection that has ended.
  func remove(_ caller: Caller) {
    callers.withLock { $0.removeAll { $0 === caller } }
  }
}
