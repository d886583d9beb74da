// Scene+Capture.swift: a capture device followed in virtual time. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import RealtimeKit

extension Scene {
  /// Captures for the given duration. [any]
  package func capture(seconds: Double) throws -> Outcome {
    var input = try AdaptiveInput(request)
    let fresh = PlanarBuffer(channelCount: 1, frameCapacity: deviceBufferFrames)
    let block = PlanarBuffer(channelCount: 1, frameCapacity: blockFrames)
    var master = Master(self)
    var outcome = Outcome()
    outcome.latencyFrames = input.latencyFrames
    var taken = clock.seenPosition(0) - initialFrames
    while master.wait(atMost: seconds) {
      let seen = clock.seenPosition(master.now)
      if seen - taken > deviceBufferFrames {
        outcome.lostFrames += seen - taken - deviceBufferFrames
        taken = seen - deviceBufferFrames
      }
      for index in 0 ..< seen - taken { fresh[0][index] = signal(taken + index) }
      crealtime_enter()
      input.push(fresh.channels, frameCount: seen - taken)
      input.observe(master.observation(deviceFrames: 0), blockFrames: blockFrames)
      crealtime_exit()
      taken = seen
      let held = input.heldFrames + clock.position(master.due) - Double(seen)
      outcome.note(input.status, error: held - Double(input.targetFrames))
      if outcome.errorFrames.count == restartsAtPeriod { input.restart() }
      crealtime_enter()
      input.pull(block.channels, frameCount: blockFrames)
      crealtime_exit()
      if records { outcome.sound += UnsafeBufferPointer(start: block[0], count: blockFrames) }
    }
    outcome.status = input.status
    return outcome
  }
}
