// PipeInputState.swift: data between the reader of standard input and the audio thread.
// SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import RealtimeKit
import Synchronization

/// Audio between an input stream and a card, at a fixed address.
///
/// One thread reads the stream and detects its kind; the audio thread reads it, in
/// PipeInputBlock.swift.
struct PipeInputState: ~Copyable {
  /// How the stream is read.
  enum SourceMode: BitwiseCopyable {
    /// Not detected yet: silence.
    case undecided
    /// Directly, when it is needed: a non-live source.
    case direct
    /// Through a resampler with the ratio of the nominal rates: a non-live source with another
    /// rate.
    case resampled
    /// Through a resampler that follows its clock: a live source.
    case followed
  }

  /// The state of the stream in the audio thread.
  enum Phase: BitwiseCopyable {
    /// No audio so far.
    case fresh
    /// Audio.
    case flowing
    /// An underrun: silence until there is enough data again.
    case underrun
    /// The stream has ended and was played.
    case finished
  }

  let channelCount: Int
  /// The rate of the stream, in Hz.
  let rateHz: Double
  /// The rate of the graph, in Hz.
  let graphRateHz: Double
  /// The frames of the stream, as they were read.
  let ring: UnsafeMutablePointer<FrameRing>
  /// Silent channel buffers, as long as the longest push.
  let silence: PlanarBuffer
  /// Frames that must be present before a stream plays again after an underrun.
  let safetyFrames: Int

  // From the reader to the audio thread.

  private let modeCode = Atomic<UInt8>(0)
  /// A resampler to use, for a mode that needs one.
  let arriving = Atomic<UnsafeMutablePointer<AdaptiveInput>?>(nil)
  /// The number of frames written to the ring and the time, as 32 bits each: frames, and units of 8
  /// us.
  let mark = Atomic<UInt64>(0)
  /// The time of the last arrival, in nanoseconds; 0 before the first.
  let lastArrival = Atomic<UInt64>(0)
  /// Whether the stream has ended.
  let hasEnded = Atomic<Bool>(false)

  // From the audio thread to the reader and the main thread.

  /// A resampler that is not needed any more.
  let departed = Atomic<UnsafeMutablePointer<AdaptiveInput>?>(nil)
  /// The number of underruns and of overruns.
  let dryCount = Atomic<Int>(0)
  let overCount = Atomic<Int>(0)
  /// Frames of the graph that were silent for lack of data.
  let silentFrames = Atomic<Int>(0)
  /// The start of the current underrun, in nanoseconds; 0 if there is none.
  let underrunStart = Atomic<UInt64>(0)
  /// The time since which the stream is silent without an underrun, in nanoseconds; 0 while it is
  /// audible.
  let silentSince = Atomic<UInt64>(0)
  /// The difference of its clock, in parts per million, as a bit pattern; positive is faster; NaN
  /// while unknown.
  let drift = Atomic<UInt64>(Double.nan.bitPattern)
  let excess = Atomic<UInt64>(0)
  /// Whether the whole stream was played.
  let isOver = Atomic<Bool>(false)

  // Owned by the audio thread.

  var phase = Phase.fresh
  var input: UnsafeMutablePointer<AdaptiveInput>?
  var knownUnderruns = 0
  var knownOverruns = 0
  /// Frames of silence that were pushed after the end.
  var flushedFrames = 0

  /// Returns the capacity of the ring: the content of a pipe and one more second.
  static func ringFrames(_ format: PipeFormat) -> Int {
    65_536 / format.frameByteCount + format.sampleRateHz
  }

  /// Allocates all memory, except resamplers. [main]
  init(_ format: PipeFormat, graphRateHz: Double, blockFrames: Int) {
    channelCount = format.channelCount
    rateHz = Double(format.sampleRateHz)
    self.graphRateHz = graphRateHz
    let block = Double(blockFrames) * rateHz / graphRateHz
    safetyFrames = Int(max(0.2 * rateHz, 2 * block))
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(
        channelCount: format.channelCount,
        frameCount: max(Self.ringFrames(format), 2 * safetyFrames)))
    silence = PlanarBuffer(channelCount: format.channelCount, frameCapacity: 1_024)
  }

  deinit {
    for pointer in [
      input, arriving.load(ordering: .acquiring), departed.load(ordering: .acquiring),
    ] {
      Self.free(pointer)
    }
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// Whether the stream had an underrun and does not play again yet. [render]
  var isDry: Bool { @_noLocks get { if case .underrun = phase { true } else { false } } }

  /// How the stream is read. [any]
  var mode: SourceMode {
    @_noLocks get {
      switch modeCode.load(ordering: .acquiring) {
      case 1: .direct
      case 2: .resampled
      case 3: .followed
      default: .undecided
      }
    }
  }

  /// Sets how it is read from now on. [reader]
  func take(_ mode: SourceMode) {
    switch mode {
    case .undecided: modeCode.store(0, ordering: .releasing)
    case .direct: modeCode.store(1, ordering: .releasing)
    case .resampled: modeCode.store(2, ordering: .releasing)
    case .followed: modeCode.store(3, ordering: .releasing)
    }
  }

  /// Whether the stream is silent at a time, in nanoseconds, because it stalled. [main]
  ///
  /// It underran or fills up for that long, and no more data has come for the longest possible
  /// step.
  func isStalled(dryFor length: UInt64, at now: UInt64) -> Bool {
    let underrunStart = underrunStart.load(ordering: .relaxed)
    if underrunStart != 0, now > underrunStart + length { return true }
    let silentSince = silentSince.load(ordering: .relaxed)
    let since = max(silentSince, lastArrival.load(ordering: .relaxed))
    return silentSince != 0 && now > since + UInt64(LiveSourceDetector.longestStepSeconds * 1e9)
  }

  /// Frees a resampler. [any but render]
  static func free(_ pointer: UnsafeMutablePointer<AdaptiveInput>?) {
    pointer?.deinitialize(count: 1)
    pointer?.deallocate()
  }
}
