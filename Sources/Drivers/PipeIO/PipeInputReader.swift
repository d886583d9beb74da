// PipeInputReader.swift: the thread that reads standard input. SPDX-License-Identifier: MIT

import AdaptiveResampling
import AudioDriver
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// Reads a stream into a `PipeInputState`, and detects the kind of its source.
///
/// The main thread creates and joins it. Only `PipeInput` outlives it: a new renderer has a new
/// reader.
final class PipeInputReader: @unchecked Sendable {
  // Sendable because the thread owns everything except atomics and constants until it is joined.

  let feed: UnsafeMutablePointer<PipeInputState>
  let input: PipeInput
  /// The reason why reading ended before the stream did; read after `hasFailed`.
  private(set) var failure: PipeError?
  /// Pairs with the load of the main thread: the failure is stored before.
  let hasFailed = Atomic<Bool>(false)

  private let clock: DeviceRequest.Clock
  private let blockFrames: Int
  private let stop = StopSignal()
  private var thread: RealtimeThread?
  private let conversionBuffer: PlanarBuffer
  private var detector: LiveSourceDetector
  private var isReclassifying = false
  private var knownStepFrames = 0
  private var knownFaults = 0
  private var lastArrival = 0.0
  /// The longest gap between arrivals since the last decision, in seconds, without stalls.
  private var longestGap = 0.0

  /// The time limit for the detection, in seconds: longer than a card's usual steps.
  private static let timeoutSeconds = 0.4
  /// The number of frames that are transferred at once.
  private static let chunkFrames = 2_048

  init(
    _ input: PipeInput, _ clock: DeviceRequest.Clock, graphRateHz: Double, blockFrames: Int
  ) {
    self.input = input
    self.clock = clock
    self.blockFrames = blockFrames
    feed = .allocate(capacity: 1)
    feed.initialize(
      to: PipeInputState(input.format, graphRateHz: graphRateHz, blockFrames: blockFrames))
    conversionBuffer = PlanarBuffer(
      channelCount: input.format.channelCount, frameCapacity: Self.chunkFrames)
    detector = LiveSourceDetector(rateHz: Double(input.format.sampleRateHz))
  }

  deinit {
    end()
    feed.deinitialize(count: 1)
    feed.deallocate()
  }

  /// Starts to read. [main]
  func start() throws(PipeError) {
    thread = try .startNormalThread(readerThread, of: self)
  }

  /// Ends the reading; has no effect if it has ended. [main]
  func end() {
    guard let thread = thread.take() else { return }
    stop.signal()
    thread.join()
  }

  // MARK: - The thread

  fileprivate func run() {
    do throws(PipeError) {
      while !stop.isRaised {
        reclassifySource()
        guard input.heldFrameCount == 0 || feed.pointee.ring.pointee.hasRoom(for: 1) else {
          pause()
          continue
        }
        if input.heldFrameCount == 0 {
          let arrival = try input.receive(milliseconds: 20, stop: stop.descriptor)
          if arrival == .stopped { return }
          if arrival == .end {
            try finishInput()
            return
          }
          if arrival == .nothing { recordEmptyRead(at: crealtime_nanoseconds()) }
        }
        advance()
      }
    } catch {
      failure = error
      hasFailed.store(true, ordering: .releasing)
      finishInput(with: error)
    }
  }

