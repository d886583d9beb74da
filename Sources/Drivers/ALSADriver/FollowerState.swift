// FollowerState.swift: a follower device in the audio thread. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// An open device that is resampled to the graph's clock, at a fixed address while it is open.
struct FollowerState: ~Copyable {
  /// The run that it belongs to.
  let driver: UnsafeMutablePointer<DriverState>
  let side: UnsafeMutablePointer<PCMStream>
  /// The resampler of a capture device; nil for a playback device.
  let input: UnsafeMutablePointer<AdaptiveInput>?
  /// The resampler of a playback device; nil for a capture device.
  let output: UnsafeMutablePointer<AdaptiveOutput>?
  /// The channel buffer of each channel; a spare one for channels that the graph does not have.
  let rows: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Whether it is a card itself, not one of alsa-lib's plug-ins.
  let isHardware: Bool
  private let spare: PlanarBuffer
  /// What is on its way between device and resampler.
  let passage: PlanarBuffer
  /// Frames of the graph after which a device that moves nothing counts as dead.
  let patienceFrames: Int

  // What the thread alone touches.

  /// Whether the device was started, and not stopped by a fault.
  var isStarted = false
  /// Frames of the graph since the device last moved any.
  var idleFrames = 0
  /// Frames of the graph since it is being faded out.
  var fadingFrames = 0
  /// The position of the device and its time.
  var sight: DevicePosition
  /// Whether it keeps to its rate.
  var pace: RateMonitor
  /// The frames that the rate monitor has counted.
  var pacedFrames = 0
  /// The number of interruptions of the primary devices when it was last served.
  var interruptionCount = 0
  /// Frames of the graph since it was started.
  var servedFrames = 0
  /// The number of interruptions of the primary devices when it was started.
  var interruptionCountAtStart = 0

  // What goes from hand to hand with it.

  /// The negative errno value with which the thread handed it back; 0 for none.
  var fault: Int32 = 0
  /// Whether the primary devices were interrupted between its last start and its fault.
  var wasInterrupted = false
  /// Times that it was made ready since it last ran for a while, but for what was not its own doing.
  var vainRestarts = 0

  // What others read.

  /// Whether it has moved any frames since it was opened.
  let hasMoved = Atomic<Bool>(false)
  /// By how much its clock is faster, in parts per million, as a bit pattern; NaN while not known.
  let drift = Atomic<UInt64>(Double.nan.bitPattern)
  /// By how many of its frames too much is held, smoothed, as a bit pattern.
  let excess = Atomic<UInt64>(0)
  /// Times that it had to be brought back into step.
  let resyncCount = Atomic<Int>(0)

  /// A resampler, made before the state as that may fail.
  enum Resampler {
    case input(UnsafeMutablePointer<AdaptiveInput>)
    case output(UnsafeMutablePointer<AdaptiveOutput>)

    init(
      _ request: FollowerSettings, _ direction: ALSADriverError.Direction
    ) throws(AdaptiveResamplingError) {
      switch direction {
      case .capture: self = .input(FollowerState.placed(try AdaptiveInput(request)))
      case .playback: self = .output(FollowerState.placed(try AdaptiveOutput(request)))
      }
    }
  }

  /// Gets memory for everything the thread will touch, and takes over the resampler. [main]
  init(
    _ side: Negotiation.NegotiatedStream, _ request: FollowerSettings, _ resampler: Resampler,
    rows own: Range<Int>,
    driver: UnsafeMutablePointer<DriverState>
  ) {
    self.driver = driver
    sight = DevicePosition(
      isInput: side.pcm.direction == .capture, isHardware: side.pcm.isHardware,
      rateHz: request.deviceRateHz, bufferFrames: side.bufferFrames)
    pace = RateMonitor(
      rateHz: request.deviceRateHz,
      bufferFrames: request.deviceStepFrames
        + Int(Double(request.blockFrames) * request.deviceRateHz / request.masterRateHz))
    isHardware = side.pcm.isHardware
    let passage = PlanarBuffer(
      channelCount: request.channelCount, frameCapacity: Self.passageFrames)
    self.side = Self.placed(
      PCMStream(side, rows: passage.rows, periodFrames: Self.passageFrames))
    self.passage = passage
    spare = PlanarBuffer(channelCount: 1, frameCapacity: request.blockFrames)
    let callback = driver.pointee.callback
    switch resampler {
    case .input(let place):
      (input, output) = (place, nil)
      rows = Self.placed(side.rows(of: callback.inputs.rows, own), spare[0])
    case .output(let place):
      (input, output) = (nil, place)
      rows = Self.placed(side.rows(of: callback.outputs.rows, own), spare[0])
    }
    patienceFrames = max(
      side.pcm.followerPatienceMilliseconds * Int(request.masterRateHz) / 1_000,
      4 * request.blockFrames)
  }

  deinit {
    if let input { Self.free(input) }
    if let output { Self.free(output) }
    rows.deallocate()
    side.pointee.free()
    side.deallocate()
  }

  private static func placed(
    _ rows: [UnsafeMutablePointer<Float>?], _ spare: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>> {
    let place = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: rows.count)
    for (index, row) in rows.enumerated() { (place + index).initialize(to: row ?? spare) }
    return place
  }

  /// Frames that are moved between device and resampler at a time.
  private static let passageFrames = 512

  private static func placed<Value: ~Copyable>(
    _ value: consuming Value
  ) -> UnsafeMutablePointer<Value> {
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    place.initialize(to: value)
    return place
  }

  private static func free<Value: ~Copyable>(_ place: UnsafeMutablePointer<Value>) {
    place.deinitialize(count: 1)
    place.deallocate()
  }
}

/// Where a follower comes in and goes out of a run.
struct FollowerSlot: ~Copyable {
  /// Open, to be started by the audio thread.
  let arriving = Atomic<UnsafeMutablePointer<FollowerState>?>(nil)
  /// Given up by the audio thread, to be closed by the main thread.
  let departed = Atomic<UnsafeMutablePointer<FollowerState>?>(nil)
  /// Whether it is to be faded out and given up, as something better is there.
  let isToLetGo = Atomic<Bool>(false)
  /// What the thread serves.
  var current: UnsafeMutablePointer<FollowerState>?
}
