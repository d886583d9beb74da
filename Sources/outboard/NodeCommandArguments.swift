// NodeCommandArguments.swift: what a node of something that runs is told, on a command line.
// SPDX-License-Identifier: MIT

import ArgumentParser
import PluginModel

/// A node's name, a word for what it is told, and what belongs to that word.
struct NodeCommandArguments {
  /// The node; nil where none is named.
  let node: String?
  /// What it is told; nil where it is asked how it stands.
  let order: String?
  /// What follows.
  let text: String?

  /// Reads the words of a command line: the first is an order's, or else the node's name, which may also stand
  /// behind an order that nothing belongs to.
  ///
  /// - Parameters:
  ///   - words: as they were given.
  ///   - orders: all that there are.
  ///   - takingText: the orders that something belongs to.
  /// - Throws: `ValidationError` that says what would be right.
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

  /// A sentence about a word that is no order.
  static func unknown(_ word: String, among orders: [String]) -> String {
    let hint =
      nearest(to: word, among: orders).map { "did you mean \($0)?" }
      ?? "use \(orders.joined(separator: ", "))."
    return "Unknown command \(word): \(hint)"
  }
}
