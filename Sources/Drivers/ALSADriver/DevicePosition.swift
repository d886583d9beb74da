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
  private var answeredNanoseconds: UInt64 = 0
  /// How far it has come, and in what time, all runs together: what lies between them is left out.
  private(set) var ranFrames = 0
  private(set) var ranNanoseconds: UInt64 = 0
  /// Where it stood at its last interrupt that is known, and when, in nanoseconds; 0 for none.
  private var interruptFrames = 0
  private var interruptNanoseconds: UInt64 = 0

  /// Of a device that is ready, and has moved nothing. [main]
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
    answeredNanoseconds = 0
    interruptNanoseconds = 0
  }

  /// Looks what the kernel noted of the device of itself, before it is asked for `noteAnswer`.
  @_noLocks
  mutating func noteInterrupt(_ side: UnsafePointer<PCMStream>) {
    guard isHardware else { return }
    var nanoseconds: UInt64 = 0
    let count = calsa_available_noted(side.pointee.handle, &nanoseconds)
    guard count >= 0, nanoseconds != 0 else { return }
    let frames = position(count)
    // Else it is what the device was last asked, however long it had been there then.
    guard frames != answeredFrames else { return }
    interruptFrames = frames
    interruptNanoseconds = nanoseconds
  }

  /// Notes how many frames the device, asked, has to be read or has room for.
  @_noLocks
  mutating func noteAnswer(_ available: Int, at now: UInt64) {
    let frames = position(available)
    if answeredNanoseconds != 0 {
      if frames == answeredFrames { return }
      // One that stood still for as long as its buffer lasts did not run.
      let elapsed = now &- answeredNanoseconds
      if Double(elapsed) / 1e9 * rateHz < Double(bufferFrames) {
        ranFrames &+= frames &- answeredFrames
        ranNanoseconds &+= elapsed
      }
    }
    answeredFrames = frames
    answeredNanoseconds = now
  }

  /// The rate at which it ran, in Hz; nil where it did not. [main, while the audio thread has it not]
  var ranHz: Double? {
    ranNanoseconds == 0 ? nil : 1e9 * Double(ranFrames) / Double(ranNanoseconds)
  }

  /// Notes frames that were read or written.
  @_noLocks
  mutating func noteMoved(_ count: Int) { movedFrames &+= count }

  /// Returns the fill of the device's buffer: by the last interrupt, or `deviceFrames` if there was
  /// no recent interrupt.
  @_noLocks
  func observation(
    deviceFrames: Int, at now: UInt64, masterLateFrames: Double
  ) -> ClockObservation {
    let age = Double(now &- min(now, interruptNanoseconds)) / 1e9
    // An interrupt just at the query is not seen, for some time if the clocks are nearly equal. No
    // device moves more than a period at once, so a stalled device is where it reports to be.
    let ahead = Double(interruptFrames &- answeredFrames) + age * rateHz
    guard interruptNanoseconds != 0, age < Self.longestAgeSeconds,
      ahead < Double(bufferFrames) / 2
    else {
      return ClockObservation(
        deviceFrames: Double(deviceFrames), masterLateFrames: masterLateFrames)
    }
    let held = isInput ? interruptFrames &- movedFrames : movedFrames &- interruptFrames
    return ClockObservation(
      deviceFrames: Double(held), ageSeconds: age, masterLateFrames: masterLateFrames)
  }

  @_noLocks
  private func position(_ available: Int) -> Int {
    movedFrames &+ (isInput ? available : available &- bufferFrames)
  }
}
