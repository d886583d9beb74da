// SinkThread.swift: converting, measuring and writing while the next block renders. SPDX-License-Identifier: MIT
//
// Measuring loudness costs as much as a cheap plugin. It and the writing happen on a thread of their
// own, behind a bounded queue of chunks; a plain lock will do, as nothing here is played live.

import AudioFiles
import Glibc

/// A thread that empties a queue of interleaved chunks into a sink.
///
/// `append`, `finish` and `abandon` belong to one thread, the rendering one.
final class SinkThread: @unchecked Sendable {
  // Sendable because `mutex` guards all of `Queue`, the slots change hands with it, and the sink and
  // the meters are touched by the thread alone until it has been joined.

  private struct Queue {
    var filled = 0
    var taken = 0
    var isClosed = false
    var failure: (any Error)?
  }

  private static let slotCount = 4

  private let sink: any FrameSink
  private let channelCount: Int
  private let slotFrames: Int
  private let slots: [UnsafeMutablePointer<Float>]
  private var slotLengths: [Int]
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var queue = Queue()
  private var thread: pthread_t?
  private var held = 0
  private let loudness: LoudnessBox
  /// The peaks; complete after `finish`.
  private(set) var levels: LevelMeter
  /// Frames appended so far.
  private(set) var frameCount = 0

  /// Starts the thread.
  init(_ sink: any FrameSink) throws(OfflineError) {
    self.sink = sink
    channelCount = sink.channelCount
    // 128 kB: a wake-up now and then, and the chunk is still in the second cache.
    let frames = max(256, 32_768 / max(1, sink.channelCount))
    slotFrames = frames
    let sampleCount = frames * sink.channelCount
    slots = (0 ..< Self.slotCount).map { _ in .allocate(capacity: max(1, sampleCount)) }
    slotLengths = Array(repeating: 0, count: Self.slotCount)
    loudness = LoudnessBox(sink)
    levels = LevelMeter(channelCount: sink.channelCount)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    var number = pthread_t()
    let user = Unmanaged.passUnretained(self).toOpaque()
    guard pthread_create(&number, nil, sinkThreadEntry, user) == 0 else { throw .noThread }
    thread = number
  }

  deinit {
    abandon()
    slots.forEach { $0.deallocate() }
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Integrated loudness, complete after `finish`; nil where it is not defined.
  var loudnessLUFS: Double? { loudness.value }

  /// Appends frames `start` to `start + count` of planar rows; waits while the queue is full.
  ///
  /// - Throws: What the sink threw, as soon as it is known.
  func append(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
  ) throws {
    var done = 0
    while done < count {
      if held == 0 { try waitForSlot() }
      let length = min(count - done, slotFrames - held)
      Interleaving.join(
        rows, from: start + done, to: slots[queue.filled % Self.slotCount] + held * channelCount,
        channelCount: channelCount, frameCount: length)
      held += length
      done += length
      if held == slotFrames { handOver() }
    }
    frameCount += count
  }

  /// Waits until all is written, and finishes the sink.
  func finish() throws {
    if held > 0 { handOver() }
    join(discarding: false)
    if let failure = queue.failure { throw failure }
    try sink.finish()
  }

  /// Ends the thread without finishing the sink; harmless when it has ended.
  func abandon() { join(discarding: true) }

  // MARK: - The rendering side

  private func waitForSlot() throws {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while queue.filled - queue.taken == Self.slotCount && queue.failure == nil {
      pthread_cond_wait(changed, mutex)
    }
    if let failure = queue.failure { throw failure }
  }

  private func handOver() {
    pthread_mutex_lock(mutex)
    slotLengths[queue.filled % Self.slotCount] = held
    queue.filled += 1
    pthread_cond_signal(changed)
    pthread_mutex_unlock(mutex)
    held = 0
  }

  private func join(discarding: Bool) {
    guard let number = thread else { return }
    thread = nil
    pthread_mutex_lock(mutex)
    queue.isClosed = true
    if discarding && queue.failure == nil { queue.failure = OfflineError.cancelled(seconds: 0) }
    pthread_cond_signal(changed)
    pthread_mutex_unlock(mutex)
    pthread_join(number, nil)
  }

  // MARK: - The thread

  fileprivate func run() {
    while let slot = nextSlot() {
      var failure: (any Error)?
      do { try consume(slots[slot], slotLengths[slot]) } catch { failure = error }
      pthread_mutex_lock(mutex)
      queue.taken += 1
      if queue.failure == nil { queue.failure = failure }
      pthread_cond_signal(changed)
      pthread_mutex_unlock(mutex)
    }
  }

  private func nextSlot() -> Int? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while queue.filled == queue.taken && !queue.isClosed { pthread_cond_wait(changed, mutex) }
    if queue.filled == queue.taken || queue.failure != nil { return nil }
    return queue.taken % Self.slotCount
  }

  private func consume(_ frames: UnsafePointer<Float>, _ count: Int) throws {
    levels.measure(frames, frameCount: count)
    loudness.measure(frames, count)
    try sink.write(frames, frameCount: count)
  }
}

/// A place for a meter that there may not be.
private final class LoudnessBox {
  private let meter: LoudnessMeter?

  init(_ sink: any FrameSink) {
    meter = LoudnessMeter(channelCount: sink.channelCount, sampleRateHz: sink.sampleRateHz)
  }

  var value: Double? {
    switch meter {
    case .some(let meter): meter.integratedLUFS
    case .none: nil
    }
  }

  func measure(_ frames: UnsafePointer<Float>, _ count: Int) {
    switch meter {
    case .some(let meter): meter.measure(frames, frameCount: count)
    case .none: break
    }
  }
}

private func sinkThreadEntry(_ user: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let user { Unmanaged<SinkThread>.fromOpaque(user).takeUnretainedValue().run() }
  return nil
}