  /// Waits for room in the ring: the writer of the pipe waits, too, if it can.
  private func pause() {
    recordFullPipe()
    var event = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&event, 1, 5)
  }

  /// Records that there is no room for more data. [reader]
  func recordFullPipe() {
    detector.recordFullPipe()
    settle()
  }

  private func advance() {
    let ring = feed.pointee.ring
    let now = crealtime_nanoseconds()
    var moved = 0
    while input.heldFrameCount > 0 {
      let count = min(input.heldFrameCount, Self.chunkFrames)
      let room = ring.pointee.capacity - ring.pointee.heldFrameCount
      guard room > 0 else { break }
      let taken = input.take(into: conversionBuffer.channels, offset: 0, atMost: min(count, room))
      put(conversionBuffer.channels, taken)
      moved += taken
    }
    guard moved > 0 else { return }
    recordArrival(moved, at: now)
  }

  /// Writes frames into the ring, which has room for them. [reader]
  func put(_ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int) {
    _ = feed.pointee.ring.pointee.write(rows, frameCount: frameCount)
  }

  /// Records frames in the ring that arrived at a time, in ns. [reader]
  func recordArrival(_ frameCount: Int, at now: UInt64) {
    let frames = UInt64(UInt32(truncatingIfNeeded: feed.pointee.ring.pointee.writtenFrameCount))
    let ticks = UInt64(UInt32(truncatingIfNeeded: now / 8_000))
    feed.pointee.mark.store(frames << 32 | ticks, ordering: .releasing)
    feed.pointee.lastArrival.store(now, ordering: .relaxed)
    let seconds = Double(now) * 1e-9
    let gap = seconds - lastArrival
    lastArrival = seconds
    if gap < LiveSourceDetector.longestStepSeconds { longestGap = max(longestGap, gap) }
    detector.record(frameCount, at: seconds)
    if input.isFile || clock == .shared { detector.recordFullPipe() }
    settle()
  }

  /// Records that no more data has arrived by a time, in ns. [reader]
  ///
  /// The received data is then played although the kind of its source is not detected.
  func recordEmptyRead(at now: UInt64) {
    guard feed.pointee.mode == .undecided, lastArrival > 0 else { return }
    if Double(now) * 1e-9 > lastArrival + Self.timeoutSeconds { recordFullPipe() }
  }

  /// Applies the detected kind, once.
  private func settle() {
    guard feed.pointee.mode == .undecided || isReclassifying else { return }
    switch detector.kind {
    case .undecided: return
    case .nonLive where clock == .independent:
      startDriftCorrection(LiveSourceDetector.step(longestGap, feed.pointee.rateHz))
    case .nonLive: setNonLive()
    case .live(let stepFrames): startDriftCorrection(stepFrames)
    }
    isReclassifying = false
    longestGap = 0
  }

  private func setNonLive() {
    let isSameRate = feed.pointee.rateHz == feed.pointee.graphRateHz
    if !isSameRate, feed.pointee.mode != .resampled {
      guard handOver(stepFrames: 1, follows: false) else { return }
    }
    feed.pointee.take(isSameRate ? .direct : .resampled)
  }

  private func startDriftCorrection(_ stepFrames: Int) {
    if clock == .shared { return setNonLive() }
    // A known drift is kept if possible.
    let isLonger = stepFrames > knownStepFrames + knownStepFrames / 10
    guard feed.pointee.mode != .followed || isLonger else { return }
    guard handOver(stepFrames: stepFrames, follows: true) else { return }
    knownStepFrames = stepFrames
    feed.pointee.take(.followed)
  }

  /// Creates a resampler for the audio thread.
  private func handOver(stepFrames: Int, follows: Bool) -> Bool {
    var request = FollowerSettings(
      channelCount: input.format.channelCount, deviceRateHz: feed.pointee.rateHz,
      primaryRateHz: feed.pointee.graphRateHz, blockFrames: blockFrames,
      deviceBufferFrames: max(stepFrames, Self.chunkFrames), deviceStepFrames: stepFrames)
    request.clocksDiffer = follows
    guard let resampler = try? AdaptiveInput(request) else { return false }
    let memory = UnsafeMutablePointer<AdaptiveInput>.allocate(capacity: 1)
    memory.initialize(to: resampler)
    // Pairs with the acquiring exchange in `changeResampler`. A resampler that was not taken yet is
    // not needed.
    PipeInputState.free(feed.pointee.arriving.exchange(memory, ordering: .acquiringAndReleasing))
    return true
  }

  /// Examines a source again that behaved differently than detected.
  func reclassifySource() {
    PipeInputState.free(feed.pointee.departed.exchange(nil, ordering: .acquiring))
    let faults =
      feed.pointee.dryCount.load(ordering: .relaxed)
      + feed.pointee.overCount.load(ordering: .relaxed)
    guard faults != knownFaults else { return }
    knownFaults = faults
    // One examination at a time: faults are more frequent than it is long.
    guard clock != .shared, !input.isFile, !isReclassifying else { return }
    detector = LiveSourceDetector(rateHz: feed.pointee.rateHz, again: true)
    isReclassifying = true
  }

  private func finishInput() throws(PipeError) {
    if input.frameCount == 0 { throw .inputEmpty }
    finishInput(with: nil)
  }

  /// Records that the received data is all. [reader]
  func finishInput(with error: PipeError?) {
    if feed.pointee.mode == .undecided {
      detector.recordFullPipe()
      settle()
      // A pause in which it could have been examined again is over, too.
      if feed.pointee.mode == .undecided { setNonLive() }
    }
    feed.pointee.hasEnded.store(true, ordering: .releasing)
  }
}

nonisolated private func readerThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<PipeInputReader>.fromOpaque(context).takeUnretainedValue().run() }
  return nil
}
