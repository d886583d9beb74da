// CallWatchdog.swift: notices that the audio thread does not come back from a device's call.
// SPDX-License-Identifier: MIT

import CRealtime

/// The main thread's view of the calls that the audio thread makes.
///
/// The library of a sound server that was killed may wait for ever. The thread is then cut off:
/// should the call come back after all, nothing behind it is run. So all that the thread had in hand
/// belongs to the main thread from then on, but for what the call itself has hold of.
struct CallWatchdog: ~Copyable {
  /// No card takes as long over a call, and whoever listens has noticed.
  static let patienceSeconds = 2
  /// The most that is counted between two looks: the process itself may have stood still.
  private static let longestLook: UInt64 = 100_000_000

  /// What the thread is given at its start.
  let handle: OpaquePointer
  private var call: UInt64 = 0
  private var waited: UInt64 = 0
  private var lastLook: UInt64 = 0

  /// A watch for one thread. [main]
  init() { handle = crealtime_watch_create() }

  /// Abandons the thread if frequent samples show it in one call for too long.
  ///
  /// [main]
  ///
  /// - Returns: the handle of the device of the call, or nil if the thread continues.
  mutating func cutOff(_ now: UInt64) -> OpaquePointer? {
    var subject: UnsafeRawPointer?
    let call = crealtime_watch_call(handle, &subject)
    defer { lastLook = now }
    guard call != 0, call == self.call else {
      (self.call, waited) = (call, 0)
      return nil
    }
    waited += min(now &- lastLook, Self.longestLook)
    guard waited >= UInt64(Self.patienceSeconds) * 1_000_000_000, let subject,
      crealtime_watch_cut_off(handle, call)
    else { return nil }
    return OpaquePointer(subject)
  }

  /// Frees it, after the thread has ended. [main]
  consuming func free() { crealtime_watch_free(handle) }
}

/// What a call that did not come back has hold of: kept until it does, for ever where it does not. [main]
struct HungCall {
  /// Which of the devices it is for.
  let index: Int
  private let watch: OpaquePointer
  private let owner: Unmanaged<AnyObject>

  /// Takes over the watch of a thread that was cut off, and keeps the owner of the device.
  init(_ watch: consuming CallWatchdog, _ index: Int, _ owner: AnyObject) {
    self.index = index
    self.watch = watch.handle
    self.owner = .passRetained(owner)
  }

  /// Lets go of all of it if the call is over; whether it is.
  func release() -> Bool {
    guard crealtime_watch_is_over(watch) else { return false }
    owner.release()
    // The watchdog is kept because its thread stays in the call permanently.
    return true
  }
}
