// TapCommand.swift: `outboard tap`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import HostModel

/// Sets the tempo of a session by taps.
struct TapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap",
    abstract: "Tap the tempo.",
    discussion: """
      outboard tap            # one tap, e.g. for a keyboard shortcut
      outboard tap --keys     # press Return on each beat, Ctrl-D to end

      The tempo is set from the second tap on. A pause of 2 s begins again. A MIDI pedal does the same: \
      outboard learn "tap tempo".
      """)

  @OptionGroup var choice: SessionOption
  @Flag(help: "Tap with the Return key.")
  var keys = false

  func run() throws {
    guard keys else { return try tap() }
    Terminal.error.writeLine("outboard: Press Return on each beat, Ctrl-D to end.")
    while readLine() != nil { try tap() }
  }

  private func tap() throws {
    let reply = try choice.send(.transport(.init(action: .tap)))
    for note in reply.notes { Terminal.error.writeLine("outboard: \(note)") }
    guard reply.notes.isEmpty, case .transport(let info)? = reply.result else { return }
    Terminal.output.writeLine(TransportText.line(info).printable)
  }
}
