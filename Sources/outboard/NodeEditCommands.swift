// NodeEditCommands.swift: `outboard insert`, `remove`, `move` and `replace`. SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc
import HostModel
import PluginModel
import RigSchema

/// Adds a node to a session.
struct InsertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Add a plugin to a running session.",
    discussion: """
      outboard insert limiter                        # before out
      outboard insert reverb mix=20 after compressor
      outboard insert equaliser on "voice -> hall"   # into a connection

      Positions are `after NODE`, `before NODE` and `on "CONNECTION"`. NODE can be in or out. \
      The new node fades in. `outboard undo` removes it.
      """)

  @OptionGroup var choice: SessionOption
  @Option(help: ArgumentHelp("Name of the node; default: after the plugin.", valueName: "name"))
  var name: String?
  @Argument(
    help: ArgumentHelp(
      "Plugin and values, then the position.",
      valueName: "plugin"))
  var words: [String]

  func validate() throws { _ = try NodeEditWords(words, placeIsOptional: true) }

  func run() throws {
    let words = try NodeEditWords(words, placeIsOptional: true)
    try choice.sendAndPrint(
      .insert(.init(try words.plugin(words.rest[...]), name: name, position: words.position)))
  }
}

/// Removes a node from a session.
struct RemoveNodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a node from a running session.",
    discussion: """
      outboard remove reverb

      The inputs of the node are connected with its outputs. Its tail fades out. `outboard undo` brings it back. \
      To remove an installed module, use `outboard uninstall`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Node or nested rig.", valueName: "node"))
  var node: String

  func run() throws { try choice.sendAndPrint(.remove(.init(node: node))) }
}

/// Moves a node of a session.
struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move a node of a running session.",
    discussion: """
      outboard move reverb before limiter
      outboard move equaliser on "voice -> hall"
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "Node, then its new position.", valueName: "node"))
  var words: [String]

  func validate() throws {
    let words = try NodeEditWords(words, placeIsOptional: false)
    if let second = words.rest.dropFirst().first {
      throw ValidationError("Unexpected word: \(second). Put names with spaces into quotes.")
    }
  }

  func run() throws {
    let words = try NodeEditWords(words, placeIsOptional: false)
    guard let position = words.position else { return }
    try choice.sendAndPrint(.move(.init(node: words.rest[0], to: position)))
  }
}

/// Gives a node of a session another plugin.
struct ReplaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Give a node of a running session another plugin.",
    discussion: """
      outboard replace reverb "MDA Ambience" mix=0.3

      The node keeps its name, connections, bypass and wet level. The sound crossfades.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Node.", valueName: "node"))
  var node: String
  @Argument(help: ArgumentHelp("New plugin and its values.", valueName: "plugin"))
  var words: [String]

  func validate() throws { _ = try NodeEditWords(plugin: words) }

  func run() throws {
    let words = try NodeEditWords(plugin: words)
    try choice.sendAndPrint(
      .replace(.init(node: node, with: try words.plugin(words.rest[...]))))
  }
}

/// The words of a command that changes nodes: a plugin with values or a node, then a position.
struct NodeEditWords {
  /// The words before the position.
  let rest: [String]
  /// The position; nil if there is none.
  let position: Command.Position?
  private static let keywords = ["after", "before", "on"]

  /// Parses words that may end with a position.
  ///
  /// - Throws: `ValidationError` with the fix.
  init(_ words: [String], placeIsOptional: Bool) throws {
    if words.count > 2, Self.keywords.contains(words[words.count - 2]) {
      let name = words[words.count - 1]
      position =
        switch words[words.count - 2] {
        case "after": .after(name)
        case "before": .before(name)
        default: .on(name)
        }
      rest = Array(words.dropLast(2))
    } else {
      if let word = words.last, Self.keywords.contains(word) {
        throw ValidationError("Name a node after \"\(word)\", e.g. `\(word) reverb`.")
      }
      guard placeIsOptional else {
        throw ValidationError(
          "Say where, e.g. `after reverb`, `before out` or `on \"in -> reverb\"`.")
      }
      (rest, position) = (words, nil)
    }
  }

  /// Takes words that have no position.
  init(plugin words: [String]) throws {
    (rest, position) = (words, nil)
    _ = try plugin(words[...])
  }

  /// Returns the word for a position that a word is, or is meant to be; nil if it is none.
  private static func keyword(like word: String) -> String? {
    keywords.contains(word)
      ? word : nearest(to: word, among: keywords.filter { $0.count > 2 })
  }

  /// Returns the plugin that words name, with its values.
  ///
  /// - Throws: `ValidationError` with the fix.
  func plugin(_ words: ArraySlice<String>) throws -> Command.PluginChoice {
    let links: [ChainLink]
    do { links = try ChainLink.parse(Array(words)) } catch { throw ValidationError("\(error)") }
    guard let link = links.first else { throw ValidationError("Name a plugin.") }
    if links.count > 1 {
      if let keyword = links.dropFirst().lazy.compactMap({ Self.keyword(like: $0.plugin) }).first {
        throw ValidationError(
          "Put the position last, after all values, as in `\(link.plugin) mix=30 \(keyword) reverb`."
        )
      }
      throw ValidationError(
        "\(links[1].plugin) is a second plugin. Insert one at a time, and put names with spaces into quotes."
      )
    }
    // The session may have another working directory.
    let path = URL(fileURLWithPath: link.plugin).standardizedFileURL.path
    let isFile = link.plugin.contains("/") && FileManager.default.fileExists(atPath: link.plugin)
    return Command.PluginChoice(
      isFile || FileManager.default.fileExists(atPath: path) && link.plugin.contains(".")
        ? path : link.plugin,
      values: link.assignments.map { Command.Assignment($0.symbol, $0.value) },
      directory: FileManager.default.currentDirectoryPath)
  }
}
