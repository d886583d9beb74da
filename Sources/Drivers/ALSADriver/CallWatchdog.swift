// CallWatchdog.swift: detects that the audio thread hangs in a device call.
// SPDX-License-Identifier: MIT

import CRealtime

/// The main thread's view of the calls that the audio thread makes.
///
/// The library of a sound server that was killed may wait for ever. The thread is then abandoned:
/// even if the call returns, the thread does not continue. All its data belongs to the main thread
/// from then on, except data that the call itself uses.
struct CallWatchdog: ~Copyable {
  /// The time limit of a call, in seconds, which cards never reach.
  static let timeoutSeconds = 2
  /// The longest time that counts between two polls, in nanoseconds: the process itself may have
  /// been stopped.
  private static let maximumPollNanoseconds: UInt64 = 100_000_000

  /// The watchdog that the thread receives at its start.
  let handle: OpaquePointer
  private var call: UInt64 = 0
  private var waited: UInt64 = 0
  private var lastPoll: UInt64 = 0

  /// Creates a watchdog for one thread. [main]
  init() { handle = crealtime_watch_create() }

  /// Abandons the thread if frequent samples show it in one call for too long.
  ///
  /// [main]
  ///
  /// - Returns: the handle of the device of the call, or nil if the thread continues.
  mutating func cutOff(_ now: UInt64) -> OpaquePointer? {
    var subject: UnsafeRawPointer?
    let call = crealtime_watch_call(handle, &subject)
    defer { lastPoll = now }
    guard call != 0, call == self.call else {
      (self.call, waited) = (call, 0)
      return nil
    }
    waited += min(now &- lastPoll, Self.maximumPollNanoseconds)
    guard waited >= UInt64(Self.timeoutSeconds) * 1_000_000_000, let subject,
      crealtime_watch_cut_off(handle, call)
    else { return nil }
    return OpaquePointer(subject)
  }

  /// Frees the watchdog after the thread has ended. [main]
  consuming func free() { crealtime_watch_free(handle) }
}

/// The data of a hung call, which is kept until the call returns, if it does. [main]
struct HungCall {
  /// The index of its device.
  let index: Int
  private let watch: OpaquePointer
  private let owner: Unmanaged<AnyObject>

  /// Takes the watchdog of an abandoned thread, and retains the owner of the device.
  init(_ watch: consuming CallWatchdog, _ index: Int, _ owner: AnyObject) {
    self.index = index
    self.watch = watch.handle
    self.owner = .passRetained(owner)
  }

  /// Releases all data if the call has returned.
  ///
  /// Returns whether it has.
  func release() -> Bool {
    guard crealtime_watch_is_over(watch) else { return false }
    owner.release()
    // The watchdog is kept because its thread stays in the call permanently.
    return true
  }
}
