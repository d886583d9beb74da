// ReblockedNode.swift: a node whose plugin may want other blocks than the host's. SPDX-License-Identifier: MIT

package import PluginModel

/// A node that may stand behind adapters.
package protocol ReblockedNode: Node {
  /// What gives its plugin the blocks that it wants; nil where it takes any. [main]
  var adapter: BlockAdapter? { get }
  /// What runs its plugin at another rate; nil if that is the graph's. [main]
  var rateAdapter: RateAdapter? { get }
}

extension ReblockedNode {
  /// None: most plugins run at any rate.
  package var rateAdapter: RateAdapter? { nil }

  /// The part of `latencyFrames` that re-blocking and resampling cost. [main]
  package var adapterLatencyFrames: Int {
    let collected = adapter?.latencyFrames ?? 0
    return rateAdapter.map { $0.outerFrames(collected) + $0.latencyFrames } ?? collected
  }
}
