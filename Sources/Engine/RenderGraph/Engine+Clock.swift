// Engine+Clock.swift: external clocks of an engine. SPDX-License-Identifier: MIT

package import PluginModel
package import RealtimeKit
import Synchronization

extension Engine {
  /// Lets the transport follow an external clock, or none.
  ///
  /// A message of a MIDI clock takes effect as late as other MIDI messages: one block of the maximum length after its
  /// arrival. [main, not rendering]
  ///
  /// - Parameters:
  ///   - clock: the clock, or nil.
  ///   - whenAudible: whether a beat is audible at its time, after the delay of `setMIDIOutputDelay`.
  package func follow(_ clock: PublishedClock?, whenAudible: Bool = false) {
    let delay = events.pointee.outputDelayFrames.load(ordering: .relaxed)
    transport?.follow(clock, delayFrames: whenAudible ? -delay : settings.maximumFrameCount)
    self.clock = clock
  }

  /// Sends a MIDI clock of the transport, for one reading thread.
  ///
  /// Each message is complete and has the CLOCK_MONOTONIC time in ns at which it must be sent: when its frame is audible.
  /// [main, not rendering]
  ///
  /// - Returns: a ring that lives as long as the engine.
  package func sendClock() -> UnsafePointer<MessageRing> {
    let output = clockOutput ?? .allocate(capacity: 1)
    if clockOutput == nil { output.initialize(to: ClockOutput()) }
    clockOutput = output
    pointer.pointee.clockOutput = output
    return UnsafePointer(output.pointee.ring)
  }
}
