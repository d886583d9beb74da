// DriverState.swift: the state of the audio thread, independent of its devices.
// SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// The state of one run, at a fixed address from `start` to the next `start` or the end of the
/// driver.
///
/// The primary devices are passed as a `DuplexState`, and returned if they cannot continue. Without
/// primary devices the system clock clocks the graph.
struct DriverState: ~Copyable {
  /// The render callback, and its channel buffers.
  let callback: RenderCallback
  /// The longest block, in frames, and the block length of the system clock.
  let blockFrames: Int
  let sampleRateHz: Double
  let stop = StopSignal()

  // Passed between the threads.

  /// Configured devices that the audio thread must start.
  let arriving = Atomic<UnsafeMutablePointer<DuplexState>?>(nil)
  /// Devices that the audio thread has returned, to be closed by the main thread.
  let departed = Atomic<UnsafeMutablePointer<DuplexState>?>(nil)

  /// Whether the primary devices must be faded out and released, because a better device is
  /// available.
  let shouldRelease = Atomic<Bool>(false)

  /// Whether the driver has or had a follower.
  let hasFollowers = Atomic<Bool>(false)

  // Owned by the audio thread. The main thread uses it if there is no audio thread or it was
  // abandoned.

  /// Monitors the calls of the thread.
  var watch: OpaquePointer?
  /// Whether the primary devices stalled with a thread that was abandoned.
  var shouldRecover = false
  /// The primary devices.
  ///
  /// Nil while the system clock clocks the graph.
  var duplex: UnsafeMutablePointer<DuplexState>?
  /// The follower devices, one slot for each device of the request.
  let followers: UnsafeMutablePointer<FollowerSlot>
  let followerCount: Int
  /// The number of frames rendered in this run.
  var renderedFrames = 0
  /// The value of `renderedFrames` at which devices that fade out have played everything; 0 if none
  /// fade out.
  var lastFrame = 0
  /// When the thread last began to serve the primary devices, in nanoseconds.
  var servingStartNanoseconds: UInt64 = 0
  /// When a period was last transferred, or the thread was started, in nanoseconds.
  var lastProgress: UInt64 = 0
  /// The time of the next block on the system clock, in nanoseconds.
  var due: UInt64 = 0
  /// Whether an interruption was already counted that also explains a follower's xrun in this
  /// block.
  var hasCountedForFollowers = false
  /// Whether a follower's interruption was counted in this block that also explains one of the
  /// primary devices.
  var hasCountedFollower = false
  /// The number of stalls and restarts of the primary devices or of the system clock.
  var interruptionCount = 0
  /// Smooths the captured audio after a gap.
  var inputGap: GapFade
  /// Fades the played audio in after a gap.
  var outputGap: GapFade

  // Read by other threads.

  let xruns = Atomic<Int>(0)
  let lostNanoseconds = Atomic<UInt64>(0)
  /// When audio last flowed, in nanoseconds, during an interruption; otherwise 0.
  let interruptedSince = Atomic<UInt64>(0)
  let clippedSamples = Atomic<Int>(0)
  let isRunning = Atomic<Bool>(false)
  /// Whether the devices have transferred a period since the start.
  let hasDelivered = Atomic<Bool>(false)
  /// Whether the primary devices have transferred a period since they were passed.
  let isTransferring = Atomic<Bool>(false)
  /// Whether the devices have transferred a hundred periods in a row.
  let isStable = Atomic<Bool>(false)

  /// Allocates all memory that the thread uses. [main]
  init(_ renderer: Renderer, blockFrames: Int, deviceCount: Int) {
    callback = renderer.callback
    self.blockFrames = blockFrames
    sampleRateHz = renderer.format.sampleRateHz
    followerCount = deviceCount
    followers = .allocate(capacity: max(1, deviceCount))
    for index in 0 ..< deviceCount { (followers + index).initialize(to: FollowerSlot()) }
    inputGap = GapFade(
      channelCount: renderer.format.inputChannelCount, sampleRateHz: sampleRateHz)
    outputGap = GapFade(
      channelCount: renderer.format.outputChannelCount, sampleRateHz: sampleRateHz)
  }

  deinit {
    followers.deinitialize(count: followerCount)
    followers.deallocate()
  }
}
