// BlockLengthObserver.swift: a node that wants to hear how long blocks are. SPDX-License-Identifier: MIT

/// A node whose plugin can be told that the host has come to use other blocks.
package protocol BlockLengthObserver: Node {
  /// Whether the plugin listens. [main]
  var hearsBlockLength: Bool { get }
  /// Tells it of a length, at most the maximum that it was made for. [main, not rendering]
  ///
  /// - Returns: whether it took it.
  func blockLengthChanged(to frameCount: Int) -> Bool
}
