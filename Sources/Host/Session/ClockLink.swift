// ClockLink.swift: protocol for external clocks of a session. SPDX-License-Identifier: MIT

package import ErrorModel
package import MIDIClock
package import RenderGraph

/// A change of tempo or transport that a user requests.
package enum ClockChange: Sendable, Equatable {
  /// A tempo in beats per minute.
  case tempo(Double)
  /// A start at the beginning, a stop, or a return to the beginning.
  case start, stop, rewind
}

/// Connects the transport of an engine to the clocks of devices.
///
/// The link is created open. Devices that are missing are connected when they appear.
package protocol ClockLink: AnyObject {
  /// Lets an engine follow the clock, and sends its clock. [main, not rendering]
  ///
  /// The engine must live until `stop` or until another `start` replaces it.
  func start(_ engine: Engine) throws
  /// Ends both; has no effect if it is not started. [main]
  func stop()
  /// The clock that the transport follows; nil if it follows none. [any]
  var status: ClockStatus? { get }
  /// Returns the notices about the clock and devices since the last call; called several times a second. [main]
  func takeNotices() -> [HostNotice]
  /// Changes a clock that is shared with others; returns false if there is none. [main]
  func request(_ change: ClockChange) -> Bool
}

extension ClockLink {
  /// A MIDI clock cannot be changed from here.
  package func request(_ change: ClockChange) -> Bool { false }
}
