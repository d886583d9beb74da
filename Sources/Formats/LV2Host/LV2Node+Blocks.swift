// LV2Node+Blocks.swift: an LV2 node behind an adapter for its blocks. SPDX-License-Identifier: MIT

internal import CLV2Support
package import PluginModel
internal import RealtimeKit
internal import Reblocking

extension LV2Node {
  /// What keeps a promise about block lengths; nil where none was made. [main]
  static func adapter(
    _ blocks: LV2BlockLengths, around state: UnsafeMutablePointer<LV2RunState>,
    _ description: PluginDescription, _ configuration: NodeConfiguration
  ) -> BlockAdapter? {
    guard let shape = blocks.shape else { return nil }
    var inner = BlockAdapter.Inner(
      step: step(state),
      inputCount: description.inputCount, outputCount: description.outputCount)
    inner.eventInput = eventInput(state)
    inner.eventOutput = state.pointee.sentEvents
    return BlockAdapter(shape, around: inner, configuration)
  }

  /// What runs the plugin itself. [main; the function itself: render, active]
  static func step(_ state: UnsafeMutablePointer<LV2RunState>) -> NodeStep {
    NodeStep(function: runLV2Step, context: state)
  }

  /// What runs a plugin that knows sound and parameters alone, and that no adapter stands before. [main; the
  /// functions themselves: render, active]
  package var fixedStep: PreboundNodeStep? {
    guard adapter == nil, state.pointee.isPlain else { return nil }
    return PreboundNodeStep(
      begin: beginFixedLV2Step,
      step: NodeStep(function: clv2_fixed_step, context: state.pointee.fixed))
  }

  /// Where the plugin itself takes MIDI; nil if no port does. [main]
  static func eventInput(_ state: UnsafeMutablePointer<LV2RunState>) -> NodeEventInput? {
    if state.pointee.atoms.contains(where: { $0.isInput && $0.isForMIDI }) {
      return NodeEventInput(function: takeLV2Event, context: state)
    }
    guard state.pointee.legacyEvents.input != nil else { return nil }
    return NodeEventInput(function: takeLegacyEvent, context: state)
  }

  /// A new instance, with what it was promised and given.
  struct NewInstance: ~Copyable {
    let blocks: LV2BlockLengths
    let features: LV2Features
    let instance: LV2Instance
  }

  /// Makes an instance for blocks as wanted, or for others if it will not have those. [main]
  static func instantiate(
    _ plugin: LV2Plugin, _ library: LV2Library, _ configuration: NodeConfiguration,
    _ wanted: LV2BlockLengths, _ log: LV2Log, _ worker: LV2Worker?, _ scratch: LV2ScratchDirectory
  ) throws(LV2Error) -> NewInstance {
    func attempt(_ blocks: LV2BlockLengths) throws(LV2Error) -> NewInstance {
      let features = LV2Features(
        for: plugin, configuration, blocks, log: log.queue, worker: worker, scratch: scratch)
      let instance = try LV2Instance(
        plugin, in: library, sampleRateHz: configuration.sampleRateHz, features: features, log: log)
      return NewInstance(blocks: blocks, features: features, instance: instance)
    }
    do throws(LV2Error) {
      return try attempt(wanted)
    } catch {
      guard case .notInstantiated = error, let others = LV2BlockLengths.secondOffer(configuration)
      else { throw error }
      // What it says of the blocks that were wanted is the answer to what was asked.
      do throws(LV2Error) { return try attempt(others) } catch _ { throw error }
    }
  }
}
