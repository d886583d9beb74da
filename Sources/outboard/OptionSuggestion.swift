// OptionSuggestion.swift: suggestions for unknown options. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioFiles
import FoundationEssentials
import Manifests
import PluginModel

/// Suggests an option in place of an unknown one.
///
/// The argument parser compares letters only, and too loosely.
enum OptionSuggestion {
  /// Names from versions before 0.1 and from other programs, with the options that they may stand for.
  private static let synonyms: [String: [String]] = [
    "--seconds": ["--duration", "--interval"], "--length": ["--duration"],
    "--time": ["--duration", "--over"], "--for": ["--duration"], "-d": ["--duration", "-o"],
    "--block": ["--block-length", "--block-lengths"], "--blocks": ["--block-length"],
    "--frames": ["--block-lengths", "--block-length", "--period"],
    "--buffer": ["--period", "--block-length"], "--buffer-size": ["--period", "--block-length"],
    "--block-size": ["--block-length", "--block-lengths", "--period"],
    "--nperiods": ["--periods"], "--buffers": ["--periods"], "-n": ["--periods", "--count"],
    "--sample-rate": ["--rate"], "--samplerate": ["--rate"], "--hz": ["--rate"], "-r": ["--rate"],
    "--bits": ["--format"], "--bit-depth": ["--format"], "--encoding": ["--format"],
    "-f": ["--format"],
    "--type": ["--container", "--kind"], "-t": ["--container"],
    "--meter": ["--time-signature"], "--signature": ["--time-signature"], "--bpm": ["--tempo"],
    "--in": ["--input", "--inputs"], "--out": ["--output", "--outputs"], "-i": ["--in"],
    "-o": ["--out"],
    "--input": ["--in", "--inputs"], "--output": ["--out", "--outputs"],
    "--infile": ["--input"], "--outfile": ["--output"],
    "--device": ["--out"], "-D": ["--out"], "--playback": ["--out"], "-P": ["--out"],
    "--capture": ["--in"], "-C": ["--in"],
    "--run": ["--session"], "--name": ["--session"], "--to": ["--session"],
    "--skip-trial": ["--skip-preflight"], "--no-trial": ["--skip-preflight"],
    "--no-check": ["--skip-preflight"],
    "--no-howl-guard": ["--no-feedback-suppression"],
    "--no-feedback": ["--no-feedback-suppression"],
    "--no-deadline-watch": ["--no-overload-protection"],
    "--no-offset-guard": ["--no-dc-protection"],
    "--verify-realtime": ["--check-realtime"], "--realtime": ["--check-realtime"],
    "--why": ["--unusable"], "--broken": ["--unusable"], "--faulty": ["--unusable"],
    "--format": ["--kind"], "--overwrite": ["--force"], "-y": ["--force"], "--jobs": ["--threads"],
    "-j": ["--threads", "--json"], "--restart": ["--reset"], "--from": ["--start", "--template"],
    "--store": ["--save"], "--forget": ["--clear"], "--log": ["--events"], "--config": ["--rig"],
    "--reload": ["--watch"], "--daemon": ["--service"], "--wav": ["--container"],
  ]

  /// Returns the parser's message, or one about an unknown option with a suggestion. [main]
  ///
  /// The parser reports missing arguments first, which may be the words after an unknown option.
  static func improve(_ message: String, words: [String]) -> String {
    let start = "Unknown option '"
    guard let command = command(of: words) else { return message }
    if let wrong = unknownSubcommand(in: words, of: command) { return wrong }
    let options = names(of: command, includingHidden: false)
    let reported =
      message.hasPrefix(start) ? String(message.dropFirst(start.count).prefix { $0 != "'" }) : nil
    guard let name = reported ?? unknown(among: words, of: command) else {
      return advice(for: message, command, options) ?? message
    }
    let suggestion =
      synonyms[name]?.first(where: options.contains)
      ?? (name.hasPrefix("--") ? nearest(to: name, among: options) : nil)
    let isNear = suggestion.map { editDistance(from: Array(name), to: Array($0)) <= 1 } ?? false
    if synonyms[name] == nil, !isNear, options.contains("--rig"),
      let value = value(of: name, in: words)
    {
      let symbol = name.drop { $0 == "-" }
      return "\(start)\(name)'. Write values of plugins without dashes: \(symbol)=\(value)."
    }
    guard let suggestion else { return "\(start)\(name)'." }
    return "\(start)\(name)'. Did you mean '\(suggestion)'?"
      + use(of: suggestion, insteadOf: name, options)
  }

