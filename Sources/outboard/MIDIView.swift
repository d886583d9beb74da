// MIDIView.swift: what a person sees of MIDI while a rig runs. SPDX-License-Identifier: MIT

import Session

/// The lines at the start, and what stands in the live line.
struct MIDIView {
  private var lastCount = 0

  /// Who plays and who is played; nothing where the rig has to do with no MIDI.
  static func introduction(_ status: MIDIStatus?) -> [String] {
    guard let status else { return [] }
    return [("in ", status.sources), ("out", status.destinations)].compactMap { way, names in
      guard let names else { return nil }
      let others = names.isEmpty ? "not connected" : names.joined(separator: ", ")
      return "MIDI \(way)  \(others) (port Outboard:\(way == "out" ? "out" : "in"))"
    }
  }

  /// A mark that is filled while messages come or go, and how many were lost.
  mutating func figures(_ status: MIDIStatus?) -> [String] {
    guard let status else { return [] }
    let count = status.receivedCount + status.sentCount
    defer { lastCount = count }
    let mark = "midi \(count == lastCount ? "○" : "●")"
    return status.droppedCount == 0 ? [mark] : [mark, "midi dropped \(status.droppedCount)"]
  }
}
