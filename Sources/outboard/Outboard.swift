// Outboard.swift: the root command and the exit status. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import PluginModel
import Processes

/// The program.
@main
struct Outboard: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outboard",
    abstract:
      "Host LV2 plugins and native modules on Linux.",
    discussion: """
      Name a plugin by URI, id, any unambiguous part of its name, or the path of its library.

      Run `outboard` without arguments for first steps, `outboard help` for a list of guides.

      Exit status: 0 success, 1 failure, 2 usage error, 3 device error, 4 no session.
      """,
    version: "outboard \(Version.text)",
    groupedSubcommands: CommandGroups.all)

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    StandardStreams.open()
    FileLimit.raise()
    // Helper processes run this program with a hidden command.
    HelperCommands.run(arguments)
    Terminal.redirectStandardOutput()
    do {
      arguments = ArgumentWords.fold(
        ArgumentWords.completingAddresses(ArgumentWords.joiningNegatives(try ArgumentWords.read())))
      try ArgumentWords.check(arguments)
      if let answer = try HelpTopics.answer(to: arguments) {
        Terminal.output.writeLine(answer)
        return try StandardStreams.checkOutput()
      }
      if let first = arguments.first { try checkSubcommand(first, with: arguments.dropFirst()) }
      var command = try parseAsRoot(arguments)
      try run(&command)
      try StandardStreams.checkOutput()
      // Waits for the report of a plugin fault on another thread.
      Glibc.exit(0)
    } catch {
      let failure = Failure(error, parser: Self.self)
      // JSON would be audio to the reader of standard output.
      let carriesAudio = zip(arguments, arguments.dropFirst()).contains {
        $1 == "-" && ["--out", "--output", "-o"].contains($0)
      }
      failure.report(
        asJSON: arguments.contains("--json") && !carriesAudio,
        inService: arguments.contains("--service"))
      let lost = failure.isSilent ? lostAnswer(arguments) : 0
      Glibc.exit(failure.status == 0 ? lost : failure.status)
    }
  }

  /// Returns the exit status if help or a result could not be written to standard output.
  private static func lostAnswer(_ arguments: [String]) -> Int32 {
    do {
      try StandardStreams.checkOutput()
      return 0
    } catch {
      let failure = Failure(error, parser: Self.self)
      failure.report(asJSON: false, inService: arguments.contains("--service"))
      return failure.status
    }
  }

  /// Runs a command.
  ///
  /// If it fails, no usage text is printed.
  private static func run(_ command: inout any ParsableCommand) throws {
    do {
      try command.run()
    } catch let error as ValidationError {
      throw UsageError(error.message)
    }
  }

  /// Commands of versions before 0.1, with the commands that replace them.
  private static let renamedCommands = [
    "runs": "status", "tune": "find-period", "add": "install", "remove": "uninstall",
  ]

  /// Suggests a command if the first word is not one, and `run` or `render` if it may be a plugin.
  private static func checkSubcommand(_ word: String, with rest: ArraySlice<String>) throws {
    let names =
      configuration.subcommands.flatMap {
        [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases
      } + [HelpTopics.word]
    guard !word.hasPrefix("-"), !names.contains(word) else { return }
    if ["stop", "quit", "exit", "kill"].contains(word) {
      throw ValidationError(
        "No such command: \(word). Press Ctrl-C in the terminal of the session, or run `kill PROCESS` with the"
          + " number that `outboard status` prints.")
    }
    if let suggestion = renamedCommands[word] ?? nearest(to: word, among: names) {
      throw ValidationError("No such command: \(word). Did you mean \(suggestion)?")
    }
    let line = ([word] + rest).joined(separator: " ")
    throw ValidationError(
      "No such command: \(word). To run a plugin, use `outboard run \(line)`; to render a file,"
        + " use `outboard render \(line) -i IN.wav -o OUT.wav`.")
  }
}
