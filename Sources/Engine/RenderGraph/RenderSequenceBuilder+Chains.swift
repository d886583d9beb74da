// RenderSequenceBuilder+Chains.swift: steps that render several nodes. SPDX-License-Identifier: MIT

import PluginModel

extension RenderSequenceBuilder {
  /// Returns the step of a node that renders the nodes after it too; nil if there are none.
  mutating func chainStep(
    of node: any Node, with followers: [ChainFollower]
  ) -> NodeStep? {
    guard let chain = node.capabilities.chain?.makeChain(with: followers) else { return nil }
    parts.chains.append(chain.owner)
    return chain.step
  }
}
