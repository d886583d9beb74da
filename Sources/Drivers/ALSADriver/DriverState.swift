// DriverState.swift: what the audio thread keeps while devices come and go. SPDX-License-Identifier: MIT

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// The state of one run, at a fixed address from `start` to the next or the end of the driver.
///
/// The primary devices are passed as a `DuplexState`, and returned if they cannot continue. While
/// there are none, the system clock clocks the graph.
struct DriverState: ~Copyable {
  /// What is called for each block, and its channel buffers.
  let callback: RenderCallback
  /// The longest block, in frames, and the one that the clock asks for.
  let blockFrames: Int
  let sampleRateHz: Double
  let stop = StopSignal()

  // What passes between the threads.

  /// Devices that are set up, to be started by the audio thread.
  let arriving = Atomic<UnsafeMutablePointer<DuplexState>?>(nil)
  /// Devices that the audio thread has given up, to be closed by the main thread.
  let departed = Atomic<UnsafeMutablePointer<DuplexState>?>(nil)

  /// Whether the primary devices are to be faded out and released, because a better device is
  /// available.
  let isToLetGo = Atomic<Bool>(false)

  /// Whether any device follows, or did.
  let hasFollowers = Atomic<Bool>(false)

  // State of the audio thread alone. The main thread uses it if there is no thread or it was
  // abandoned.

  /// Sees the thread through its calls.
  var watch: OpaquePointer?
  /// Whether the primary devices stalled with a thread that was abandoned.
  var isToRecover = false
  /// The primary devices.
  ///
  /// Nil while the system clock clocks the graph.
  var duplex: UnsafeMutablePointer<DuplexState>?
  /// Devices with clocks of their own, one place for each device of the request.
  let followers: UnsafeMutablePointer<FollowerSlot>
  let followerCount: Int
  /// Frames rendered in this run.
  var renderedFrames = 0
  /// How many of them there will be when devices that are being faded out have played it all; 0 while none is.
  var lastFrame = 0
  /// When they were last begun to be served, in nanoseconds.
  var servedSince: UInt64 = 0
  /// When a period was last moved, or the thread was started, in nanoseconds.
  var lastProgress: UInt64 = 0
  /// The time of the next block on the system clock, in nanoseconds.
  var due: UInt64 = 0
  /// Whether an interruption was counted that a follower that ran dry in this block belongs to.
  var hasCountedForFollowers = false
  /// Whether a follower's was counted in this block, which one of the leaders would belong to.
  var hasCountedFollower = false
  /// The number of stalls and restarts of the primary devices or of the system clock.
  var interruptionCount = 0
  /// Smooths what is captured over a gap.
  var inputGap: GapFade
  /// Fades in what is played after one.
  var outputGap: GapFade

  // What others read.

  let xruns = Atomic<Int>(0)
  let lostNanoseconds = Atomic<UInt64>(0)
  /// When sound last flowed, in nanoseconds, where an interruption is not over; else 0.
  let interruptedSince = Atomic<UInt64>(0)
  let clippedSamples = Atomic<Int>(0)
  let isRunning = Atomic<Bool>(false)
  /// Whether the devices have moved a period since the start.
  let hasDelivered = Atomic<Bool>(false)
  /// Whether the primary devices have moved a period since they were passed.
  let isFlowing = Atomic<Bool>(false)
  /// Whether the devices have moved a hundred periods in a row.
  let isSteady = Atomic<Bool>(false)

  /// Gets memory for everything the thread will touch. [main]
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
