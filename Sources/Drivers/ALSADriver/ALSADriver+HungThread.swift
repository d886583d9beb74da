// ALSADriver+HungThread.swift: continues without a device that blocks the audio thread.
// SPDX-License-Identifier: MIT

import AudioDriver
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

extension ALSADriver {
  /// Abandons an audio thread that hangs in a device call, and continues without that device on
  /// another thread. [main]
  func superviseThread(_ state: UnsafeMutablePointer<DriverState>) {
    hungCalls.removeAll { $0.release() }
    guard wasCutOff(state) else { return }
    do {
      try makeThread(state)
    } catch {
      failure = error
    }
  }

  /// Returns whether the audio thread was just abandoned in a call; its device is dropped then.
  /// [main]
  func wasCutOff(_ state: UnsafeMutablePointer<DriverState>) -> Bool {
    guard var watch = watch.take() else { return false }
    guard let handle = watch.cutOff(crealtime_nanoseconds()) else {
      self.watch = consume watch
      return false
    }
    // From here on only this thread accesses the state.
    abandonThread()
    if let device = streams, let side = device.side(with: handle),
      let index = primaryDevices.first(where: { slots[$0].direction == side.pcm.direction })
    {
      device.releaseStreams(allExcept: handle)
      startFreeRunning(state)
      markPrimaryLost(.noResponse(device: slots[index].request.device), of: index, state)
      streams = nil
      retryAt = timeAfterHungCall
      hungCalls.append(HungCall(watch, index, device))
    } else if let index = followers.firstIndex(where: { $0?.side.pcm.handle == handle }),
      let follower = followers[index]
    {
      quarantineFollower(index, state)
      hungCalls.append(HungCall(watch, index, follower))
    }
    return true
  }

  /// Returns a more exact error for a busy device that a hung call of this driver still holds. [main]
  func openError(_ error: ALSADriverError, _ index: Int) -> ALSADriverError {
    guard case .busy = error, hungCalls.contains(where: { $0.index == index }) else {
      return error
    }
    return .noResponse(device: slots[index].request.device)
  }

  /// The time of the next attempt to open a device whose call hung.
  ///
  /// The delay grows with each hung call, because each one costs a thread.
  private var timeAfterHungCall: UInt64 {
    let seconds = hungCalls.isEmpty ? 0 : UInt64(1) << UInt64(min(hungCalls.count, 9))
    return crealtime_nanoseconds() + seconds * 1_000_000_000
  }

  private func quarantineFollower(
    _ index: Int, _ state: UnsafeMutablePointer<DriverState>
  ) {
    state.pointee.followers[index].current = nil
    slots[index].recordFailure(.noResponse(device: slots[index].request.device))
    slots[index].pause(until: timeAfterHungCall)
    closeFollower(index)
    // The other devices stalled for as long. The primary devices are restarted.
    state.pointee.shouldRecover = state.pointee.duplex != nil
    guard slots[index].direction == .capture else { return }
    let inputs = state.pointee.callback.inputs
    state.pointee.inputGap.begin(after: inputs)
    for row in slots[index].firstChannel ..< slots[index].firstChannel + slots[index].channelCount {
      crealtime_zero(inputs[row], UInt32(state.pointee.blockFrames))
    }
  }
}
