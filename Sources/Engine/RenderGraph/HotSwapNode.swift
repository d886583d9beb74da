// HotSwapNode.swift: a node whose implementation can be replaced while it runs.
// SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
import RealtimeKit
import Synchronization

/// Wraps a node that may be replaced.
///
/// The new node first runs muted with the same inputs, and is then crossfaded with the old one.
///
/// A node with other channels, latency or MIDI needs another graph and is rejected.
package final class HotSwapNode: Node {
  /// The length of the crossfade, in seconds.
  package static let fadeSeconds = FadeCurve.seconds

  /// The node that is active, or that will be after the crossfade.
  ///
  /// Parameters go to this node.
  package private(set) var node: any Node
  private let state: UnsafeMutablePointer<HotSwapState>
  /// Every node that the render thread may still call.
  private var nodes: [UnsafeMutablePointer<HotSwapTarget>: any Node] = [:]

  /// Wraps a node, which need not be active yet. [main]
  package init(_ node: any Node, _ configuration: NodeConfiguration) {
    self.node = node
    let target = Self.target(node)
    state = .allocate(capacity: 1)
    state.initialize(
      to: HotSwapState(
        target, inputCount: node.audioInputCount, outputCount: node.audioOutputCount,
        latencyFrames: node.latencyFrames, maximumFrameCount: configuration.maximumFrameCount,
        sampleRateHz: configuration.sampleRateHz))
    nodes[target] = node
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    for target in nodes.keys { target.deallocate() }
  }

  private static func target(_ node: any Node) -> UnsafeMutablePointer<HotSwapTarget> {
    let target = UnsafeMutablePointer<HotSwapTarget>.allocate(capacity: 1)
    let step = node.step
    target.initialize(
      to: HotSwapTarget(
        function: step.function, context: step.context, events: node.eventInput,
        parameters: node.parameterInput))
    return target
  }

  /// Returns whether a node can replace the current one without another graph. [main]
  package func fits(_ other: any Node) -> Bool {
    other.audioInputCount == audioInputCount && other.audioOutputCount == audioOutputCount
      && other.latencyFrames == latencyFrames
      && (other.eventInput == nil) == (eventInput == nil) && other.eventOutput == nil
      && other.mayWriteInputs == mayWriteInputs
  }

  /// Crossfades to another node, which is active and has its values.
  ///
  /// A node that waits for its crossfade is dropped. [main, while rendering too]
  ///
  /// - Precondition: `fits` returns true for the node.
  package func replace(with other: any Node) {
    precondition(fits(other), "a node of another shape needs another graph")
    collect()
    let target = Self.target(other)
    nodes[target] = other
    node = other
    // Pairs with the acquiring exchange of the render thread: the node is complete before it is
    // visible.
    if let overtaken = state.pointee.wanted.exchange(target, ordering: .acquiringAndReleasing) {
      release(overtaken)
    }
  }

  /// Frees nodes that are not rendered any more; called repeatedly until `isSettled`. [main]
  package func collect() {
    if let target = state.pointee.retired.exchange(nil, ordering: .acquiring) { release(target) }
  }

  /// Whether no node waits for its crossfade or to be freed. [main]
  package var isSettled: Bool { nodes.count == 1 }

  private func release(_ target: UnsafeMutablePointer<HotSwapTarget>) {
    nodes.removeValue(forKey: target)?.deactivate()
    target.deallocate()
  }

  // MARK: - Node

  package var audioInputCount: Int { state.pointee.inputCount }
  package var audioOutputCount: Int { state.pointee.outputCount }
  package var voltageOutputCount: Int { node.voltageOutputCount }
  package var latencyFrames: Int { node.latencyFrames }
  /// False: the old node reads the inputs after the new one has written its outputs, or before.
  package var canRunInPlace: Bool { false }
  package var mayWriteInputs: Bool { node.mayWriteInputs }
  package var generatesAudio: Bool { node.generatesAudio }
  package var step: NodeStep {
    NodeStep(function: swapStep, context: UnsafeMutableRawPointer(state))
  }
  package var eventInput: NodeEventInput? {
    node.eventInput == nil
      ? nil : NodeEventInput(function: receiveSwapEvent, context: UnsafeMutableRawPointer(state))
  }
  package var parameterInput: NodeParameterInput? {
    node.parameterInput.map {
      NodeParameterInput(
        function: takeSwapParameter, context: UnsafeMutableRawPointer(state),
        unitFrameCount: $0.unitFrameCount,
        hold: $0.hold == nil ? nil : NodeParameterHold(holdSwapParameter, stored: storedSwapValue))
    }
  }
  package func setParameter(_ index: Int, to value: Float) { node.setParameter(index, to: value) }
  package func parameter(_ index: Int) -> Float { node.parameter(index) }
  package func activate() throws { try node.activate() }
  package func deactivate() {
    for node in nodes.values { node.deactivate() }
  }
  package func reset() {
    for node in nodes.values { node.reset() }
  }
  package func hasUnconnectedDefault(_ input: Int) -> Bool { node.hasUnconnectedDefault(input) }
  package func setInputLatency(frameCount: Int) { node.setInputLatency(frameCount: frameCount) }
  /// The capabilities of the node, but parameters are set on the main thread, because the node may be replaced. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = node.capabilities
    capabilities.takesParametersOnAnyThread = false
    capabilities[HotSwapNode.self] = self
    return capabilities
  }
}

extension Node {
  /// The node itself, or the one that a `HotSwapNode` wraps. [main]
  package var inside: any Node { capabilities[HotSwapNode.self]?.node ?? self }
}
