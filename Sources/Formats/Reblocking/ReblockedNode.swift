// ReblockedNode.swift: nodes with re-blocking or resampling. SPDX-License-Identifier: MIT

package import PluginModel

/// A node that may have adapters.
package protocol ReblockedNode: Node {
  /// The block adapter; nil if there is none. [main]
  var adapter: BlockAdapter? { get }
  /// The rate adapter; nil if there is none. [main]
  var rateAdapter: RateAdapter? { get }
}

extension ReblockedNode {
  /// Nil: most plugins run at any rate.
  package var rateAdapter: RateAdapter? { nil }

  /// The part of `latencyFrames` that re-blocking and resampling add. [main]
  package var adapterLatencyFrames: Int {
    let collected = adapter?.latencyFrames ?? 0
    return rateAdapter.map { $0.outerFrames(collected) + $0.latencyFrames } ?? collected
  }

  /// The adapters as a capability; nil if there are none. [main]
  package var adaptation: NodeAdaptation? {
    guard adapter != nil || rateAdapter != nil else { return nil }
    return NodeAdaptation(
      latencyFrames: adapterLatencyFrames, blockFrames: adapter?.shape.frameCount,
      rateHz: rateAdapter?.innerRateHz)
  }
}
