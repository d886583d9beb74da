// IsolatedChain.swift: isolated nodes of one worker process that one request renders. SPDX-License-Identifier: MIT

internal import CIsolation
package import PluginModel

/// What the audio thread uses of a chain, at a fixed address.
struct ChainState: ~Copyable {
  /// A node of the chain.
  struct Member {
    let state: UnsafeMutablePointer<IsolatedState>
    let number: UInt32
    /// The source of each input, as the worker reads it, and its buffer in the memory of the node before; nil if it
    /// is unconnected.
    let sources: UnsafeMutablePointer<UInt32>
    let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    let inputCount: Int
  }

  let members: UnsafeMutablePointer<Member>
  let count: Int
  /// The number of nodes that requests may contain: fewer than all after a guard has changed the sound between two.
  var limit: Int

  deinit {
    for memberIndex in 0 ..< count {
      members[memberIndex].sources.deallocate()
      members[memberIndex].inputs.deallocate()
    }
    members.deallocate()
  }
}

/// Owns the step of a chain, and its nodes.
final class IsolatedChain {
  let state: UnsafeMutablePointer<ChainState>
  private let nodes: [IsolatedNode]

  /// Prepares a chain. [main]
  init(_ nodes: [IsolatedNode], sources: [[ChainFollower.Source?]]) {
    self.nodes = nodes
    let members = UnsafeMutablePointer<ChainState.Member>.allocate(capacity: nodes.count)
    for (memberIndex, node) in nodes.enumerated() {
      (members + memberIndex).initialize(to: Self.member(node, sources[memberIndex], among: nodes))
    }
    state = .allocate(capacity: 1)
    state.initialize(
      to: ChainState(members: members, count: nodes.count, limit: nodes.count))
  }

  private static func member(
    _ node: IsolatedNode, _ sources: [ChainFollower.Source?], among nodes: [IsolatedNode]
  ) -> ChainState.Member {
    let capacity = max(1, sources.count)
    let words = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    let inputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>.allocate(capacity: capacity)
    for (index, source) in sources.enumerated() {
      (words + index).initialize(
        to: source.map { UInt32(($0.memberIndex + 1) << 16 | $0.output) }
          ?? UInt32(CISOLATION_UNCONNECTED))
      (inputs + index).initialize(
        to: source.map {
          let before = nodes[$0.memberIndex]
          return before.memory.layout.channel(
            before.memory.block, before.audioInputCount + $0.output)
        })
    }
    return ChainState.Member(
      state: node.state, number: node.number, sources: words, inputs: inputs,
      inputCount: sources.count)
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }
}

extension IsolatedNode: ChainableNode {
  /// The worker process; nil for a node whose output is used one block later. [main]
  package var chainHost: AnyObject? { state.pointee.delay == nil ? worker : nil }

  /// Returns a step that requests the blocks of all nodes together. [main]
  package func makeChain(with followers: [ChainFollower]) -> NodeChain? {
    let nodes = followers.compactMap { $0.node.capabilities[IsolatedNode.self] }
    guard nodes.count == followers.count, nodes.count < Int(CISOLATION_CHAIN),
      nodes.allSatisfy({ $0.chainHost === chainHost })
    else { return nil }
    for node in nodes { node.keepMemory(of: self) }
    let chain = IsolatedChain([self] + nodes, sources: [[]] + followers.map(\.sources))
    return NodeChain(step: NodeStep(function: chainStep, context: chain.state), owner: chain)
  }
}
