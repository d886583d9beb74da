// OfflineRun.swift: a rendering on its own thread. SPDX-License-Identifier: MIT

import AudioDriver
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// One run of an `OfflineDriver`, from its start to its end.
final class OfflineRun: @unchecked Sendable {
  // Sendable because the mutex guards the result, and the thread owns the rest until it is joined.

  private enum Ending: Equatable {
    /// The rendering is complete.
    case done
    /// The rendering was stopped.
    case stopped
    case failed(String)
  }

  private let job: RenderJob
  private let renderer: Renderer
  private let ending: RenderEnding
  private let isStopped = Atomic<Bool>(false)
  private var thread: RealtimeThread?
  private let result = Mutex<Ending?>(nil)
  private let clipped = Atomic<Int>(0)

  /// The time limit for a stalled sink when the run is stopped, in milliseconds.
  private static let timeoutMilliseconds = 1_000

  init(_ job: RenderJob, _ renderer: Renderer, _ ending: RenderEnding) {
    self.job = job
    self.renderer = renderer
    self.ending = ending
  }

  deinit { end() }

  /// Whether the thread has finished. [any]
  var hasEnded: Bool { result.withLock { $0 } != nil }

  /// Adds the status of the run. [main]
  func describe(_ status: inout DriverStatus) {
    let result = result.withLock { $0 }
    status.isRunning = result == nil
    status.clippedSampleCount = clipped.load(ordering: .relaxed)
    switch result {
    case nil, .stopped: break
    case .done: status.hasEnded = true
    case .failed(let message):
      status.failure = message
      status.isStreamFailure = true
    }
  }

  func start() throws(OfflineError) {
    job.isCancelled.store(false, ordering: .relaxed)
    job.isEnded.store(false, ordering: .relaxed)
    job.source?.prepare()
    do {
      // An ordinary thread, which may wait for source and sink.
      thread = try RealtimeThread(
        priority: 0, entry: renderThread, context: Unmanaged.passUnretained(self).toOpaque())
    } catch {
      throw .noThread
    }
  }

  /// Stops the run after the current block; has no effect if it has ended. [main]
  func end() {
    guard let thread = thread.take() else { return }
    isStopped.store(true, ordering: .relaxed)
    job.isEnded.store(true, ordering: .relaxed)
    job.source?.interrupt()
    for _ in 0 ..< Self.timeoutMilliseconds where !hasEnded { usleep(1_000) }
    if !hasEnded { job.sink.interrupt() }
    thread.join()
  }

  private func recordClipped() { clipped.store(job.sink.clippedSampleCount, ordering: .relaxed) }

  fileprivate func run() {
    var end = Ending.done
    do {
      _ = try job.render(renderer, latencyFrames: renderer.latencyFrames) { _ in recordClipped() }
      if !isStopped.load(ordering: .relaxed) { try ending.close() }
    } catch {
      end = .failed("\(error)")
    }
    recordClipped()
    if isStopped.load(ordering: .relaxed) { end = .stopped }
    result.withLock { $0 = end }
    ending.onEnd()
  }
}

nonisolated private func renderThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  crealtime_separate_directory()
  if let context { Unmanaged<OfflineRun>.fromOpaque(context).takeUnretainedValue().run() }
  return nil
}
