// TransportText.swift: tempo and clock as text. SPDX-License-Identifier: MIT

import Console
import HostModel

/// Formats the tempo of a session.
enum TransportText {
  /// Returns a line such as `120 BPM, rolling, MIDI clock of Digitakt locked`.
  static func line(_ transport: TransportInfo) -> String {
    let state = transport.rolling ? "rolling" : "stopped"
    let clock = transport.clock.map { ", " + text($0) } ?? ""
    return "\(NumberFormat.short(transport.tempo)) BPM, \(state)\(clock)"
  }

  private static func text(_ clock: TransportInfo.Clock) -> String {
    guard let peers = clock.peers else { return "MIDI clock of \(clock.device) \(clock.state)" }
    return "Ableton Link \(clock.state), \(peers) \(peers == 1 ? "peer" : "peers")"
  }
}
