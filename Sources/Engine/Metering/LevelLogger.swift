// LevelLogger.swift: writes levels to a log file. SPDX-License-Identifier: MIT

import ErrorModel
import Glibc
import RealtimeKit
import Synchronization

/// Makes an entry for each interval of audio, and writes it on its own thread.
///
/// The measurement never waits for the disk. While the disk is stalled, a thousand entries are
/// kept. Later entries are counted as lost.
final class LevelLogger: TickObserver, @unchecked Sendable {
  // Unchecked for the tally, which belongs to the measuring thread alone.

  private static let queueLimit = 1_000

  private struct State {
    var entries: [LevelEntry] = []
    var lostCount = 0
    var isIncomplete = false
    var isRunning = false
  }

  private let request: LevelLogSettings
  let notices = NoticeQueue()
  private let state = Mutex(State())
  private let wakeSignal = StopSignal()
  private let ending = Atomic(false)
  private var statistics: LevelStatistics?

  init(_ request: LevelLogSettings) { self.request = request }

  /// Opens the file, and starts the thread that writes it. [main]
  func start() throws(LevelLogError) {
    let file = try LevelLogFile(request)
    state.withLock { $0.isRunning = true }
    guard DetachedThread.start({ self.run(file) }) != nil else { return }
    state.withLock { $0.isRunning = false }
    throw .unwritable(path: request.path, reason: String(cString: strerror(EAGAIN)))
  }

  /// Writes all present entries; waits no longer than 2 s for a stalled disk. [main]
  func stop() {
    ending.store(true, ordering: .releasing)
    wakeSignal.signal()
    var timeout = 2_000
    while state.withLock({ $0.isRunning }), timeout > 0 {
      usleep(1_000)
      timeout -= 1
    }
    guard timeout == 0 else { return }
    state.withLock { $0.isIncomplete = true }
    notices.append(.levelLogStalled(request.path))
  }

  /// The path of the log if lines of it were lost. [any]
  var incompletePath: String? { state.withLock { $0.isIncomplete ? request.path : nil } }

  func tickCompleted(of measurement: LevelMeasurement) {
    var current = statistics ?? LevelStatistics(measurement)
    current.add(measurement, frameCount: measurement.tickFrames)
    statistics = current
    let seconds = Double(current.frameCount) / measurement.sampleRateHz
    // Within half a tick.
    guard seconds > request.intervalSeconds - 0.5 / Double(LevelMeasurement.ticksPerSecond) else {
      return
    }
    statistics = nil
    let entry = current.entry(measurement, at: Timestamp.now)
    let isWaiting = state.withLock { state in
      if state.entries.count < Self.queueLimit {
        state.entries.append(entry)
      } else {
        state.lostCount += 1
      }
      return state.entries.count == 1
    }
    if isWaiting { wakeSignal.signal() }
  }

  // MARK: - Writing

  private func run(_ file: LevelLogFile) {
    while true {
      var event = pollfd(fd: wakeSignal.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&event, 1, -1)
      wakeSignal.reset()
      // Read before the entries are taken, so that all entries from before the end are written.
      let isLast = ending.load(ordering: .acquiring)
      let (entries, lostCount) = state.withLock { state in
        defer { (state.entries, state.lostCount) = ([], 0) }
        return (state.entries, state.lostCount)
      }
      if lostCount > 0 {
        notices.append(.levelLogLosesLines(request.path, count: lostCount))
      }
      for entry in entries { file.write(entry).map(notices.append) }
      if lostCount > 0 || file.hasLostLines { state.withLock { $0.isIncomplete = true } }
      if isLast { break }
    }
    state.withLock { $0.isRunning = false }
  }
}
