// TransportInfo+Session.swift: the tempo of a running session. SPDX-License-Identifier: MIT

import HostModel
import MIDIClock
import Session

extension TransportInfo {
  /// Describes the present tempo.
  init(_ status: LiveSession.TransportStatus) {
    let clock = status.clock.map {
      Clock(device: $0.device, state: $0.state.rawValue, peers: $0.peers)
    }
    // The tempo of a MIDI clock changes all the time by less. Link sends whole microseconds for each beat.
    let steps = clock == nil ? 1000.0 : clock?.peers == nil ? 10 : 100
    self.init(
      tempo: (status.beatsPerMinute * steps).rounded() / steps, rolling: status.isRolling,
      clock: clock)
  }
}
