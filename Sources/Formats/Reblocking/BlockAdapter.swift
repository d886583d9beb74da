// BlockAdapter.swift: owns the re-blocking of a node. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
package import RealtimeKit
import Synchronization

/// Calls a node's step only with the block lengths that it supports, and reports the latency.
///
/// The node returns the adapter's `step`, `eventInput` and `eventOutput` instead of its own, and adds the
/// adapter's latency. If all host blocks have one suitable length, there is no latency. Otherwise, or as soon as
/// another length arrives, the latency is one block minus one frame.
package final class BlockAdapter {
  /// The step behind the adapter.
  package struct Inner {
    /// The function, called only with supported lengths.
    package var step: NodeStep
    /// The number of input channels.
    package var inputCount: Int
    /// The number of output channels.
    package var outputCount: Int
    /// The MIDI input.
    package var eventInput: NodeEventInput?
    /// The MIDI output of its block.
    package var eventOutput: UnsafeMutablePointer<EventQueue>?

    /// Creates a step without MIDI.
    package init(step: NodeStep, inputCount: Int, outputCount: Int) {
      self.step = step
      self.inputCount = inputCount
      self.outputCount = outputCount
    }
  }

  /// The supported lengths.
  package let shape: BlockConstraint
  /// Whether the adapter collects blocks from the start.
  package let startsCollecting: Bool
  private let state: UnsafeMutablePointer<Reblocker>

  /// Creates an adapter for the blocks of `configuration`; `inner` must outlive it. [main]
  package init(_ shape: BlockConstraint, around inner: Inner, _ configuration: NodeConfiguration) {
    // Not at the member assignments: an optimised build (Swift 6.3) would destroy a noncopyable struct that is
    // not initialised yet.
    precondition(shape.frameCount > 0, "A plugin's block must have at least one frame.")
    self.shape = shape
    startsCollecting = !shape.acceptsAnyBlock(of: configuration)
    state = .allocate(capacity: 1)
    state.initialize(to: Reblocker(shape, inner, isCollecting: startsCollecting))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The step for the render sequence. [main; the function itself: render, active]
  package var step: NodeStep { NodeStep(function: reblockedStep, context: state) }

  /// The MIDI input; nil if the step has none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    guard state.pointee.eventFunction != nil else { return nil }
    return NodeEventInput(function: takeReblockedEvent, context: state)
  }

  /// The MIDI output; nil if the step has none. [main; inside: render]
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { state.pointee.sentEvents }

  /// The current latency in frames. [main]
  package var latencyFrames: Int {
    state.pointee.isCollecting.load(ordering: .relaxed) ? shape.frameCount - 1 : 0
  }

  /// The pieces into which a block may be split without more latency. [any]
  package var unitFrameCount: Int {
    if case .powerOfTwo = shape, !startsCollecting { 1 } else { shape.frameCount }
  }

  /// The number of collected frames that the step has not rendered yet. [main, not rendering]
  package var collectedFrameCount: Int { state.pointee.filled }

  /// Clears the collected and pending frames. [main, not rendering]
  package func reset() { state.pointee.reset(isCollecting: startsCollecting) }
}

extension BlockConstraint {
  /// Whether all host blocks are suitable. [any]
  package func acceptsAnyBlock(of configuration: NodeConfiguration) -> Bool {
    if case .powerOfTwo = self { return true }
    return configuration.hasConstantBlocks && fits(configuration.maximumFrameCount)
  }
}

extension Reblocker {
  /// Allocates memory for a step behind an adapter. [main]
  init(_ shape: BlockConstraint, _ inner: BlockAdapter.Inner, isCollecting: Bool) {
    unit = shape.frameCount
    switch shape {
    case .exactly: cut = .units
    case .multiple: cut = .whole
    case .powerOfTwo: cut = .powersOfTwo
    }
    inputCount = inner.inputCount
    outputCount = inner.outputCount
    self.isCollecting = Atomic(isCollecting)
    let rowCount = inputCount + outputCount
    block = PlanarBuffer(channelCount: rowCount, frameCapacity: unit)
    piece = .allocate(capacity: max(1, rowCount))
    for row in 0 ..< rowCount { (piece + row).initialize(to: block[row]) }
    step = .allocate(capacity: 1)
    step.initialize(
      to: crealtime_step(
        function: inner.step.function, context: inner.step.context,
        buffers: UnsafePointer(block.channels)))
    eventFunction = inner.eventInput?.function
    eventContext = inner.eventInput?.context
    stepEvents = inner.eventOutput
    sentEvents = stepEvents == nil ? nil : .allocate(capacity: 1)
    sentEvents?.initialize(to: EventQueue())
    arrivals = MessageRing(capacityBytes: eventFunction == nil ? 64 : Self.eventCapacityBytes)
    departures = MessageRing(capacityBytes: stepEvents == nil ? 64 : Self.eventCapacityBytes)
    let longest = max(arrivals.maximumByteCount, departures.maximumByteCount)
    eventBytes = .allocate(byteCount: longest, alignment: 16)
  }

  /// See `BlockAdapter.reset`. [main, not rendering]
  mutating func reset(isCollecting: Bool) {
    self.isCollecting.store(isCollecting, ordering: .relaxed)
    filled = 0
    for row in inputCount ..< inputCount + outputCount {
      block[row].update(repeating: 0, count: unit)
    }
    while arrivals.nextTime() != nil { _ = arrivals.take(into: eventBytes) }
    while departures.nextTime() != nil { _ = departures.take(into: eventBytes) }
    sentEvents?.pointee.clear()
  }
}
