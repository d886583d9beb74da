// FollowerState.swift: a follower device in the audio thread. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// An open device that is resampled to the graph's clock, at a fixed address while it is open.
struct FollowerState: ~Copyable {
  /// The run of the driver.
  let driver: UnsafeMutablePointer<DriverState>
  let side: UnsafeMutablePointer<PCMStream>
  /// The resampler of a capture device; nil for a playback device.
  let input: UnsafeMutablePointer<AdaptiveInput>?
  /// The resampler of a playback device; nil for a capture device.
  let output: UnsafeMutablePointer<AdaptiveOutput>?
  /// The channel buffer of each channel; a spare one for channels that the graph does not have.
  let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Whether the device is a card, not an alsa-lib plugin.
  let isHardware: Bool
  private let spare: PlanarBuffer
  /// The frames between device and resampler.
  let conversionBuffer: PlanarBuffer
  /// The time without transfers after which the device counts as dead, in frames of the graph.
  let timeoutFrames: Int

  // Owned by the audio thread.

  /// Whether the device was started and not stopped by a fault.
  var isStarted = false
  /// Frames of the graph since the device last transferred any.
  var idleFrames = 0
  /// Frames of the graph since the start of its fade-out.
  var fadingFrames = 0
  /// The position of the device and its time.
  var devicePosition: DevicePosition
  /// Checks its rate.
  var rateMonitor: RateMonitor
  /// The frames that the rate monitor has counted.
  var pacedFrames = 0
  /// The number of interruptions of the primary devices when it was last served.
  var interruptionCount = 0
  /// Frames of the graph since it was started.
  var transferredFrames = 0
  /// The number of interruptions of the primary devices when it was started.
  var interruptionCountAtStart = 0

  // Passed between threads together with the device.

  /// The negative errno value with which the thread handed it back; 0 for none.
  var fault: Int32 = 0
  /// Whether the primary devices were interrupted between its last start and its fault.
  var wasInterrupted = false
  /// The number of restarts since it last ran for a while, without those that it did not cause.
  var failedRestarts = 0

  // Read by other threads.

  /// Whether the device has transferred frames since it was opened.
  let hasMoved = Atomic<Bool>(false)
  /// The difference of its clock, in parts per million, as a bit pattern; positive is faster; NaN
  /// while unknown.
  let drift = Atomic<UInt64>(Double.nan.bitPattern)
  /// The smoothed surplus of frames in the buffer, in its frames, as a bit pattern.
  let excess = Atomic<UInt64>(0)
  /// The number of resynchronisations.
  let resyncCount = Atomic<Int>(0)

  /// A resampler, created before the state because that may fail.
  enum Resampler {
    case input(UnsafeMutablePointer<AdaptiveInput>)
    case output(UnsafeMutablePointer<AdaptiveOutput>)

    init(
      _ request: FollowerSettings, _ direction: ALSADriverError.Direction
    ) throws(AdaptiveResamplingError) {
      switch direction {
      case .capture: self = .input(FollowerState.allocated(try AdaptiveInput(request)))
      case .playback: self = .output(FollowerState.allocated(try AdaptiveOutput(request)))
      }
    }
  }

  /// Allocates all memory that the thread uses, and takes the resampler. [main]
  init(
    _ side: Negotiation.NegotiatedStream, _ request: FollowerSettings, _ resampler: Resampler,
    rows rowRange: Range<Int>,
    driver: UnsafeMutablePointer<DriverState>
  ) {
    self.driver = driver
    devicePosition = DevicePosition(
      isInput: side.pcm.direction == .capture, isHardware: side.pcm.isHardware,
      rateHz: request.deviceRateHz, bufferFrames: side.bufferFrames)
    rateMonitor = RateMonitor(
      rateHz: request.deviceRateHz,
      bufferFrames: request.deviceStepFrames
        + Int(Double(request.blockFrames) * request.deviceRateHz / request.primaryRateHz))
    isHardware = side.pcm.isHardware
    let conversionBuffer = PlanarBuffer(
      channelCount: request.channelCount, frameCapacity: Self.chunkFrames)
    self.side = Self.allocated(
      PCMStream(side, rows: conversionBuffer.pointers, periodFrames: Self.chunkFrames))
    self.conversionBuffer = conversionBuffer
    spare = PlanarBuffer(channelCount: 1, frameCapacity: request.blockFrames)
    let callback = driver.pointee.callback
    switch resampler {
    case .input(let memory):
      (input, output) = (memory, nil)
      buffers = Self.allocated(side.buffers(of: callback.inputs.pointers, rowRange), spare[0])
    case .output(let memory):
      (input, output) = (nil, memory)
      buffers = Self.allocated(side.buffers(of: callback.outputs.pointers, rowRange), spare[0])
    }
    timeoutFrames = max(
      side.pcm.followerTimeoutMilliseconds * Int(request.primaryRateHz) / 1_000,
      4 * request.blockFrames)
  }

  deinit {
    if let input { Self.free(input) }
    if let output { Self.free(output) }
    buffers.deallocate()
    side.pointee.free()
    side.deallocate()
  }

  private static func allocated(
    _ rows: [UnsafeMutablePointer<Float>?], _ spare: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>> {
    let memory = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: rows.count)
    for (index, row) in rows.enumerated() { (memory + index).initialize(to: row ?? spare) }
    return memory
  }

  /// The number of frames that are transferred between device and resampler at once.
  private static let chunkFrames = 512

  private static func allocated<Value: ~Copyable>(
    _ value: consuming Value
  ) -> UnsafeMutablePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    return memory
  }

  private static func free<Value: ~Copyable>(_ memory: UnsafeMutablePointer<Value>) {
    memory.deinitialize(count: 1)
    memory.deallocate()
  }
}

/// Passes a follower into and out of a run.
struct FollowerSlot: ~Copyable {
  /// A device that the audio thread must start.
  let arriving = Atomic<UnsafeMutablePointer<FollowerState>?>(nil)
  /// A device that the audio thread has returned, to be closed by the main thread.
  let departed = Atomic<UnsafeMutablePointer<FollowerState>?>(nil)
  /// Whether the device must be faded out and returned, because a better one is available.
  let shouldRelease = Atomic<Bool>(false)
  /// The device that the thread serves.
  var current: UnsafeMutablePointer<FollowerState>?
}
