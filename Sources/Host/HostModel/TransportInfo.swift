// TransportInfo.swift: musical time as clients see it. SPDX-License-Identifier: MIT

/// The tempo of a session.
package struct TransportInfo: Codable, Sendable, Equatable {
  /// An external clock.
  package struct Clock: Codable, Sendable, Equatable {
    /// The MIDI device, as it was requested, or `link`.
    package var device: String
    /// `waiting`, `locking`, `locked` or `lost`.
    package var state: String
    /// The number of other programs that share the tempo by Ableton Link; nil for a MIDI clock.
    package var peers: Int?

    /// A clock by its values.
    package init(device: String, state: String, peers: Int? = nil) {
      (self.device, self.state, self.peers) = (device, state, peers)
    }
  }

  /// Beats per minute; rounded to 0.1 while a MIDI clock is followed.
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
