// LearnCommand.swift: `outboard learn`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import HostModel

/// Maps the next MIDI control that is moved.
struct LearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn",
    abstract: "Map a MIDI control to a parameter or action.",
    discussion: """
      outboard learn reverb.mix                    # then move the knob
      outboard learn reverb.mix --range "0..60 %" --options pickup
      outboard learn reverb.bypass --options toggle
      outboard learn "next scene"                  # then press the pedal

      The mapping works at once. `outboard save` keeps it, `outboard undo` removes it.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp("Parameter, as in reverb.mix, or action.", valueName: "target"))
  var target: String?
  // A range may begin with a minus sign.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Range in the parameter's unit, e.g. \"0..60 %\".", valueName: "range"))
  var range: String?
  @Option(help: ArgumentHelp("MIDI device; default: any hardware device.", valueName: "device"))
  var device: String?
  @Option(
    help: ArgumentHelp("Words for the mapping, e.g. \"pickup feedback\".", valueName: "words"))
  var options: String?
  @Flag(help: "Cancel a `learn` that waits for a control.")
  var cancel = false

  func validate() throws {
    if cancel {
      guard target == nil, range == nil, device == nil, options == nil else {
        throw ValidationError("--cancel cannot be combined with other arguments. Remove them.")
      }
    } else if target?.isEmpty ?? true {
      throw ValidationError(
        "What should the control change? Write e.g. `outboard learn reverb.mix`.")
    }
  }

  func run() throws {
    let command = Command.learn(
      .init(target: target, range: range, device: device, options: options))
    guard let target else { return try choice.sendAndPrint(command) }
    let reply = try choice.send(command) {
      Terminal.error.writeLine("outboard: Move the control for \(target) within 30 s.")
    }
    choice.printNotes(reply)
  }
}