  /// Returns the message about the word after a group of commands; nil if it is one of them.
  private static func unknownSubcommand(
    in words: [String], of command: any ParsableCommand.Type
  ) -> String? {
    let children = command.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !children.isEmpty, let name = words.dropFirst().first, !name.hasPrefix("-") else {
      return nil
    }
    return "\(words[0]) has no command \(name). Use one of " + children.joined(separator: ", ")
      + "."
  }

  /// Returns a message that says more than the parser's; nil if there is none.
  private static func advice(
    for message: String, _ command: any ParsableCommand.Type, _ options: [String]
  ) -> String? {
    if message == "Missing expected argument '--output <file>'." {
      return message + " Add for example `-o out.wav`."
    }
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    if parts.count > 3, parts[0] == "The value ", parts[3].hasPrefix("--format "),
      options.contains("--container"), AudioContainer(rawValue: String(parts[1])) != nil
    {
      return "\(parts[1]) is a file format. Use `--container \(parts[1])`. --format is the sample"
        + " format."
    }
    return nil
  }

  /// Returns the number that follows an unknown option; nil if there is none.
  private static func value(of name: String, in words: [String]) -> String? {
    guard
      let index = words.firstIndex(where: { $0 == name || $0.hasPrefix("\(name)=") })
    else { return nil }
    let value =
      words[index] == name
      ? words.dropFirst(index + 1).first : String(words[index].dropFirst(name.count + 1))
    return value.flatMap { Quantity($0) == nil ? nil : $0 }
  }

  /// Says whether the meant option takes a device or a file, if the given one takes the other.
  private static func use(of suggestion: String, insteadOf name: String, _ options: [String])
    -> String
  {
    switch (name, suggestion) {
    case ("-i", "--in"), ("-o", "--out"), ("--input", "--in"), ("--output", "--out"):
      " It takes a device. Process files with `outboard render`."
    case ("--in", "--input"),
      ("--out", "--output") where options.contains("--input"):
      " It takes a file. Use devices with `outboard run`."
    default: ""
    }
  }

  /// Returns the first long option that a command does not have.
  private static func unknown(
    among words: [String], of command: any ParsableCommand.Type
  ) -> String? {
    let known = names(of: command, includingHidden: true)
    return words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }
      .first { !known.contains($0) }
  }

  /// Returns the command that the first words name; nil if they name none.
  private static func command(of words: [String]) -> (any ParsableCommand.Type)? {
    var found: (any ParsableCommand.Type)?
    var children = Outboard.configuration.subcommands
    for word in words {
      guard
        let next = children.first(where: {
          $0.configuration.commandName == word || $0.configuration.aliases.contains(word)
        })
      else { break }
      found = next
      children = next.configuration.subcommands
    }
    return found
  }

  /// Returns the options in the help of a command.
  private static func names(
    of command: any ParsableCommand.Type, includingHidden: Bool
  ) -> [String] {
    Outboard.helpMessage(for: command, includeHidden: includingHidden).split(separator: "\n")
      .filter { $0.hasPrefix("  -") }
      .flatMap { line in
        line.split(separator: " ").prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
          .filter { $0.hasPrefix("-") }
          .map { String($0.filter { $0 != "," }) }
      }
  }
}
