// StatefulNode.swift: a node whose memory can be kept. SPDX-License-Identifier: MIT

/// A node that can hand its state on to another one of the same plugin.
package protocol StatefulNode: Node {
  /// Returns the state apart from parameters; nil if there is none. [main, not rendering]
  func save() -> [UInt8]?
  /// Takes what `save` gave, perhaps at another rate. [main, not rendering]
  func restore(_ bytes: [UInt8]) throws
}
