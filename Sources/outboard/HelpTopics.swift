// HelpTopics.swift: `outboard help`: commands and documentation pages. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Installation
import PluginModel

/// Answers `outboard`, `outboard help` and `outboard help TOPIC`; help on a command is the argument parser's.
enum HelpTopics {
  static let word = "help"

  /// The commands for the first steps, for `outboard` without arguments.
  static let firstSteps = """
    Outboard hosts LV2 plugins and native modules, on audio devices or from file to file.

    FIRST STEPS:
      Check this system, and list its devices:
        outboard doctor
        outboard devices

      Play the microphone through a plugin. Use headphones; Ctrl-C stops:
        outboard run reverb mix=30

      Change a value from another terminal, and save the session as a rig:
        outboard set reverb mix=60
        outboard save mine.yaml

      Process a file:
        outboard render reverb mix=30 -i voice.wav -o wet.wav

      Find plugins, and show their parameters:
        outboard find "remove noise"
        outboard list delay
        outboard info outboard.delay

    `run` takes devices (--in, --out). `render` takes files (-i, -o).

    NEXT:
      outboard help quick-start    The first ten minutes, step by step.
      outboard help                All commands and guides.
      outboard help run            The options of a command, here `run`.
    """

  /// The answer to a command line; nil if it does not request first steps, a list or a guide.
  ///
  /// - Throws: `ValidationError` for an unknown command or guide.
  static func answer(to arguments: [String]) throws -> String? {
    if arguments.isEmpty { return firstSteps }
    guard arguments.first == word else { return nil }
    guard let name = arguments.dropFirst().first else {
      return Outboard.helpMessage() + "\n\n" + list
    }
    guard !name.hasPrefix("-"), arguments.count == 2 else { return nil }
    let subcommands = Outboard.configuration.subcommands
    let commands = subcommands.flatMap {
      [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases
    }
    // The help of a command has priority. Its guide needs the file name then.
    if let command = subcommands.first(where: {
      $0.configuration.commandName == name || $0.configuration.aliases.contains(name)
    }) {
      guard let guide = guide(to: name) else { return nil }
      return Outboard.helpMessage(for: command) + "\n\n" + guide
    }
    if let text = Guides.text(of: Guides.topic(named: name)) { return text }
    let topics = Guides.topics.map(\.name)
    guard !topics.isEmpty else {
      throw ValidationError(
        "No such command: \(name). The guides are not installed. Run `make install`."
      )
    }
    let wrong = "No such command or guide: \(name). "
    if let suggestion = nearest(to: name, among: commands + topics) {
      throw ValidationError(wrong + "Did you mean \(suggestion)?")
    }
    let pages = Guides.names(containing: name).prefix(5).joined(separator: ", ")
    throw ValidationError(
      wrong
        + (pages.isEmpty
          ? "Run `outboard help` to see both."
          : "Guides that contain this word: \(pages). Print one with `outboard help NAME`."))
  }

  /// Returns one line that names the guide of a command; nil if it has no guide.
  private static func guide(to command: String) -> String? {
    Guides.topics.contains { $0.name == command }
      ? "The guide: outboard help \(command).md" : nil
  }

  private static var list: String {
    let topics = Guides.topics.filter { $0.group != "internals" }
    guard !topics.isEmpty else {
      return "The guides are not installed. Run `make install`."
    }
    let width = topics.map(\.name.count).max() ?? 0
    let groups = [("GUIDES", ["", "guides"]), ("REFERENCE", ["reference"])].map { title, members in
      title + " (outboard help TOPIC; with .md where a command has the same name):\n"
        + topics.filter { members.contains($0.group) }.map { topic in
          "  \(topic.name)\(String(repeating: " ", count: width - topic.name.count))  \(topic.title)"
        }.joined(separator: "\n")
    }
    return groups.joined(separator: "\n\n")
  }
}
