// HelpTests.swift: help lines are short, and old command names suggest the new ones. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct HelpTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private struct Dump: Decodable {
    let command: Command
  }

  private struct Command: Decodable {
    struct Argument: Decodable {
      let abstract: String?
    }
    let commandName: String
    let abstract: String?
    let subcommands: [Command]?
    let arguments: [Argument]?
  }

  @Test func `a help line has at most nine words and ends with a full stop`() throws {
    let result = try expectSuccess(["--experimental-dump-help"], in: scratch)
    let root = try JSONDecoder().decode(Dump.self, from: result.output).command
    var commands = [root]
    while let command = commands.popLast() {
      // Written by the argument parser itself.
      guard command.commandName != "help" else { continue }
      commands += command.subcommands ?? []
      let lines = [command.abstract] + (command.arguments ?? []).map(\.abstract)
      for line in lines.compactMap(\.self) where !Self.foreign.contains(line) {
        let text = line.replacing(#/ \(default: .*\)/#, with: "")
        #expect(text.split(separator: " ").count <= 9, "\(command.commandName): \(line)")
        #expect(text.hasSuffix("."), "\(command.commandName): \(line)")
      }
    }
  }

  private static let foreign = ["Show help information.", "Show the version."]

  @Test func `without arguments the program shows first steps with commands that exist`() throws {
    let steps = try expectSuccess([], in: scratch)
    #expect(steps.error == "")
    let result = try expectSuccess(["--experimental-dump-help"], in: scratch)
    let root = try JSONDecoder().decode(Dump.self, from: result.output).command
    let names = (root.subcommands ?? []).map(\.commandName)
    var words: [String] = []
    for line in steps.text.components(separatedBy: "\n") where line.hasPrefix("    outboard ") {
      words.append(line.components(separatedBy: " ")[5])
    }
    #expect(words.count >= 8)
    for word in words { #expect(names.contains(word), "\(word)") }
  }

  @Test func `help lists the commands by task`() throws {
    let tasks = [
      "Play and render", "Control a session", "Plugins", "Rigs", "Devices and system",
      "Develop modules",
    ].map { "\n\($0.uppercased()) SUBCOMMANDS:\n" }
    for arguments in [["--help"], ["help"]] {
      let text = try expectSuccess(arguments, in: scratch).text
      let places = tasks.compactMap { text.range(of: $0)?.lowerBound }
      #expect(places.count == tasks.count && places == places.sorted())
      #expect(!text.contains("\n\nSUBCOMMANDS:"))
    }
  }

  @Test(arguments: [
    ("runs", "status"), ("tune", "find-period"), ("add", "install"),
    ("statsu", "status"), ("analise", "analyse"),
  ])
  func `for an old or misspelt command the current name is suggested`(
    old: String, new: String
  ) throws {
    let result = try Program.run([old], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error.hasPrefix("outboard: No such command: \(old). Did you mean \(new)?"),
      "\(result.error)")
  }

  @Test func `analyze is an alias of analyse`() throws {
    try scratch.addTone()
    #expect(
      try expectSuccess(["analyze", "in.wav"], in: scratch).text
        == expectSuccess(["analyse", "in.wav"], in: scratch).text)
  }
}
