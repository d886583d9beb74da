// PipeInputState.swift: what passes between the reader of standard input and the audio thread.
// SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import RealtimeKit
import Synchronization

/// Sound on its way from a stream to a card, at a fixed address.
///
/// One thread reads the stream and decides how it is to be taken; the audio thread takes it, in
/// PipeInputBlock.swift.
struct PipeInputState: ~Copyable {
  /// How the stream is taken.
  enum SourceMode: BitwiseCopyable {
    /// Not yet known: silence.
    case open
    /// As it is, when it is wanted: it gives way.
    case straight
    /// Through a resampler at the ratio of the nominal rates: it gives way, but has another rate.
    case resampled
    /// Through a resampler that follows its clock.
    case followed
  }

  /// The state of the stream in the audio thread.
  enum Phase: BitwiseCopyable {
    /// Nothing was played yet.
    case fresh
    /// Sound.
    case flowing
    /// It ran dry: silence until there is enough again.
    case dry
    /// Everything was played.
    case over
  }

  let channelCount: Int
  /// Of the stream.
  let rateHz: Double
  /// Of the graph.
  let graphRateHz: Double
  /// Frames of the stream, each as it was read.
  let ring: UnsafeMutablePointer<FrameRing>
  /// Rows of silence as long as the longest step that is pushed.
  let silence: PlanarBuffer
  /// Frames that must be present before a stream plays again after an underrun.
  let cushionFrames: Int

  // From the reader to the audio thread.

  private let courseCode = Atomic<UInt8>(0)
  /// A resampler to be taken, for a course that wants one.
  let arriving = Atomic<UnsafeMutablePointer<AdaptiveInput>?>(nil)
  /// How many frames had been put into the ring when, as 32 bits each: frames, and units of 8 us.
  let mark = Atomic<UInt64>(0)
  /// When they were, in nanoseconds; 0 before the first.
  let lastArrival = Atomic<UInt64>(0)
  /// Whether there will be no more.
  let hasEnded = Atomic<Bool>(false)

  // From the audio thread to the reader and the main thread.

  /// A resampler that is not needed any more.
  let departed = Atomic<UnsafeMutablePointer<AdaptiveInput>?>(nil)
  /// Times that it ran dry, and that it ran over.
  let dryCount = Atomic<Int>(0)
  let overCount = Atomic<Int>(0)
  /// Frames of the graph that were silent as there was nothing.
  let silentFrames = Atomic<Int>(0)
  /// Since when it is dry, in nanoseconds; 0 while it is not.
  let drySince = Atomic<UInt64>(0)
  /// The time since which the stream is silent without an underrun, in nanoseconds; 0 while it is
  /// audible.
  let silentSince = Atomic<UInt64>(0)
  /// By how much its clock is faster, in parts per million, as a bit pattern; NaN while not known.
  let drift = Atomic<UInt64>(Double.nan.bitPattern)
  let excess = Atomic<UInt64>(0)
  /// Whether the whole stream was played.
  let isOver = Atomic<Bool>(false)

  // The audio thread's own.

  var phase = Phase.fresh
  var input: UnsafeMutablePointer<AdaptiveInput>?
  var knownUnderruns = 0
  var knownOverruns = 0
  /// Frames of silence that were pushed after the end.
  var flushedFrames = 0

  /// What lies in a pipe from before fits into it, and a second more.
  static func ringFrames(_ format: PipeFormat) -> Int {
    65_536 / format.frameByteCount + format.sampleRateHz
  }

  /// Takes all memory, but for resamplers. [main]
  init(_ format: PipeFormat, graphRateHz: Double, blockFrames: Int) {
    channelCount = format.channelCount
    rateHz = Double(format.sampleRateHz)
    self.graphRateHz = graphRateHz
    let block = Double(blockFrames) * rateHz / graphRateHz
    cushionFrames = Int(max(0.2 * rateHz, 2 * block))
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(
        channelCount: format.channelCount,
        frameCount: max(Self.ringFrames(format), 2 * cushionFrames)))
    silence = PlanarBuffer(channelCount: format.channelCount, frameCapacity: 1_024)
  }

  deinit {
    for place in [input, arriving.load(ordering: .acquiring), departed.load(ordering: .acquiring)] {
      Self.free(place)
    }
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// Whether the stream had an underrun and does not play again yet. [render]
  var isDry: Bool { @_noLocks get { if case .dry = phase { true } else { false } } }

  /// How the stream is taken. [any]
  var course: SourceMode {
    @_noLocks get {
      switch courseCode.load(ordering: .acquiring) {
      case 1: .straight
      case 2: .resampled
      case 3: .followed
      default: .open
      }
    }
  }

  /// Decides how it is taken from now on. [reader]
  func take(_ course: SourceMode) {
    switch course {
    case .open: courseCode.store(0, ordering: .releasing)
    case .straight: courseCode.store(1, ordering: .releasing)
    case .resampled: courseCode.store(2, ordering: .releasing)
    case .followed: courseCode.store(3, ordering: .releasing)
    }
  }

  /// Whether the stream is silent at a time, in nanoseconds, because it stalled. [main]
  ///
  /// It underran or fills up for that long, and no more data has come for the longest possible
  /// step.
  func standsStill(dryFor length: UInt64, at now: UInt64) -> Bool {
    let drySince = drySince.load(ordering: .relaxed)
    if drySince != 0, now > drySince + length { return true }
    let silentSince = silentSince.load(ordering: .relaxed)
    let since = max(silentSince, lastArrival.load(ordering: .relaxed))
    return silentSince != 0 && now > since + UInt64(LiveSourceDetector.longestStepSeconds * 1e9)
  }

  /// Gives a resampler's memory back. [any but render]
  static func free(_ place: UnsafeMutablePointer<AdaptiveInput>?) {
    place?.deinitialize(count: 1)
    place?.deallocate()
  }
}
