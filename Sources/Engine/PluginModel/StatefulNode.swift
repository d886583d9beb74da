// StatefulNode.swift: a node whose state can be saved. SPDX-License-Identifier: MIT

/// A node that can pass its state to another instance of the same plugin.
package protocol StatefulNode: Node {
  /// Returns the state apart from parameters; nil if there is none. [main, not rendering]
  func save() -> [UInt8]?
  /// Restores the result of `save`, possibly at another sample rate. [main, not rendering]
  func restore(_ bytes: [UInt8]) throws
}
