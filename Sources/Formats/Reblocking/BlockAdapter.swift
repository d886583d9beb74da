// BlockAdapter.swift: makes and owns what re-blocks for a node. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
package import RealtimeKit
import Synchronization

/// Gives a node's step only the block lengths that it can have, and says what that costs.
///
/// It belongs to a node, which hands out the adapter's `step`, `eventInput` and `eventOutput` in place
/// of its own, and adds the adapter's latency to its own. Where the host's blocks all have one length,
/// and that length fits, nothing is delayed. Otherwise, or once another length comes after all, the
/// promise to the plugin is kept at the price of one block less a frame.
package final class BlockAdapter {
  /// What is behind the adapter.
  package struct Inner {
    /// Called with the lengths of the shape alone.
    package var step: NodeStep
    /// How many channels the step takes.
    package var inputCount: Int
    /// How many it fills.
    package var outputCount: Int
    /// Where it takes MIDI.
    package var eventInput: NodeEventInput?
    /// Where it leaves the MIDI of its block.
    package var eventOutput: UnsafeMutablePointer<EventQueue>?

    /// A step with so many channels, without MIDI.
    package init(step: NodeStep, inputCount: Int, outputCount: Int) {
      self.step = step
      self.inputCount = inputCount
      self.outputCount = outputCount
    }
  }

  /// Which lengths the step is given.
  package let shape: BlockConstraint
  /// Whether sound is delayed from the first block on.
  package let startsCollecting: Bool
  private let state: UnsafeMutablePointer<Reblocker>

  /// An adapter for a host whose blocks are as `configuration` says; `inner` must outlive it. [main]
  package init(_ shape: BlockConstraint, around inner: Inner, _ configuration: NodeConfiguration) {
    // Not where the members are set: an optimised build (Swift 6.3) then destroys what a struct that
    // cannot be copied has not been given yet.
    precondition(shape.frameCount > 0, "A plugin's block must have at least one frame.")
    self.shape = shape
    startsCollecting = !shape.fitsAllBlocks(of: configuration)
    state = .allocate(capacity: 1)
    state.initialize(to: Reblocker(shape, inner, isCollecting: startsCollecting))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// What the program calls. [main; the function itself: render, active]
  package var step: NodeStep { NodeStep(function: reblockedStep, context: state) }

  /// Where MIDI goes; nil if the step takes none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    guard state.pointee.eventFunction != nil else { return nil }
    return NodeEventInput(function: takeReblockedEvent, context: state)
  }

  /// Where MIDI is after each step; nil if the step sends none. [main; inside: render]
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { state.pointee.sentEvents }

  /// The delay from input to output now, in frames. [main]
  package var latencyFrames: Int {
    state.pointee.isCollecting.load(ordering: .relaxed) ? shape.frameCount - 1 : 0
  }

  /// What a block may be cut into without another delay: pieces of so many frames, or of multiples. [any]
  package var unitFrameCount: Int {
    if case .powerOfTwo = shape, !startsCollecting { 1 } else { shape.frameCount }
  }

  /// Frames that came in and that the step has not been given yet. [main, not rendering]
  package var collectedFrameCount: Int { state.pointee.filled }

  /// Forgets what was collected and what is still to be given out. [main, not rendering]
  package func reset() { state.pointee.reset(isCollecting: startsCollecting) }
}

extension BlockConstraint {
  /// Whether no block of a host has to be collected. [any]
  package func fitsAllBlocks(of configuration: NodeConfiguration) -> Bool {
    if case .powerOfTwo = self { return true }
    return configuration.hasConstantBlocks && fits(configuration.maximumFrameCount)
  }
}

extension Reblocker {
  /// Memory for a step behind an adapter. [main]
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
