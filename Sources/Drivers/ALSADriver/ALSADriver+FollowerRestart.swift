// ALSADriver+FollowerRestart.swift: restarts follower devices after a fault.
// SPDX-License-Identifier: MIT

import AudioDriver
import Synchronization

extension ALSADriver {
  /// Prepares a device and passes it to the audio thread again, or closes it. [main]
  func repairFollower(_ index: Int, _ state: UnsafeMutablePointer<DriverState>, _ now: UInt64) {
    guard let follower = followers[index] else { return }
    switch follower.repair(now) {
    case .ready(let repaired):
      // Pairs with the acquiring exchange of the audio thread.
      state.pointee.followers[index].arriving.store(repaired, ordering: .releasing)
    case .pending: break
    case .failed:
      let error = follower.departure
      slots[index].recordFailure(error)
      // Another attempt would play at a wrong pitch or with gaps again.
      switch error {
      case .rateMismatch:
        slots[index].paceHz = follower.paceHz
        if follower.paceHz == nil { slots[index].pause(until: now + 10_000_000_000) }
      case .driftTooLarge: slots[index].pause(until: now + 60_000_000_000)
      default: break
      }
      // A pulled card gives no information about its rate.
      if error.isAboutPresence { slots[index].paceHz = nil }
      closeFollower(index)
    }
  }

  /// Closes a follower device, and adds its counts to the past. [main]
  func closeFollower(_ index: Int) {
    slots[index].previousResyncCount = slots[index].status.resyncCount
    followers[index] = nil
  }
}
