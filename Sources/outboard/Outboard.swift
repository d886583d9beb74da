// Outboard.swift: the command line's root and how it ends. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import PluginModel

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
      RunCommand.self, RenderCommand.self, StatusCommand.self, SetCommand.self, LoadCommand.self,
      UndoCommand.self, RedoCommand.self, SceneCommand.self, SaveCommand.self, RecordCommand.self,
      PlayCommand.self, TopCommand.self, MetersCommand.self, BlackBoxCommand.self,
      AnalyseCommand.self,
      ListCommand.self, InfoCommand.self, PresetCommand.self, CheckCommand.self,
      BenchCommand.self, GraphCommand.self, DevicesCommand.self, DoctorCommand.self,
      LatencyCommand.self, FindPeriodCommand.self, NewCommand.self, InstallCommand.self,
      UninstallCommand.self,
      ExportCommand.self,
    ])

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    StandardStreams.open()
    // The program starts itself for work that may crash.
    HelperCommands.run(arguments)
    Terminal.keepOutput()
    do {
      arguments = ArgumentWords.fold(try ArgumentWords.read())
      try ArgumentWords.check(arguments)
      if let answer = try HelpTopics.answer(to: arguments) {
        Terminal.output.writeLine(answer)
        return try StandardStreams.checkOutput()
      }
      if let first = arguments.first { try checkSubcommand(first, with: arguments.dropFirst()) }
      var command = try parseAsRoot(arguments)
      try run(&command)
      try StandardStreams.checkOutput()
    } catch {
      let failure = Failure(error, parser: Self.self)
      failure.tell(
        asJSON: arguments.contains("--json"), inService: arguments.contains("--service"))
      Glibc.exit(failure.status == 0 ? lostAnswer(arguments) : failure.status)
    }
  }

  /// The status where help, or a result, may not have reached standard output.
  private static func lostAnswer(_ arguments: [String]) -> Int32 {
    do {
      try StandardStreams.checkOutput()
      return 0
    } catch {
      let failure = Failure(error, parser: Self.self)
      failure.tell(asJSON: false, inService: arguments.contains("--service"))
      return failure.status
    }
  }

  /// Does what was asked; where it turns out that it cannot be done so, how the command is called is no help.
  private static func run(_ command: inout any ParsableCommand) throws {
    do {
      try command.run()
    } catch let error as ValidationError {
      throw UsageError(error.message)
    }
  }

  /// Whoever names a plugin at once is told what to put before it.
  private static func checkSubcommand(_ word: String, with rest: ArraySlice<String>) throws {
    let names =
      configuration.subcommands.compactMap { $0.configuration.commandName }
      + [HelpTopics.word]
    guard !word.hasPrefix("-"), !names.contains(word) else { return }
    if let meant = nearest(to: word, among: names) {
      throw ValidationError("There is no subcommand \(word); did you mean \(meant)?")
    }
    let line = ([word] + rest).joined(separator: " ")
    throw ValidationError(
      "There is no subcommand \(word); a plugin is played with `outboard run \(line)`, and put to"
        + " a file with `outboard render \(line) -i IN.wav -o OUT.wav`.")
  }
}
