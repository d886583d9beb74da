// LV2Node+Blocks.swift: an LV2 node with a block adapter. SPDX-License-Identifier: MIT

internal import CLV2Support
package import PluginModel
internal import RealtimeKit
internal import Reblocking

extension LV2Node {
  /// The block adapter; nil if there is no guarantee. [main]
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

  /// The step of the plugin itself. [main; the function itself: render, active]
  static func step(_ state: UnsafeMutablePointer<LV2RunState>) -> NodeStep {
    NodeStep(function: runLV2Step, context: state)
  }

  /// The step of a plugin with only audio and parameters and no adapter. [main; the
  /// functions themselves: render, active]
  package var fixedStep: PreboundNodeStep? {
    guard adapter == nil, state.pointee.canUsePreboundStep else { return nil }
    return PreboundNodeStep(
      begin: beginFixedLV2Step,
      step: NodeStep(function: clv2_fixed_step, context: state.pointee.fixed))
  }

  /// The MIDI input of the plugin itself; nil if it has none. [main]
  static func eventInput(_ state: UnsafeMutablePointer<LV2RunState>) -> NodeEventInput? {
    if state.pointee.atoms.contains(where: { $0.isInput && $0.isForMIDI }) {
      return NodeEventInput(function: takeLV2Event, context: state)
    }
    guard state.pointee.legacyEvents.input != nil else { return nil }
    return NodeEventInput(function: takeLegacyEvent, context: state)
  }

  /// A new instance with its guarantees and features.
  struct NewInstance: ~Copyable {
    let blocks: LV2BlockLengths
    let features: LV2Features
    let instance: LV2Instance
  }

  /// Creates an instance with the wanted blocks, or with others if that fails. [main]
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
      guard case .notInstantiated = error,
        let others = LV2BlockLengths.alternativeBlockLengths(configuration)
      else { throw error }
      // The error for the wanted blocks is the relevant one.
      do throws(LV2Error) { return try attempt(others) } catch _ { throw error }
    }
  }
}
