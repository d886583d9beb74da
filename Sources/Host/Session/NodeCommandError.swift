// NodeCommandError.swift: why a node cannot execute a command. SPDX-License-Identifier: MIT

/// The reason why a node cannot execute a command.
package struct NodeCommandError: Error, Equatable, CustomStringConvertible {
  let node: String
  let reason: String

  /// The message, which begins with the node's name.
  package var description: String { "\(node): \(reason)" }
}
