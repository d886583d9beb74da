// ClockNotices.swift: the notices of external clocks. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// The clock of a port is known.
  static func clockFollowed(_ device: String) -> HostNotice {
    HostNotice("clockFollowed", "The tempo follows the MIDI clock of {device}.", device)
  }

  /// No clock arrives any more; the tempo is in quarter notes per minute.
  static func clockLost(_ device: String, tempo: Double) -> HostNotice {
    HostNotice(
      "clockLost",
      "The MIDI clock of {device} is lost. The tempo stays at {tempo} quarter notes per minute.",
      device, "\(tempo)")
  }

  /// Another program has joined the session of Ableton Link.
  static var linkJoined: HostNotice {
    HostNotice("linkJoined", "The tempo is shared by Ableton Link.")
  }

  /// A line of outboard-link is not a report.
  static var linkLineInvalid: HostNotice {
    HostNotice(
      "linkLineInvalid",
      "outboard-link sent an invalid line, which was ignored. Install the version that belongs to this program."
    )
  }
}
