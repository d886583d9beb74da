// TransportCommand.swift: `outboard transport`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import HostModel

/// Shows or changes the tempo and the transport of a session.
struct TransportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transport",
    abstract: "Show or change tempo and transport.",
    discussion: """
      outboard transport                  # show tempo, transport and clock
      outboard transport --tempo 124
      outboard transport stop             # start, stop, rewind

      While the session follows a MIDI clock, the clock sets all of them. Ableton Link shares each change.
      `outboard tap` sets the tempo by taps.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("start, stop or rewind.", valueName: "action"))
  var action: String?
  @Option(help: ArgumentHelp("Tempo in beats per minute.", valueName: "bpm"))
  var tempo: Double?
  @Flag(help: "Print JSON.")
  var json = false

  private static let actions = ["start", "stop", "rewind"]

  func validate() throws {
    if let action, !Self.actions.contains(action) {
      throw ValidationError(
        "\(action) is not an action. Use \(Self.actions.joined(separator: ", ")).")
    }
    try TransportArguments.check(tempo)
  }

  func run() throws {
    let change = Command.Transport(tempo: tempo, action: action.flatMap { .init(rawValue: $0) })
    let reply = try choice.send(.transport(change))
    for note in reply.notes { Terminal.error.writeLine("outboard: \(note)") }
    guard case .transport(let info)? = reply.result else { return }
    if json { return JSONOutput.print(info) }
    Terminal.output.writeLine(TransportText.line(info).printable)
  }
}
