// TransportText.swift: tempo and clock as text. SPDX-License-Identifier: MIT

import Console
import HostModel

/// Formats the tempo of a session.
enum TransportText {
  /// Returns a line such as `120 BPM, rolling, MIDI clock of Digitakt locked`.
  static func line(_ transport: TransportInfo) -> String {
    let clock = transport.clock.map { ", MIDI clock of \($0.device) \($0.state)" } ?? ""
    let state = transport.rolling ? "rolling" : "stopped"
    return "\(NumberFormat.short(transport.tempo)) BPM, \(state)\(clock)"
  }
}
