// HelpTopics.swift: `outboard help`: commands and documentation pages. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import PluginModel
import Rig

/// Answers `outboard help` and `outboard help TOPIC`.
///
/// The argument parser prints the help of commands.
enum HelpTopics {
  static let word = "help"

  /// Returns the answer to a command line; nil if it does not ask for a guide.
  ///
  /// - Throws: `ValidationError` for an unknown command or guide.
  static func answer(to arguments: [String]) throws -> String? {
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
    let meant = nearest(to: name, among: commands + topics).map { "; did you mean \($0)?" }
    throw ValidationError(
      "No such command or guide: \(name)" + (meant ?? ". Run `outboard help` to see both."))
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
