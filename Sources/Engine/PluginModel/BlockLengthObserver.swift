// BlockLengthObserver.swift: a node that uses the block length. SPDX-License-Identifier: MIT

/// A node whose plugin accepts a new block length of the host.
package protocol BlockLengthObserver: Node {
  /// Whether the plugin listens. [main]
  var observesBlockLength: Bool { get }
  /// Sets a block length, at most the maximum at creation. [main, not rendering]
  ///
  /// - Returns: whether the plugin accepted it.
  func blockLengthChanged(to frameCount: Int) -> Bool
}
