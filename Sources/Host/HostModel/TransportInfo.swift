// TransportInfo.swift: musical time as clients see it. SPDX-License-Identifier: MIT

/// The tempo of a session.
package struct TransportInfo: Codable, Sendable, Equatable {
  /// An external clock.
  package struct Clock: Codable, Sendable, Equatable {
    /// The MIDI device, as it was requested.
    package var device: String
    /// `waiting`, `locking`, `locked` or `lost`.
    package var state: String

    /// A clock by its values.
    package init(device: String, state: String) { (self.device, self.state) = (device, state) }
  }

  /// Beats per minute; rounded to 0.1 while a clock is followed.
  package var tempo: Double
  /// Whether time advances.
  package var rolling: Bool
  /// The clock that sets the tempo; nil for none.
  package var clock: Clock?

  /// A tempo by its values.
  package init(tempo: Double, rolling: Bool, clock: Clock? = nil) {
    (self.tempo, self.rolling, self.clock) = (tempo, rolling, clock)
  }
}
