// ShellInterpreter.swift: carries out the lines of `outboard shell`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import HostModel
import PluginModel
import TerminalUI

/// Carries out lines with the same commands that the program has.
final class ShellInterpreter {
  /// The commands that make sense on a line, and end by themselves.
  private static let commands: [any ParsableCommand.Type] = [
    StatusCommand.self, SetCommand.self, InsertCommand.self, RemoveNodeCommand.self,
    MoveCommand.self, ReplaceCommand.self, LoadCommand.self, UndoCommand.self, RedoCommand.self,
    SceneCommand.self, LearnCommand.self, MapCommand.self, SaveCommand.self, RecordCommand.self,
    PlayCommand.self, TransportCommand.self, TapCommand.self, BlackBoxCommand.self,
    ListCommand.self, FindCommand.self, InfoCommand.self,
  ]

  /// Short commands of the shell, with what they do.
  private static let shellVerbs: [(verb: String, effect: String)] = [
    ("nodes", "List the nodes."),
    ("show NODE", "Show the values of a node."),
    ("bypass NODE [on|off]", "Switch the bypass of a node."),
    ("levels", "Show levels, load and xruns."),
    ("watch on|off", "Print messages, and changes by other clients."),
    ("complete TEXT", "List the completions of a line."),
    ("help [COMMAND]", "Show this list, or the help of a command."),
    ("quit", "End the shell. The session continues."),
  ]

  private let link: ShellLink
  private let editor: LineEditor?
  private lazy var names = ShellNames()

  init(_ link: ShellLink, editor: LineEditor?) { (self.link, self.editor) = (link, editor) }

  private static var verbs: [String] {
    commands.compactMap { $0.configuration.commandName }
      + shellVerbs.map { String($0.verb.prefix { $0 != " " }) }
  }

  /// Returns the completions of a line.
  func complete(_ line: String) -> ShellCompletion.Result {
    ShellCompletion(verbs: Self.verbs, names: names.current(for: line)).complete(line)
  }

  /// Carries out a line; returns the exit status of its command, nil to end the shell.
  func run(_ line: String) -> Int32? {
    do {
      let words = try ShellWords.split(line)
      guard let verb = words.first else { return 0 }
      if ["quit", "exit"].contains(verb), words.count == 1 { return nil }
      try run(verb, words)
      return 0
    } catch {
      let failure = Failure(error, parser: Outboard.self, words: [])
      failure.report(asJSON: false, inService: false)
      return failure.status
    }
  }

  private func run(_ verb: String, _ words: [String]) throws {
    let rest = Array(words.dropFirst())
    switch verb {
    case "nodes": try expect(rest, 0, "nodes"); try listNodes()
    case "show": try expect(rest, 1, "show NODE"); try show(rest[0])
    case "bypass": try bypass(rest)
    case "levels": try expect(rest, 0, "levels"); try showLevels()
    case "watch": try expect(rest, 1, "watch on|off"); try watch(rest[0])
    case "complete":
      for word in complete(rest.joined(separator: " ")).words { Terminal.output.writeLine(word) }
    case "help": try help(rest)
    case "quit", "exit": throw UsageError("Write `\(verb)`.")
    default: try runCommand(words)
    }
  }

  private func expect(_ words: [String], _ count: Int, _ use: String) throws {
    guard words.count == count else { throw UsageError("Write `\(use)`.") }
  }

  /// Runs a command of the program.
  private func runCommand(_ words: [String]) throws {
    guard Self.commands.contains(where: { $0.configuration.commandName == words[0] }) else {
      let hint = nearest(to: words[0], among: Self.verbs).map { "Did you mean \($0)?" }
      throw UsageError("No such command: \(words[0]). \(hint ?? "Type help for a list.")")
    }
    var command = try Outboard.parseAsRoot(ArgumentWords.joiningNegatives(words))
    do {
      try command.run()
    } catch let error as ValidationError {
      throw UsageError(error.message)
    }
  }

  // MARK: - Short commands

  private func status() throws -> SessionStatus {
    guard case .status(let status)? = try link.send(.status).result else {
      throw ControlError.protocolError(name: link.name)
    }
    return status
  }

  private func listNodes() throws {
    for node in try status().nodes {
      let plugin = node.plugin == node.name ? "" : " (\(node.plugin))"
      Terminal.output.writeLine("\(node.name)\(plugin)".printable)
    }
  }

  private func show(_ name: String) throws {
    let nodes = try status().nodes
    let alike = nodes.filter { $0.name.lowercased() == name.lowercased() }
    guard let node = alike.first(where: { $0.name == name }) ?? alike.first else {
      let hint = nearest(to: name, among: nodes.map(\.name)).map { "Did you mean \($0)?" }
      throw UsageError("No such node: \(name). \(hint ?? "Type nodes for a list.")")
    }
    for line in NodeTable.lines([node], columns: Terminal.output.columns ?? 80) {
      Terminal.output.writeLine(line)
    }
  }

  /// Carries out `bypass NODE on`, which is `set NODE bypass=on`.
  private func bypass(_ words: [String]) throws {
    guard let node = words.first, words.count <= 2,
      ["on", "off", "toggle"].contains(words.dropFirst().first ?? "toggle")
    else { throw UsageError("Write `bypass NODE on` or `bypass NODE off`.") }
    try runCommand(["set", node, "bypass=\(words.dropFirst().first ?? "toggle")"])
  }

  private func showLevels() throws {
    let client = try ControlClient(run: link.name)
    _ = try client.send(.subscribe(.init(events: [.levels], levels: 10)))
    guard let line = try client.nextEvent(within: 5),
      let message = JSONLine.read(EventMessage.self, line), case .levels(let levels) = message.event
    else { throw ControlError.ended(name: link.name) }
    for text in ShellLevels.lines(levels) { Terminal.output.writeLine(text.printable) }
  }

  private func watch(_ word: String) throws {
    switch word {
    case "on":
      let editor = editor
      try link.watch { text in
        if let editor { editor.announce(text) } else { Terminal.output.writeLine(text.printable) }
      }
    case "off": link.unwatch()
    default: throw UsageError("Write `watch on` or `watch off`.")
    }
  }

  private func help(_ words: [String]) throws {
    guard let word = words.first else {
      var table = Table([.init(""), .init("")])
      for (verb, effect) in Self.shellVerbs { table.add([verb, effect]) }
      for command in Self.commands {
        table.add([command.configuration.commandName ?? "", command.configuration.abstract])
      }
      for line in table.lines(width: Terminal.output.columns) { Terminal.output.writeLine(line) }
      return
    }
    if let match = Self.shellVerbs.first(where: { $0.verb.split(separator: " ").first == word[...] }
    ) {
      return Terminal.output.writeLine("\(match.verb): \(match.effect)")
    }
    guard let command = Self.commands.first(where: { $0.configuration.commandName == word }) else {
      throw UsageError("No such command: \(word). Type help for a list.")
    }
    Terminal.output.writeLine(Outboard.helpMessage(for: command))
  }
}
