// ALSADriver+Fallback.swift: what runs is let go for what was wanted, once that is there. SPDX-License-Identifier: MIT

import AudioDriver
import CRealtime
import Synchronization

extension ALSADriver {
  /// Requests the audio thread to release the primary devices when a better device is available.
  ///
  /// That is the device itself instead of its fallback, or the device that its name means now.
  /// [main]
  func lookForBetterLeaders(_ state: UnsafeMutablePointer<DriverState>, _ now: UInt64) {
    for index in leaders where slots[index].findBetter(now) {
      state.pointee.isToLetGo.store(true, ordering: .relaxed)
    }
  }

  /// The same for a device that follows. [main]
  func lookForBetterFollower(
    _ index: Int, _ state: UnsafeMutablePointer<DriverState>, _ now: UInt64
  ) {
    guard slots[index].findBetter(now) else { return }
    state.pointee.followers[index].isToLetGo.store(true, ordering: .relaxed)
  }

  /// Closes a device that follows and was let go, for what is opened next. [main]
  func makeWay(_ index: Int) {
    slots[index].rest(until: 0)
    // That was the rate of another device.
    slots[index].paceHz = nil
    closeFollower(index)
  }
}

extension DeviceSlot {
  /// How often is looked, in nanoseconds.
  private static let lookInterval: UInt64 = 1_000_000_000

  /// Looks for what is better than what runs, and opens it; whether it is there now. [main]
  ///
  /// It is opened before anything is let go of, so that a device that is busy costs no gap.
  mutating func findBetter(_ now: UInt64) -> Bool {
    guard !request.keepsWhatRuns, better == nil, now >= nextLook else { return false }
    nextLook = now + Self.lookInterval
    let hasChanged = status.fallbackName == nil && meansAnother
    guard hasChanged || (status.fallbackName != nil && now >= shunnedUntil) else { return false }
    better = try? openItself()
    return better != nil
  }

  /// Whether its name leads elsewhere than when it was opened.
  private var meansAnother: Bool {
    guard let meaning, let now = ConfiguredPCM.text(of: request.device) else { return false }
    return now != meaning
  }
}
