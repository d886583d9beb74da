// ModuleNode.swift: one instance of a native module. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CModule
import CRealtime
package import PluginModel
import RealtimeKit
package import Reblocking
import Synchronization

/// A native module in a graph.
///
/// It meets what the manifest asks for: blocks of another length than the graph's are re-blocked, and another
/// rate is reached by resampling, at a delay that is part of `latencyFrames`; parameters that want it are
/// ramped; values are clamped.
package final class ModuleNode: ConcurrentParameterNode, ReblockedNode {
  /// How much MIDI may wait for the next block, in bytes: 2,000 short messages.
  private static let eventCapacityBytes = 1 << 16
  /// The longest delay that is believed, in seconds: every path beside the module is delayed as much,
  /// and four billion frames would take all the memory there is.
  private static let longestLatencySeconds = 10.0

  /// The manifest.
  package let plugin: PluginDescription
  package let canRunInPlace: Bool
  package var writesInputs = false
  package var soundsAlone = false
  let library: ModuleLibrary
  let state: UnsafeMutablePointer<ModuleState>
  /// Gives it the blocks that it wants; nil where it takes any, or is content with a maximum.
  package let adapter: BlockAdapter?
  /// Runs it at a rate that it works at; nil if that is the graph's.
  package let rateAdapter: RateAdapter?
  /// The delay of the module itself, in frames at its own rate.
  private let ownLatencyFrames: Int
  /// The rate at which the module runs, in Hz.
  let sampleRateHz: Double
  let readSound: AudioFileReaderFunction?
  /// The path of each file that the module was given.
  var files: [String?]

  /// Makes an instance with every parameter at its default. [main]
  ///
  /// - Parameters:
  ///   - library: its code.
  ///   - plugin: its manifest.
  ///   - configuration: the rate and the longest block.
  ///   - readSound: reads the files that it is given.
  /// - Throws: `ModuleError.createFailed`, `.functionMissing`, `.latencyTooLong`, `.notResampled`.
  package init(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ configuration: NodeConfiguration,
    readSound: AudioFileReaderFunction? = nil
  ) throws(ModuleError) {
    try library.checkFunctions(for: plugin)
    let requirements = plugin.module ?? ModuleRequirements()
    let rateHz = requirements.rateHz(in: configuration.sampleRateHz)
    let isResampled = rateHz != configuration.sampleRateHz
    let own =
      isResampled
      ? RateAdapter.innerConfiguration(configuration, rateHz: rateHz) : configuration
    let longestBlock = requirements.block.longest(in: own)
    let instance = try Self.create(library, plugin, own, longestBlock)
    self.library = library
    self.plugin = plugin
    sampleRateHz = rateHz
    self.readSound = readSound
    files = plugin.properties.map { _ in nil }
    state = .allocate(capacity: 1)
    state.initialize(
      to: ModuleState(
        library.functions, instance, plugin, requirements, longestBlock,
        sampleRateHz: rateHz, eventCapacityBytes: Self.eventCapacityBytes))
    if let shape = requirements.block.shape {
      adapter = BlockAdapter(
        shape, around: Self.inner(state, library, mayBeCut: false), own)
    } else {
      adapter = nil
    }
    var resampled: Result<RateAdapter?, ModuleError> = .success(nil)
    if isResampled {
      resampled = Self.rateAdapter(
        around: Self.inner(state, library, adapter), rateHz, configuration, plugin.name)
    }
    rateAdapter = try? resampled.get()
    ownLatencyFrames = library.functions.latency.map { Int($0(instance)) } ?? 0
    // Both adapters read a stretch of every input before they write to any output.
    canRunInPlace =
      requirements.canRunInPlace || isResampled || adapter?.startsCollecting ?? false
    // Last, as from here on a refusal destroys the instance.
    _ = try resampled.get()
    try Self.checkShape(library, plugin, instance)
    let longest = Int(Self.longestLatencySeconds * rateHz)
    guard ownLatencyFrames <= longest else {
      throw .latencyTooLong(
        name: plugin.name, frameCount: ownLatencyFrames, maximumFrameCount: longest)
    }
  }

  deinit {
    ForeignCode.call(plugin.name) { library.functions.destroy?(state.pointee.state) }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var audioInputCount: Int { state.pointee.inputCount }
  package var audioOutputCount: Int { state.pointee.outputCount }

  /// The delay from input to output, in frames: the module's own, and that of re-blocking and resampling.
  /// [main]
  package var latencyFrames: Int {
    let own = ownLatencyFrames + (adapter?.latencyFrames ?? 0)
    guard let rateAdapter else { return own }
    return rateAdapter.outerFrames(own) + rateAdapter.latencyFrames
  }

  package var step: NodeStep {
    rateAdapter?.step ?? adapter?.step ?? Self.inner(state, library, mayBeCut: true).step
  }

  /// Where the graph's MIDI goes; nil if the manifest or the library has no MIDI.
  package var eventInput: NodeEventInput? {
    if let rateAdapter { return rateAdapter.eventInput }
    return adapter == nil ? Self.eventInput(state) : adapter?.eventInput
  }

  /// The module as an adapter calls it: in whole blocks where `mayBeCut` is false.
  private static func inner(
    _ state: UnsafeMutablePointer<ModuleState>, _ library: ModuleLibrary, mayBeCut: Bool
  ) -> BlockAdapter.Inner {
    // With state, the main thread may want to save or restore while it renders.
    let function: crealtime_step_function =
      switch (library.hasState, mayBeCut) {
      case (false, true): moduleStep
      case (false, false): uncutModuleStep
      case (true, true): heldModuleStep
      case (true, false): heldUncutModuleStep
      }
    var inner = BlockAdapter.Inner(
      step: NodeStep(function: function, context: UnsafeMutableRawPointer(state)),
      inputCount: state.pointee.inputCount, outputCount: state.pointee.outputCount)
    inner.eventInput = eventInput(state)
    return inner
  }

  /// What a resampler runs: the module, in the blocks that its adapter gives it.
  private static func inner(
    _ state: UnsafeMutablePointer<ModuleState>, _ library: ModuleLibrary, _ adapter: BlockAdapter?
  ) -> BlockAdapter.Inner {
    var inner = Self.inner(state, library, mayBeCut: true)
    if let adapter {
      inner.step = adapter.step
      inner.eventInput = adapter.eventInput
    }
    return inner
  }

  private static func rateAdapter(
    around inner: BlockAdapter.Inner, _ rateHz: Double, _ configuration: NodeConfiguration,
    _ name: String
  ) -> Result<RateAdapter?, ModuleError> {
    do throws(AdaptiveResamplingError) {
      return .success(try RateAdapter(around: inner, rateHz: rateHz, configuration))
    } catch {
      return .failure(
        .notResampled(
          name: name, rateHz: rateHz, graphRateHz: configuration.sampleRateHz, reason: "\(error)"))
    }
  }

  private static func eventInput(_ state: UnsafeMutablePointer<ModuleState>) -> NodeEventInput? {
    guard state.pointee.midi != nil else { return nil }
    return NodeEventInput(function: takeModuleEvent, context: UnsafeMutableRawPointer(state))
  }

  package var parameterInput: NodeParameterInput? {
    guard !plugin.parameters.isEmpty else { return nil }
    return NodeParameterInput(
      function: setModuleParameter, context: UnsafeMutableRawPointer(state),
      unitFrameCount: rateAdapter == nil ? adapter?.unitFrameCount ?? 1 : 1)
  }

  package func setParameter(_ index: Int, to value: Float) {
    let legal = plugin.parameters[index].nearestLegal(to: value)
    state.pointee.targets[index].store(legal.bitPattern, ordering: .relaxed)
  }

  package func parameter(_ index: Int) -> Float {
    Float(bitPattern: state.pointee.targets[index].load(ordering: .relaxed))
  }

  /// Parameters start where they were set, without a ramp. [main, inactive]
  package func activate() { state.pointee.settle() }

  package func deactivate() {}

  package func reset() {
    ForeignCode.call(plugin.name) { library.functions.reset?(state.pointee.state) }
    // What was collected has gone by in the stream, though the module never saw it.
    state.pointee.position.add(UInt64(adapter?.collectedFrameCount ?? 0), ordering: .relaxed)
    adapter?.reset()
    rateAdapter?.reset()
    state.pointee.settle()
    state.pointee.forgetEvents()
  }

  /// Frames of the stream that the module has rendered since it was made: what MIDI is stamped
  /// against. [any]
  package var renderedFrameCount: UInt64 { state.pointee.position.load(ordering: .relaxed) }

  /// Sends a MIDI message that takes effect at a frame of the stream, counted as
  /// `renderedFrameCount` is; false if too much is waiting or the module takes no MIDI.
  ///
  /// Messages are sent in the order of their frames; one whose frame has gone by takes effect at once,
  /// so frame 0 means now. [main]
  package func send(midi bytes: [UInt8], atFrame frame: UInt64) -> Bool {
    guard state.pointee.midi != nil else { return false }
    return state.pointee.events.write(time: frame, bytes)
  }
}
