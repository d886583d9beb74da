// PipeOutputWriter.swift: the thread that writes a session to standard output.
// SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// Reads blocks from a `PipeOutputState` and writes them to the pipe.
final class PipeOutputWriter: @unchecked Sendable {
  // Sendable because the thread owns everything except the atomics until it is joined.

  let drain: UnsafeMutablePointer<PipeOutputState>
  let output: PipeOutput
  /// The reason why writing ended before the session did; read after `hasFailed`.
  private(set) var failure: PipeError?
  let hasFailed = Atomic<Bool>(false)

  private let isEnding = Atomic<Bool>(false)
  private let isDone = Atomic<Bool>(false)
  private var thread: RealtimeThread?
  private let frames: UnsafeMutablePointer<Float>

  private static let pieceFrames = 1_024
  /// The timeout for a stalled pipe at the end, in nanoseconds.
  private static let timeoutNanoseconds: UInt64 = 2_000_000_000

  init(_ output: PipeOutput, blockFrames: Int) {
    self.output = output
    drain = .allocate(capacity: 1)
    drain.initialize(
      to: PipeOutputState(
        channelCount: output.channelCount, sampleRateHz: Double(output.sampleRateHz),
        blockFrames: blockFrames))
    frames = .allocate(capacity: Self.pieceFrames * output.channelCount)
  }

  deinit {
    end()
    drain.deinitialize(count: 1)
    drain.deallocate()
    frames.deallocate()
  }

  /// Starts to write. [main]
  func start() throws(PipeError) {
    thread = try .startNormalThread(writerThread, of: self)
  }

  /// Writes the remaining blocks, if the pipe accepts them, and ends. [main, not rendering]
  func end() {
    guard let thread = thread.take() else { return }
    isEnding.store(true, ordering: .relaxed)
    let last = crealtime_nanoseconds() + Self.timeoutNanoseconds
    while !isDone.load(ordering: .acquiring), crealtime_nanoseconds() < last {
      crealtime_sleep_for(1_000_000)
    }
    if !isDone.load(ordering: .acquiring) { output.interrupt() }
    thread.join()
  }

  fileprivate func run() {
    do {
      while true {
        // In this order: blocks that were added before the end are written.
        let isLast = isEnding.load(ordering: .relaxed)
        try writeAll()
        if isLast { break }
        // One to two milliseconds: less than a reader would notice.
        crealtime_sleep_for(2_000_000)
      }
    } catch {
      drain.pointee.isAbandoned.store(true, ordering: .relaxed)
      if !isEnding.load(ordering: .relaxed) {
        failure = error as? PipeError
        hasFailed.store(true, ordering: .releasing)
      }
    }
    isDone.store(true, ordering: .releasing)
  }

  private func writeAll() throws {
    let ring = drain.pointee.ring
    while let piece = ring.pointee.next(atMost: Self.pieceFrames) {
      if case .frames(let start, let count) = piece {
        Interleaving.join(
          ring.pointee.buffers, from: start, to: frames, channelCount: drain.pointee.channelCount,
          frameCount: count)
        try output.write(frames, frameCount: count)
      }
      ring.pointee.drop(piece)
    }
  }
}

nonisolated private func writerThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<PipeOutputWriter>.fromOpaque(context).takeUnretainedValue().run() }
  return nil
}
