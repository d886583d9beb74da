// DevicePosition.swift: the position of a device and its time. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CALSA

/// The position of a started device at its interrupts, with their time.
///
/// Between two interrupts, many devices report an old position: a USB card up to some milliseconds,
/// the loopback card 4 ms. The age is unknown. Against the periods of another card, those steps
/// beat so slowly that they look like drift. An interrupt comes at such a step, and the kernel
/// notes its time. Positions are counted in frames that the program has moved since the device was
/// prepared.
struct DevicePosition: BitwiseCopyable {
  /// Without an interrupt for this time, the position is unknown.
  private static var longestAgeSeconds: Double { @_noLocks get { 1 } }

  private let isInput: Bool
  private let isHardware: Bool
  private let rateHz: Double
  private let bufferFrames: Int
  /// The position of the program.
  private var movedFrames = 0
  /// The reported position at the last query, and the time of the query; 0 for no query yet.
  private var answeredFrames = 0
  private var lastAvailNanoseconds: UInt64 = 0
  /// The frames and the time for which the device has run, without the pauses in between.
  private(set) var transferredFrames = 0
  private(set) var ranNanoseconds: UInt64 = 0
  /// The position at the last known interrupt, and its time in nanoseconds; 0 for none.
  private var interruptFrames = 0
  private var interruptNanoseconds: UInt64 = 0

  /// Creates the position of a prepared device. [main]
  init(isInput: Bool, isHardware: Bool, rateHz: Double, bufferFrames: Int) {
    self.isInput = isInput
    self.isHardware = isHardware
    self.rateHz = rateHz
    self.bufferFrames = bufferFrames
  }

  /// Restarts with a device that was prepared. [main]
  mutating func restart() {
    movedFrames = 0
    answeredFrames = 0
    lastAvailNanoseconds = 0
    interruptNanoseconds = 0
  }

  /// Reads the position that the kernel has recorded, before `recordAvailable` queries the device.
  @_noLocks
  mutating func recordInterrupt(_ side: UnsafePointer<PCMStream>) {
    guard isHardware else { return }
    var nanoseconds: UInt64 = 0
    let count = calsa_available_noted(side.pointee.handle, &nanoseconds)
    guard count >= 0, nanoseconds != 0 else { return }
    let frames = position(count)
    // Otherwise it is the position of the last query, whose age is unknown.
    guard frames != answeredFrames else { return }
    interruptFrames = frames
    interruptNanoseconds = nanoseconds
  }

  /// Records the result of a query: the frames that can be read or written.
  @_noLocks
  mutating func recordAvailable(_ available: Int, at now: UInt64) {
    let frames = position(available)
    if lastAvailNanoseconds != 0 {
      if frames == answeredFrames { return }
      // A device that moved no frames for the length of its buffer was stopped.
      let elapsed = now &- lastAvailNanoseconds
      if Double(elapsed) / 1e9 * rateHz < Double(bufferFrames) {
        transferredFrames &+= frames &- answeredFrames
        ranNanoseconds &+= elapsed
      }
    }
    answeredFrames = frames
    lastAvailNanoseconds = now
  }

  /// The rate at which it ran, in Hz; nil if it did not run. [main, while the audio thread does not
  /// use it]
  var measuredRateHz: Double? {
    ranNanoseconds == 0 ? nil : 1e9 * Double(transferredFrames) / Double(ranNanoseconds)
  }

  /// Records frames that were read or written.
  @_noLocks
  mutating func recordTransfer(_ count: Int) { movedFrames &+= count }

  /// Returns the fill of the device's buffer: by the last interrupt, or `deviceFrames` if there was
  /// no recent interrupt.
  @_noLocks
  func observation(
    deviceFrames: Int, at now: UInt64, primaryLateFrames: Double
  ) -> ClockObservation {
    let age = Double(now &- min(now, interruptNanoseconds)) / 1e9
    // An interrupt just at the query is not seen, for some time if the clocks are nearly equal. No
    // device moves more than a period at once, so a stalled device is where it reports to be.
    let ahead = Double(interruptFrames &- answeredFrames) + age * rateHz
    guard interruptNanoseconds != 0, age < Self.longestAgeSeconds,
      ahead < Double(bufferFrames) / 2
    else {
      return ClockObservation(
        deviceFrames: Double(deviceFrames), primaryLateFrames: primaryLateFrames)
    }
    let queued = isInput ? interruptFrames &- movedFrames : movedFrames &- interruptFrames
    return ClockObservation(
      deviceFrames: Double(queued), ageSeconds: age, primaryLateFrames: primaryLateFrames)
  }

  @_noLocks
  private func position(_ available: Int) -> Int {
    movedFrames &+ (isInput ? available : available &- bufferFrames)
  }
}
