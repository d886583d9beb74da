// ALSADriver+Recovery.swift: fallback devices and restarts of followers. SPDX-License-Identifier: MIT

import AudioDriver
import CRealtime
import Synchronization

extension ALSADriver {
  /// Requests the audio thread to release the primary devices when a better device is available.
  ///
  /// That is the device itself instead of its fallback, or the device that its name means now.
  /// [main]
  func findBetterPrimary(_ state: UnsafeMutablePointer<DriverState>, _ now: UInt64) {
    for index in primaryDevices where slots[index].openPreferredDevice(now) {
      state.pointee.shouldRelease.store(true, ordering: .relaxed)
    }
  }

  /// Requests the audio thread to release a follower device when a better device is available.
  /// [main]
  func findBetterFollower(
    _ index: Int, _ state: UnsafeMutablePointer<DriverState>, _ now: UInt64
  ) {
    guard slots[index].openPreferredDevice(now) else { return }
    state.pointee.followers[index].shouldRelease.store(true, ordering: .relaxed)
  }

  /// Closes a follower device that was released, before another one is opened. [main]
  func closeReleasedFollower(_ index: Int) {
    slots[index].pause(until: 0)
    // The measured rate belongs to the previous device.
    slots[index].measuredHz = nil
    closeFollower(index)
  }
}

extension DeviceSlot {
  /// The interval of the lookup, in nanoseconds.
  private static let pollIntervalNanoseconds: UInt64 = 1_000_000_000

  /// Looks for a device that is better than the active one, and opens it.
  ///
  /// Returns whether it is open now. [main]
  ///
  /// It is opened before the active one is released, so that a busy device causes no gap.
  mutating func openPreferredDevice(_ now: UInt64) -> Bool {
    guard !request.keepsWhatRuns, better == nil, now >= nextPoll else { return false }
    nextPoll = now + Self.pollIntervalNanoseconds
    let hasChanged = status.fallbackName == nil && resolvesToDifferentPCM
    guard hasChanged || (status.fallbackName != nil && now >= preferFallbackUntil) else {
      return false
    }
    better = try? openRequestedDevice()
    return better != nil
  }

  /// Whether its name resolves to another device than when it was opened.
  private var resolvesToDifferentPCM: Bool {
    guard let meaning, let now = ConfiguredPCM.text(of: request.device) else { return false }
    return now != meaning
  }
}

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
        slots[index].measuredHz = follower.measuredHz
        if follower.measuredHz == nil { slots[index].pause(until: now + 10_000_000_000) }
      case .driftTooLarge: slots[index].pause(until: now + 60_000_000_000)
      default: break
      }
      // A pulled card gives no information about its rate.
      if error.isAboutPresence { slots[index].measuredHz = nil }
      closeFollower(index)
    }
  }

  /// Closes a follower device, and adds its counts to the past. [main]
  func closeFollower(_ index: Int) {
    slots[index].previousResyncCount = slots[index].status.resyncCount
    followers[index] = nil
  }
}
