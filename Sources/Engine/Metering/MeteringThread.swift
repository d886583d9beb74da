// MeteringThread.swift: the thread that measures for all meters. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit
import Synchronization

/// Empties the rings of all meters twenty times a second, for as long as there are any.
final class MeteringThread: Sendable {
  /// The metering thread of the process.
  static let shared = MeteringThread()
  private static let pauseMicroseconds: UInt32 = 50_000

  private struct State {
    var meters: [SignalMeter] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Has a meter measured. [any but render]
  func add(_ meter: SignalMeter) {
    let starts = state.withLock { state in
      state.meters.append(meter)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    // Without a thread, a meter is measured when it is read.
    if starts, DetachedThread.start({ self.run() }) != nil {
      state.withLock { $0.isRunning = false }
    }
  }

  /// Removes a meter from the measurement; a measurement that is running continues. [any but
  /// render]
  func remove(_ meter: SignalMeter) {
    state.withLock { $0.meters.removeAll { $0 === meter } }
  }

  private func run() {
    while true {
      let meters = state.withLock { state in
        state.isRunning = !state.meters.isEmpty
        return state.meters
      }
      guard !meters.isEmpty else { return }
      for meter in meters { meter.drain() }
      usleep(Self.pauseMicroseconds)
    }
  }
}
