// Engine+Clock.swift: external clocks of an engine. SPDX-License-Identifier: MIT

package import PluginModel
package import RealtimeKit

extension Engine {
  /// Lets the transport follow an external clock, or none.
  ///
  /// A message of the clock takes effect as late as other MIDI messages: one block of the maximum length after its arrival.
  /// [main, not rendering]
  package func follow(_ clock: PublishedClock?) {
    transport?.follow(clock, delayFrames: settings.maximumFrameCount)
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
