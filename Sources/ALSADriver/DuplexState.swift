// DuplexState.swift: all that the audio thread of the driver knows. SPDX-License-Identifier: MIT

import CALSA
import CSamples
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// One direction as the audio thread sees it: plain data, the PCM being owned elsewhere.
struct StreamSide: BitwiseCopyable {
  /// ALSA's handle.
  var handle: OpaquePointer
  /// Whether samples are moved in the device's own memory.
  var isMapped: Bool
  /// Whether all channels of a frame lie together.
  var isInterleaved: Bool
  var format: csamples_format
  var sampleByteCount: Int
  var channelCount: Int
  var bufferFrames: Int
  /// Frames that lie in the playback buffer at the start.
  var filledFrames: Int
  /// Where this direction's descriptors begin in the poll set, and how many there are.
  var firstDescriptor = 0
  var descriptorCount = 0
  /// Where each channel lies in the part being moved; for the copying ways of access, in `copy`.
  var channels: UnsafeMutablePointer<calsa_channel>
  /// A period's samples, for the copying ways of access.
  var copy: UnsafeMutableRawPointer
  /// The rows of `copy`, one for each channel, as ALSA wants them.
  var rows: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// Bytes of a frame in an interleaved buffer.
  var frameByteCount: Int { @_noLocks get { sampleByteCount &* channelCount } }
}

/// The state of one run, at a fixed address from `start` to the end of the driver.
struct DuplexState: ~Copyable {
  let engine: UnsafeMutablePointer<RenderEngine>
  let periodFrames: Int
  let sampleRateHz: Double
  let isLinked: Bool
  /// The capture direction, if there is one.
  private(set) var capture: StreamSide?
  /// The playback direction, if there is one.
  private(set) var playback: StreamSide?

  /// Descriptors to wait for: capture's, the stop signal's, playback's, so that any set that is
  /// waited for is contiguous.
  let descriptors: UnsafeMutablePointer<pollfd>
  let descriptorCount: Int
  let stop = StopSignal()

  // What the thread alone touches.

  /// Frames of the current period that were captured already.
  var capturedFrames = 0
  /// Frames of the last rendered period that are still to be played.
  var unplayedFrames = 0
  /// When a period was last rendered, or the streams were started, in nanoseconds.
  var lastProgress: UInt64 = 0
  /// Time spent waiting since then, not counting time in which the process itself was stopped.
  var waitedMilliseconds = 0
  /// Times that the wait ended with nothing to do since then.
  var emptyWakeups = 0
  /// Restarts since then.
  var fruitlessRestarts = 0
  /// Whether the last status speaks of the playback side, not of capture.
  var suspectsPlayback = false

  // What others read.

  let xruns = Atomic<Int>(0)
  let lostNanoseconds = Atomic<UInt64>(0)
  let clippedSamples = Atomic<Int>(0)
  let isRunning = Atomic<Bool>(false)
  /// The negative errno value that ended it, 0 if none did.
  let failure = Atomic<Int32>(0)
  /// Whether the failure was on the playback side.
  let failedOnPlayback = Atomic<Bool>(false)

  /// Gets memory for everything the thread will touch. [main]
  init(_ negotiation: Negotiation, engine: UnsafeMutablePointer<RenderEngine>) {
    self.engine = engine
    periodFrames = negotiation.periodFrames
    sampleRateHz = Double(negotiation.rateHz)
    isLinked = negotiation.isLinked
    capture = negotiation.input.map { Self.side($0, periodFrames: negotiation.periodFrames) }
    playback = negotiation.output.map { Self.side($0, periodFrames: negotiation.periodFrames) }
    let captureCount = capture.map { Int(snd_pcm_poll_descriptors_count($0.handle)) } ?? 0
    let playbackCount = playback.map { Int(snd_pcm_poll_descriptors_count($0.handle)) } ?? 0
    descriptorCount = captureCount + 1 + playbackCount
    descriptors = .allocate(capacity: descriptorCount)
    descriptors.initialize(repeating: pollfd(), count: descriptorCount)
    descriptors[captureCount] = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
    capture?.descriptorCount = captureCount
    playback?.descriptorCount = playbackCount
    playback?.firstDescriptor = captureCount + 1
    for side in [capture, playback].compactMap(\.self) {
      snd_pcm_poll_descriptors(
        side.handle, descriptors + side.firstDescriptor, UInt32(side.descriptorCount))
    }
  }

  deinit {
    for side in [capture, playback].compactMap(\.self) {
      side.channels.deallocate()
      side.copy.deallocate()
      side.rows.deallocate()
    }
    descriptors.deallocate()
  }

  /// How long the device may move nothing before it counts as dead, in milliseconds: in the device's
  /// own time, as a period can be longer than any fixed limit.
  var patienceMilliseconds: Int {
    @_noLocks get { max(2_000, Int(3_000 * Double(periodFrames) / sampleRateHz)) }
  }

  private static func side(_ side: Negotiation.Side, periodFrames: Int) -> StreamSide {
    let count = side.channelCount
    let bytes = side.format.byteCount
    let rowBytes = periodFrames * bytes
    let copy = UnsafeMutableRawPointer.allocate(byteCount: count * rowBytes, alignment: 64)
    memset(copy, 0, count * rowBytes)
    let rows = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: count)
    let channels = UnsafeMutablePointer<calsa_channel>.allocate(capacity: count)
    let isInterleaved = side.access.isInterleaved
    for channel in 0 ..< count {
      let first = copy + channel * (isInterleaved ? bytes : rowBytes)
      (rows + channel).initialize(to: first)
      (channels + channel).initialize(
        to: calsa_channel(
          first: first.assumingMemoryBound(to: UInt8.self),
          stride: UInt32(isInterleaved ? count * bytes : bytes)))
    }
    return StreamSide(
      handle: side.pcm.handle, isMapped: side.access.isMapped,
      isInterleaved: side.access.isInterleaved, format: side.format.code,
      sampleByteCount: bytes, channelCount: count, bufferFrames: side.bufferFrames,
      filledFrames: side.filledFrames, channels: channels, copy: copy, rows: rows)
  }
}
