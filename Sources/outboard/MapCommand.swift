// MapCommand.swift: `outboard map`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import HostModel

/// Lists, adds or removes the MIDI mappings of a session.
struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "List, add or remove MIDI mappings.",
    discussion: """
      outboard map                                 # list the mappings
      outboard map --add "cc 21 -> reverb.mix 0..60 %"
      outboard map --remove reverb.mix             # or its number, control or line

      `outboard save` keeps the mappings in the rig, under `midi`.
      """)

  @OptionGroup var choice: SessionOption
  @Option(help: ArgumentHelp("Add a mapping, as in a rig.", valueName: "line"))
  var add: String?
  @Option(
    help: ArgumentHelp("Remove mappings by number, target, control or line.", valueName: "mapping"))
  var remove: String?
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if add != nil, remove != nil {
      throw ValidationError("--add and --remove cannot be combined. Remove one.")
    }
    if json, add != nil || remove != nil {
      throw ValidationError("--json works only with the list. Remove it.")
    }
  }

  func run() throws {
    if let add { return try choice.sendAndPrint(.map(.add(add))) }
    if let remove { return try choice.sendAndPrint(.map(.remove(remove))) }
    guard case .maps(let maps)? = try choice.send(.map(.list)).result else { return }
    if json { return JSONOutput.print(maps) }
    if maps.isEmpty {
      Terminal.error.writeLine(
        "outboard: The rig has no MIDI mappings. To add one, use `outboard learn NODE.PARAMETER` or `outboard map --add`."
      )
    }
    for line in Self.table(maps) { Terminal.output.writeLine(line) }
  }

  /// Returns the mappings in columns.
  static func table(_ maps: [MapInfo]) -> [String] {
    let width = maps.map(\.control.count).max() ?? 0
    let numberWidth = maps.map { "\($0.number)".count }.max() ?? 0
    return maps.map { map in
      let number = String(repeating: " ", count: numberWidth - "\(map.number)".count)
      let gap = String(repeating: " ", count: width - map.control.count)
      let options = map.options.isEmpty ? "" : "  \(map.options)"
      return "\(number)\(map.number)  \(map.control)\(gap)  -> \(map.target)\(options)"
    }
  }
}
