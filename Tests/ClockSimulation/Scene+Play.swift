// Scene+Play.swift: a playback device followed in virtual time. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CRealtime
import RealtimeKit

extension Scene {
  /// Plays for the given duration; the device's buffer contains `initialFrames` of silence at
  /// first.
  ///
  /// The recorded samples are indexed by the device's position. [any]
  package func play(seconds: Double) throws -> Outcome {
    var output = try AdaptiveOutput(request)
    let block = PlanarBuffer(channelCount: 1, frameCapacity: blockFrames)
    let fresh = PlanarBuffer(channelCount: 1, frameCapacity: deviceBufferFrames)
    var master = Master(self)
    var outcome = Outcome()
    outcome.latencyFrames = output.latencyFrames
    var written = clock.seenPosition(0) + initialFrames
    if records { outcome.sound = [Float](repeating: 0, count: written) }
    var rendered = 0
    while master.wait(atMost: seconds) {
      let seen = clock.seenPosition(master.now)
      let missing = missingFrames(master.now, written: written, &outcome)
      written += missing
      if missing > 0 || outcome.errorFrames.count == restartsAtPeriod { output.restart() }
      for index in 0 ..< blockFrames { block[0][index] = signal(rendered + index) }
      rendered += blockFrames
      crealtime_enter()
      output.observe(master.observation(deviceFrames: written - seen), blockFrames: blockFrames)
      crealtime_exit()
      let held = output.heldFrames + Double(written) - clock.position(master.due)
      outcome.note(output.status, error: held - Double(output.targetFrames))
      crealtime_enter()
      output.push(block.channels, frameCount: blockFrames)
      let room = max(0, deviceBufferFrames - (written - seen))
      let count = output.pull(fresh.channels, frameCount: room)
      crealtime_exit()
      written += count
      if records { outcome.sound += UnsafeBufferPointer(start: fresh[0], count: count) }
    }
    outcome.status = output.status
    return outcome
  }

  /// Returns the number of frames missing for playback: the device then stops, and is restarted at
  /// its position.
  private func missingFrames(_ now: Double, written: Int, _ outcome: inout Outcome) -> Int {
    let missing = max(0, Int(clock.position(now)) - written)
    if outcome.firstPeriod >= 0 { outcome.lostFrames += missing }
    if records { outcome.sound += [Float](repeating: 0, count: missing) }
    return missing
  }
}
