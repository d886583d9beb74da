// SetCommand.swift: `outboard set`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel
import RigSchema

/// Sets parameters in a session.
struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set parameters in a running session.",
    discussion: """
      outboard set reverb mix=40 decay="3 s"
      outboard set reverb mix+=5 bypass=toggle   # relative to the present values
      outboard set "voice -> reverb" gain=-6    # the gain of a connection
      outboard set reverb.mix=40 delay.time=200  # several nodes
      outboard set reverb preset="Vocal hall" --over 2s  # move to it; switches change half-way

      `outboard status` lists the nodes and their values.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "Node or connection, then values.", valueName: "node"))
  var node: String
  @Argument(help: ArgumentHelp("New values.", valueName: "symbol=value ..."))
  var values: [String] = []
  @Option(help: ArgumentHelp("Time to move to the values, e.g. 2s.", valueName: "time"))
  var over: String?

  /// Whether the words name nodes, as in `reverb.mix=40`.
  private var namesNodes: Bool { Self.namesNode(node) }

  private static func namesNode(_ word: String) -> Bool {
    word.firstIndex(of: "=").map { word[..<$0].contains(".") } ?? false
  }

  func validate() throws {
    if let over, MorphTime(over) == nil { throw ValidationError(MorphTime.rule(over)) }
    if namesNodes {
      guard let word = values.first(where: { !Self.namesNode($0) }) else { return }
      throw ValidationError("Name the node of \(word), as in `reverb.mix=40`.")
    }
    guard !values.isEmpty else {
      if !node.contains("->"), node.contains("=") {
        throw ValidationError("Name the node first, as in `outboard set reverb \(node)`.")
      }
      // A shell would read the arrow of an unquoted connection as redirection.
      let example = node.contains("->") ? "\"\(node)\" gain=-6" : "\(node) mix=40"
      throw ValidationError("Specify the new values, e.g. `outboard set \(example)`.")
    }
    do { _ = try ChainLink.parse([node] + values) } catch { throw ValidationError("\(error)") }
    if let word = values.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
      throw ValidationError("\(word) is not a setting. Write a value as `mix=40`.")
    }
  }

  func run() throws {
    let assignments = (namesNodes ? [node] + values : values).compactMap(Self.assignment)
    try choice.sendAndPrint(
      .set(
        .init(
          node: namesNodes ? "" : node, values: assignments,
          directory: FileManager.default.currentDirectoryPath,
          over: over.flatMap(MorphTime.init)?.seconds)))
  }

  /// Separates `mix=40`, and `mix+=5` into `mix` and `+=5`.
  private static func assignment(_ word: String) -> Command.Assignment? {
    guard let equals = word.firstIndex(of: "=") else { return nil }
    let value = word[word.index(after: equals)...]
    if let sign = word[..<equals].last, "+-*".contains(sign) {
      return Command.Assignment(String(word[..<equals].dropLast()), "\(sign)=\(value)")
    }
    return Command.Assignment(String(word[..<equals]), String(value))
  }
}
