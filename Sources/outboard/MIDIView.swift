// MIDIView.swift: the MIDI status of a session on the terminal. SPDX-License-Identifier: MIT

import Session

/// The MIDI lines at the start and in the status line.
struct MIDIView {
  private var lastCount = 0

  /// Returns the connected devices; nothing if the rig has no MIDI.
  static func introduction(_ status: MIDIStatus?) -> [String] {
    guard let status else { return [] }
    return [("in ", status.sources), ("out", status.destinations)].compactMap { direction, names in
      guard let names else { return nil }
      let others = names.isEmpty ? "not connected" : names.joined(separator: ", ")
      return "MIDI \(direction)  \(others) (port Outboard:\(direction == "out" ? "out" : "in"))"
    }
  }

  /// Returns a mark that is filled while messages arrive or leave, and the number of dropped messages.
  mutating func values(_ status: MIDIStatus?) -> [String] {
    guard let status else { return [] }
    let count = status.receivedCount + status.sentCount
    defer { lastCount = count }
    let mark = "midi \(count == lastCount ? "○" : "●")"
    return status.droppedCount == 0 ? [mark] : [mark, "midi dropped \(status.droppedCount)"]
  }
}
