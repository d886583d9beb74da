// ImportedControl.swift: MIDI controls of other hosts. SPDX-License-Identifier: MIT

import RigSchema

extension ControlSource {
  /// The number that Carla and mod-host use for the pitch bend wheel.
  private static let pitchBendNumber = 131

  /// Creates the control with a number of Carla or mod-host; nil if it is not a MIDI control.
  init?(number text: String, channel: Int) {
    guard let number = Int(text), 1 ... 16 ~= channel else { return nil }
    switch number {
    case 0 ... 127: self.init(.controller(number), channel: channel)
    case Self.pitchBendNumber: self.init(.pitchBend, channel: channel)
    default: return nil
    }
  }
}
