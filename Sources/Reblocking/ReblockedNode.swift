// ReblockedNode.swift: a node whose plugin may want other blocks than the host's. SPDX-License-Identifier: MIT

package import PluginModel

/// A node that may stand behind an adapter.
package protocol ReblockedNode: Node {
  /// What gives its plugin the blocks that it wants; nil where it takes any. [main]
  var adapter: BlockAdapter? { get }
}
