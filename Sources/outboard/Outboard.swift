// Outboard.swift: the command line's root and how it ends. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Foundation

/// The program.
@main
struct Outboard: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outboard",
    abstract:
      "A plugin host: LV2 plugins and plain process() functions on your sound card or files.",
    discussion: """
      Plugins are named by URI, id, any unambiguous part of their name, or the path of a library.

      Exit status: 0 done, 1 the work failed, 2 the request was wrong, 3 the device is missing or \
      refused.
      """,
    version: "outboard \(Version.text)",
    subcommands: [
      RunCommand.self, RenderCommand.self, RunsCommand.self, SetCommand.self, SaveCommand.self,
      ListCommand.self, InfoCommand.self, PresetCommand.self, CheckCommand.self,
      BenchCommand.self, GraphCommand.self, DevicesCommand.self, DoctorCommand.self,
      LatencyCommand.self, TuneCommand.self,
    ])

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    StandardStreams.open()
    // The program starts itself for work that may crash.
    ChildWork.run(arguments)
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      try StandardStreams.checkOutput()
    } catch {
      let failure = Failure(error, parser: Self.self)
      failure.tell(
        asJSON: arguments.contains("--json"), inService: arguments.contains("--service"))
      Foundation.exit(failure.status)
    }
  }
}
