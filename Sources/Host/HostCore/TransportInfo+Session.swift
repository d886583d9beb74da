// TransportInfo+Session.swift: the tempo of a running session. SPDX-License-Identifier: MIT

import HostModel
import MIDIClock
import Session

extension TransportInfo {
  /// Describes the present tempo.
  init(_ status: LiveSession.TransportStatus) {
    let clock = status.clock.map { Clock(device: $0.device, state: $0.state.rawValue) }
    // The tempo of a clock changes all the time by less.
    let steps = clock == nil ? 1000.0 : 10
    self.init(
      tempo: (status.beatsPerMinute * steps).rounded() / steps, rolling: status.isRolling,
      clock: clock)
  }
}
