// LiveSession+Transport.swift: the musical time of a session. SPDX-License-Identifier: MIT

package import MIDIClock
import PluginModel
import RenderGraph
import RigSchema

extension LiveSession {
  /// Musical time as clients see it.
  package struct TransportStatus: Sendable, Equatable {
    /// The tempo in beats per minute.
    package var beatsPerMinute: Double
    /// Whether the transport rolls.
    package var isRolling: Bool
    /// The clock that it follows; nil for none.
    package var clock: ClockStatus?
  }

  /// The present tempo and clock. [main]
  package var transportStatus: TransportStatus {
    let transport = graph.engine.transport
    return TransportStatus(
      beatsPerMinute: transport?.beatsPerMinute ?? rig.rig.transport.beatsPerMinute,
      isRolling: transport?.isRolling ?? false, clock: loop.clock?.status)
  }

  /// Changes the tempo, which `save` writes, from the next block on. [main]
  ///
  /// - Parameter beatsPerMinute: one of `TransportSettings.temposBPM`.
  package func setTempo(_ beatsPerMinute: Double) {
    graph.engine.transport?.setTempo(beatsPerMinute)
    active.requestedTempo = beatsPerMinute
  }

  /// Starts or stops the transport from the next block on. [main]
  package func setRolling(_ isRolling: Bool) { graph.engine.transport?.setRolling(isRolling) }

  /// Jumps to the beginning at the next block. [main]
  package func rewind() { graph.engine.transport?.locate(frame: 0) }
}
