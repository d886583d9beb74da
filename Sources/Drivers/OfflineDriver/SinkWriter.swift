// SinkWriter.swift: converts, measures and writes while the next block is rendered.
// SPDX-License-Identifier: MIT
//
// Measuring loudness costs as much as a cheap plugin, and writing costs as much again. Each runs on
// its own thread, behind a bounded queue of chunks. A plain lock is sufficient because nothing here
// is played live.

import AudioFiles
import Glibc
import Metering

/// Threads that empty a queue of interleaved chunks: one writes to the sink, one feeds the loudness
/// meter.
///
/// Only the rendering thread calls `append`, `finish` and `abandon`.
final class SinkWriter: @unchecked Sendable {
  // Sendable because `mutex` guards all of `Queue` and the ownership of the slots, and only one
  // thread each uses the sink and the meters until it is joined.

  /// A consumer of chunks, each on its own thread.
  fileprivate enum Consumer: Int {
    case writing, measuring
  }

  private struct Queue {
    var filled = 0
    /// The number of chunks that each consumer has taken.
    var taken = [0, 0]
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
  private var threads: [pthread_t] = []
  /// The slot that is being filled, and the number of its frames.
  ///
  /// Owned by the rendering thread, because `queue` is only accessed with the lock.
  private var current = 0
  private var bufferedCount = 0
  /// The loudness meter; nil if loudness is not defined.
  private let loudness: Loudness?
  /// The peaks; complete after `finish`.
  private(set) var levels: PeakTracker
  /// Frames appended so far.
  private(set) var frameCount = 0
  /// The number of invalid samples, and the frame of the first of them.
  private(set) var faultySampleCount = 0
  private(set) var firstFault = 0

  /// Starts the threads; that of the loudness meter only if it is needed.
  init(_ sink: any FrameSink, measures: Bool = true) throws(OfflineError) {
    self.sink = sink
    channelCount = sink.channelCount
    // 128 kB: few wake-ups, and the chunk is still in the L2 cache.
    let frames = max(256, 32_768 / max(1, sink.channelCount))
    slotFrames = frames
    let sampleCount = frames * sink.channelCount
    slots = (0 ..< Self.slotCount).map { _ in .allocate(capacity: max(1, sampleCount)) }
    slotLengths = Array(repeating: 0, count: Self.slotCount)
    loudness =
      measures
      ? Loudness(channelCount: sink.channelCount, sampleRateHz: sink.sampleRateHz) : nil
    levels = PeakTracker(channelCount: sink.channelCount)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    try start(writingEntry)
    if measures {
      try start(measuringEntry)
    } else {
      // This consumer is never waited for.
      queue.taken[Consumer.measuring.rawValue] = .max
    }
  }

  private func start(
    _ entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  ) throws(OfflineError) {
    var number = pthread_t()
    let user = Unmanaged.passUnretained(self).toOpaque()
    guard pthread_create(&number, nil, entry, user) == 0 else { throw .noThread }
    threads.append(number)
  }

  deinit {
    abandon()
    slots.forEach { $0.deallocate() }
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// The integrated loudness, complete after `finish`; nil if it is not defined.
  var loudnessLUFS: Double? { loudness?.integratedLUFS }

  /// Appends frames `start` to `start + count` of the channel buffers; waits while the queue is
  /// full.
  ///
  /// - Throws: the error of the sink, once it is known.
  func append(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
  ) throws {
    var done = 0
    while done < count {
      if bufferedCount == 0 { try waitForSlot() }
      let length = min(count - done, slotFrames - bufferedCount)
      Interleaving.join(
        rows, from: start + done, to: slots[current] + bufferedCount * channelCount,
        channelCount: channelCount, frameCount: length)
      replaceInvalidSamples(
        slots[current] + bufferedCount * channelCount, frameCount + done, length)
      bufferedCount += length
      done += length
      if bufferedCount == slotFrames { handOver() }
    }
    frameCount += count
  }

  /// Replaces NaN and infinity by silence, in `count` frames from `position`.
  ///
  /// Such a sample would invalidate the loudness measurement and can damage a loudspeaker.
  private func replaceInvalidSamples(
    _ samples: UnsafeMutablePointer<Float>, _ position: Int, _ count: Int
  ) {
    let sampleCount = count * channelCount
    var index = 0
    while index < sampleCount {
      let rest = sampleCount - index
      if rest >= 16 {
        let bits = UnsafeRawPointer(samples + index).loadUnaligned(as: SIMD16<UInt32>.self)
        if !any(bits & 0x7f80_0000 .== 0x7f80_0000) {
          index += 16
          continue
        }
      }
      for sample in index ..< index + min(rest, 16) where !samples[sample].isFinite {
        samples[sample] = 0
        if faultySampleCount == 0 { firstFault = position + sample / channelCount }
        faultySampleCount += 1
      }
      index += 16
    }
  }

  /// Passes on a slot that is only partly filled.
  func flush() {
    if bufferedCount > 0 { handOver() }
  }

  /// Waits until everything is written, and finishes the sink.
  func finish() throws {
    flush()
    join(discarding: false)
    if let failure = queue.failure { throw failure }
    try sink.finish()
  }

  /// Ends the threads without finishing the sink; has no effect if they have ended.
  func abandon() { join(discarding: true) }

  // MARK: - Rendering thread

  private func waitForSlot() throws {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while queue.taken.contains(queue.filled - Self.slotCount) && queue.failure == nil {
      pthread_cond_wait(changed, mutex)
    }
    if let failure = queue.failure { throw failure }
  }

  private func handOver() {
    pthread_mutex_lock(mutex)
    slotLengths[current] = bufferedCount
    queue.filled += 1
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
    current = (current + 1) % Self.slotCount
    bufferedCount = 0
  }

  private func join(discarding: Bool) {
    guard !threads.isEmpty else { return }
    pthread_mutex_lock(mutex)
    queue.isClosed = true
    if discarding && queue.failure == nil { queue.failure = OfflineError.cancelled(seconds: 0) }
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
    for thread in threads { pthread_join(thread, nil) }
    threads = []
  }

  // MARK: - Consumer threads

  fileprivate func run(_ consumer: Consumer) {
    while let slot = nextSlot(consumer) {
      var failure: (any Error)?
      do { try runConsumer(slots[slot.index], slot.length, consumer) } catch { failure = error }
      pthread_mutex_lock(mutex)
      queue.taken[consumer.rawValue] += 1
      if queue.failure == nil { queue.failure = failure }
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
  }

  private func nextSlot(_ consumer: Consumer) -> (index: Int, length: Int)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let next = queue.taken[consumer.rawValue]
    while queue.filled == next && !queue.isClosed { pthread_cond_wait(changed, mutex) }
    if queue.filled == next || queue.failure != nil { return nil }
    let index = next % Self.slotCount
    return (index, slotLengths[index])
  }

  private func runConsumer(_ frames: UnsafePointer<Float>, _ count: Int, _ consumer: Consumer)
    throws
  {
    switch consumer {
    case .writing:
      levels.measure(frames, frameCount: count)
      try sink.write(frames, frameCount: count)
    case .measuring:
      loudness?.measure(frames, frameCount: count)
    }
  }
}

private func writingEntry(_ user: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  enter(user, .writing)
}

private func measuringEntry(_ user: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  enter(user, .measuring)
}

private func enter(
  _ user: UnsafeMutableRawPointer?, _ consumer: SinkWriter.Consumer
) -> UnsafeMutableRawPointer? {
  if let user { Unmanaged<SinkWriter>.fromOpaque(user).takeUnretainedValue().run(consumer) }
  return nil
}
