// ModuleNode.swift: an instance of a native module. SPDX-License-Identifier: MIT

import AdaptiveResampling
import CModule
import CRealtime
package import PluginModel
import RealtimeKit
package import Reblocking
import Synchronization

/// A native module as a node.
///
/// It applies the manifest: it re-blocks and resamples if needed, which adds to `latencyFrames`. It also ramps
/// and clamps parameters.
package final class ModuleNode: ReblockedNode {
  /// The size of the MIDI queue, in bytes: 2,000 short messages.
  private static let eventCapacityBytes = 1 << 16
  /// The longest accepted latency, in seconds.
  ///
  /// Parallel paths are delayed by the same time, so a wrong value
  /// could use all memory.
  private static let longestLatencySeconds = 10.0

  /// The manifest.
  package let plugin: PluginDescription
  /// Whether inputs and outputs may share memory. [any]
  package let canRunInPlace: Bool
  /// True: some modules write to their inputs. [any]
  package var mayWriteInputs: Bool { true }
  /// Whether the module has output without input.
  package var generatesAudio = false
  let library: ModuleLibrary
  let state: UnsafeMutablePointer<ModuleState>
  /// The block adapter; nil if the module accepts all lengths up to the maximum.
  package let adapter: BlockAdapter?
  /// The rate adapter; nil if the module runs at the graph's rate.
  package let rateAdapter: RateAdapter?
  /// The latency of the module itself, in frames at its own rate.
  private var ownLatencyFrames = 0
  /// The sample rate of the module, in Hz.
  let sampleRateHz: Double
  let readAudioFile: AudioFileReaderFunction?
  /// The plugin and the node, for messages.
  let owner: ForeignCode.Owner
  /// The path of each loaded file.
  var files: [String?]

  /// Creates an instance with all parameters at their defaults. [main]
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - plugin: the manifest.
  ///   - configuration: the sample rate and the longest block.
  ///   - readAudioFile: reads audio files.
  /// - Throws: `ModuleError.createFailed`, `.functionMissing`, `.latencyTooLong`, `.notResampled`.
  package init(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ configuration: NodeConfiguration,
    readAudioFile: AudioFileReaderFunction? = nil
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
    owner = ForeignCode.Owner(plugin.name)
    sampleRateHz = rateHz
    self.readAudioFile = readAudioFile
    files = plugin.properties.map { _ in nil }
    state = .allocate(capacity: 1)
    state.initialize(
      to: ModuleState(
        library.functions, instance, plugin, requirements, longestBlock,
        sampleRateHz: rateHz, eventCapacityBytes: Self.eventCapacityBytes))
    if let shape = requirements.block.shape {
      adapter = BlockAdapter(
        shape, around: Self.inner(state, library, canBeSplit: false), own)
    } else {
      adapter = nil
    }
    var resampled: Result<RateAdapter?, ModuleError> = .success(nil)
    if isResampled {
      resampled = Self.rateAdapter(
        around: Self.inner(state, library, adapter), rateHz, configuration, plugin.name)
    }
    rateAdapter = try? resampled.get()
    // Both adapters read part of every input before they write any output.
    canRunInPlace =
      requirements.canRunInPlace || isResampled || adapter?.startsCollecting ?? false
    // Last, because a failure from here on destroys the instance.
    _ = try resampled.get()
    try Self.checkPortCounts(library, plugin, instance)
    try readLatency()
  }

  private func readLatency() throws(ModuleError) {
    let frameCount = ForeignCode.watched(owner, .quick("latency")) {
      library.functions.latency.map { Int($0(state.pointee.state)) } ?? 0
    }
    let longest = Int(Self.longestLatencySeconds * sampleRateHz)
    guard frameCount <= longest else {
      throw .latencyTooLong(name: plugin.name, frameCount: frameCount, maximumFrameCount: longest)
    }
    ownLatencyFrames = frameCount
  }

  deinit {
    ForeignCode.call(owner, .quick("destroy")) { library.functions.destroy?(state.pointee.state) }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var audioInputCount: Int { state.pointee.inputCount }
  package var audioOutputCount: Int { state.pointee.outputCount }

  /// The latency in frames: that of the module, of re-blocking and of resampling.
  /// [main]
  package var latencyFrames: Int {
    let innerFrames = ownLatencyFrames + (adapter?.latencyFrames ?? 0)
    guard let rateAdapter else { return innerFrames }
    return rateAdapter.outerFrames(innerFrames) + rateAdapter.latencyFrames
  }

  package var step: NodeStep {
    rateAdapter?.step ?? adapter?.step ?? Self.inner(state, library, canBeSplit: true).step
  }

  /// The MIDI input; nil if the manifest or the library has no MIDI.
  package var eventInput: NodeEventInput? {
    if let rateAdapter { return rateAdapter.eventInput }
    return adapter == nil ? Self.eventInput(state) : adapter?.eventInput
  }

  /// The step of the module for an adapter: in whole blocks if `canBeSplit` is false.
  private static func inner(
    _ state: UnsafeMutablePointer<ModuleState>, _ library: ModuleLibrary, canBeSplit: Bool
  ) -> BlockAdapter.Inner {
    // With state, the main thread may save or restore while the module renders.
    let function: crealtime_step_function =
      switch (library.hasState, canBeSplit) {
      case (false, true): moduleStep
      case (false, false): wholeBlockModuleStep
      case (true, true): lockableModuleStep
      case (true, false): lockableWholeBlockStep
      }
    var inner = BlockAdapter.Inner(
      step: NodeStep(function: function, context: UnsafeMutableRawPointer(state)),
      inputCount: state.pointee.inputCount, outputCount: state.pointee.outputCount)
    inner.eventInput = eventInput(state)
    return inner
  }

  /// The step for a resampler: the module, with its block adapter.
  private static func inner(
    _ state: UnsafeMutablePointer<ModuleState>, _ library: ModuleLibrary, _ adapter: BlockAdapter?
  ) -> BlockAdapter.Inner {
    var inner = Self.inner(state, library, canBeSplit: true)
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
      unitFrameCount: rateAdapter == nil ? adapter?.unitFrameCount ?? 1 : 1,
      hold: NodeParameterHold(holdModuleParameter, stored: storedModuleValue))
  }

  package func setParameter(_ index: Int, to value: Float) {
    let allowed = plugin.parameters[index].nearestValid(to: value)
    state.pointee.targets[index].store(allowed.bitPattern, ordering: .relaxed)
  }

  package func parameter(_ index: Int) -> Float {
    Float(bitPattern: state.pointee.targets[index].load(ordering: .relaxed))
  }

  /// Starts parameters at their current values, without a ramp.
  ///
  /// Code that has prepared with other values prepares again, which may change the latency. [main, inactive]
  ///
  /// - Throws: `ModuleError.latencyTooLong`.
  package func activate() throws(ModuleError) {
    state.pointee.jumpToTargets()
    guard let prepare = library.functions.prepare else { return }
    ForeignCode.call(owner, .slow("outboard_prepare")) {
      prepare(state.pointee.state, state.pointee.values)
    }
    try readLatency()
  }

  package func deactivate() {}

  package func reset() {
    ForeignCode.call(owner, .quick("reset")) { library.functions.reset?(state.pointee.state) }
    // The collected frames have passed in the stream, although the module did not render them.
    state.pointee.position.add(UInt64(adapter?.collectedFrameCount ?? 0), ordering: .relaxed)
    adapter?.reset()
    rateAdapter?.reset()
    state.pointee.jumpToTargets()
    state.pointee.clearEvents()
  }

  /// The number of frames rendered since creation, the time base of MIDI messages. [any]
  package var renderedFrameCount: UInt64 { state.pointee.position.load(ordering: .relaxed) }

  /// Sends a MIDI message for a frame of the stream, in the time base of `renderedFrameCount`.
  ///
  /// Returns false if
  /// the queue is full or the module accepts no MIDI.
  ///
  /// Send messages in order of time. A late message takes effect at once, so frame 0 means now. [main]
  package func send(midi bytes: [UInt8], atFrame frame: UInt64) -> Bool {
    guard state.pointee.midi != nil else { return false }
    return state.pointee.events.write(time: frame, bytes)
  }
}
