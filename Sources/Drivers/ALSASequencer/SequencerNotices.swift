// SequencerNotices.swift: the notices of MIDI devices. SPDX-License-Identifier: MIT

import ErrorModel

extension HostNotice {
  /// A device of a direction, `input` or `output`, was connected.
  static func midiConnected(_ direction: String, _ device: String) -> HostNotice {
    HostNotice("midiConnected", "The MIDI {direction} {device} is connected.", direction, device)
  }

  /// A device of a direction, `input` or `output`, was disconnected.
  static func midiDisconnected(_ direction: String, _ device: String) -> HostNotice {
    HostNotice(
      "midiDisconnected", "The MIDI {direction} {device} is disconnected.", direction, device)
  }

  /// The sequencer cannot be read any more.
  static func midiFailed(_ reason: String) -> HostNotice {
    HostNotice("midiFailed", "The MIDI sequencer failed ({reason}); MIDI has stopped.", reason)
  }
}
