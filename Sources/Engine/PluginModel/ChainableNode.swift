// ChainableNode.swift: nodes that one of them can render together. SPDX-License-Identifier: MIT

/// A node that can render nodes after it together with itself, because all of them run in one other process.
///
/// The steps of all nodes are called as usual. The step of the first one then prepares the outputs of the others, and
/// theirs only complete them.
package protocol ChainableNode: Node {
  /// Makes a step that prepares the outputs of the nodes after this one. [main]
  ///
  /// - Parameter followers: the nodes in the order of their steps. Their inputs are only connected to nodes of the
  ///   chain, and they receive neither MIDI nor values of lanes.
  /// - Returns: the step; nil if there is none.
  func makeChain(with followers: [ChainFollower]) -> NodeChain?
}

/// A node that is rendered together with nodes before it.
package struct ChainFollower {
  /// The output of a node of the chain.
  package struct Source: Equatable {
    /// The position of the node in the chain; 0 is the first one.
    package var memberIndex: Int
    /// The index of its output.
    package var output: Int

    /// Creates a source.
    package init(memberIndex: Int, output: Int) {
      (self.memberIndex, self.output) = (memberIndex, output)
    }
  }

  /// The node.
  package let node: any Node
  /// The source of each input; nil if it is unconnected.
  package let sources: [Source?]

  /// Creates a follower.
  package init(node: any Node, sources: [Source?]) { (self.node, self.sources) = (node, sources) }
}

/// The step of the first node of a chain, which replaces its own.
package struct NodeChain {
  /// The step. [main; the function itself: render, active]
  package let step: NodeStep
  /// The object that must live as long as the step.
  package let owner: AnyObject

  /// Creates a chain.
  package init(step: NodeStep, owner: AnyObject) { (self.step, self.owner) = (step, owner) }
}
