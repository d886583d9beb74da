// NodeCommandArguments.swift: arguments of commands for recorders and players.
// SPDX-License-Identifier: MIT

import ArgumentParser
import PluginModel

/// The node, the command and the value of `outboard record` and `outboard play`.
struct NodeCommandArguments {
  /// The node name; nil if none is given.
  let node: String?
  /// The command; nil to show the state.
  let order: String?
  /// The value of the command.
  let text: String?

  /// Parses the words of a command line.
  ///
  /// The first word is a command or a node name. The node name can also follow a command without a value.
  ///
  /// - Parameters:
  ///   - words: the words of the command line.
  ///   - orders: all known commands.
  ///   - takingText: the commands that need a value.
  /// - Throws: `ValidationError` with the fix.
  init(_ words: [String], orders: [String], takingText: [String]) throws {
    var rest = words[...]
    var node: String?
    if let first = rest.first, !orders.contains(first) {
      node = first
      rest = rest.dropFirst()
    }
    order = rest.popFirst()
    if let order, node == nil, orders.contains(order), !takingText.contains(order) {
      node = rest.popFirst()
    }
    self.node = node
    text = rest.popFirst()
    if let order {
      guard orders.contains(order) else {
        throw ValidationError(Self.unknown(order, among: orders))
      }
      if takingText.contains(order), text ?? "" == "" {
        throw ValidationError(
          "\(order) needs a value, e.g. `\(order) \(order == "seek" ? "1:30" : "chorus")`.")
      }
      if !takingText.contains(order), let text {
        throw ValidationError("\(order) takes no value. Remove \(text).")
      }
    }
    if let last = rest.first {
      throw ValidationError("Unexpected word: \(last). Put text into quotes.")
    }
  }

  /// Returns the message for an unknown command.
  static func unknown(_ word: String, among orders: [String]) -> String {
    let hint =
      nearest(to: word, among: orders).map { "Did you mean \($0)?" }
      ?? "Use \(orders.joined(separator: ", "))."
    return "Unknown command: \(word). \(hint)"
  }
}
