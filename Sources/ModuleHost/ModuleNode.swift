// ModuleNode.swift: one instance of a native module. SPDX-License-Identifier: MIT

import CModule
import CRealtime
package import PluginModel
import RealtimeKit
package import Reblocking
import Synchronization

/// A native module in a graph.
///
/// It meets what the manifest asks for: blocks of another length than the graph's are re-blocked, at
/// a delay that is part of `latencyFrames`; parameters that want it are ramped; values are clamped.
package final class ModuleNode: ReblockedNode {
  /// How much MIDI may wait for the next block, in bytes: 2,000 short messages.
  private static let eventCapacityBytes = 1 << 16
  /// The longest delay that is believed, in seconds: every path beside the module is delayed as much,
  /// and four billion frames would take all the memory there is.
  private static let longestLatencySeconds = 10.0

  /// The manifest.
  package let plugin: PluginDescription
  package let canRunInPlace: Bool
  let library: ModuleLibrary
  let state: UnsafeMutablePointer<ModuleState>
  /// Gives it the blocks that it wants; nil where it takes any, or is content with a maximum.
  package let adapter: BlockAdapter?
  /// The delay of the module itself, in frames.
  private let ownLatencyFrames: Int
  let sampleRateHz: Double
  let readSound: SoundReader?
  /// The path of each file that the module was given.
  var files: [String?]

  /// Makes an instance with every parameter at its default. [main]
  ///
  /// - Parameters:
  ///   - library: its code.
  ///   - plugin: its manifest.
  ///   - configuration: the rate and the longest block.
  ///   - readSound: reads the files that it is given.
  /// - Throws: `ModuleError.createFailed`, `.functionMissing`, `.latencyTooLong`.
  package init(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ configuration: NodeConfiguration,
    readSound: SoundReader? = nil
  ) throws(ModuleError) {
    try library.checkFunctions(for: plugin)
    let requirements = plugin.module ?? ModuleRequirements()
    let shape = requirements.block.shape
    let longestBlock = requirements.block.longest(in: configuration)
    var instance: UnsafeMutableRawPointer?
    if let create = library.functions.create {
      instance = create(configuration.sampleRateHz, UInt32(longestBlock))
      guard instance != nil else {
        throw .createFailed(
          name: plugin.name, sampleRateHz: configuration.sampleRateHz,
          maximumFrameCount: longestBlock)
      }
    }
    self.library = library
    self.plugin = plugin
    sampleRateHz = configuration.sampleRateHz
    self.readSound = readSound
    files = plugin.properties.map { _ in nil }
    state = .allocate(capacity: 1)
    state.initialize(
      to: ModuleState(
        library.functions, instance, plugin, requirements, longestBlock,
        sampleRateHz: configuration.sampleRateHz, eventCapacityBytes: Self.eventCapacityBytes))
    if let shape {
      adapter = BlockAdapter(shape, around: Self.inner(state, library), configuration)
    } else {
      adapter = nil
    }
    ownLatencyFrames = library.functions.latency.map { Int($0(instance)) } ?? 0
    // Re-blocking reads a stretch of every input before it writes to any output.
    canRunInPlace = requirements.canRunInPlace || adapter?.startsCollecting ?? false
    // Last, as from here on a refusal destroys the instance.
    try Self.checkShape(library, plugin, instance)
    let longest = Int(Self.longestLatencySeconds * configuration.sampleRateHz)
    guard ownLatencyFrames <= longest else {
      throw .latencyTooLong(
        name: plugin.name, frameCount: ownLatencyFrames, maximumFrameCount: longest)
    }
  }

  /// Throws where the code says that it is of another shape than the manifest: it would read and write
  /// beyond what it is given.
  private static func checkShape(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ instance: UnsafeMutableRawPointer?
  ) throws(ModuleError) {
    guard let shape = library.functions.shape else { return }
    var counts = [UInt32](repeating: .max, count: 3)
    shape(instance, &counts)
    let declared = [plugin.audioInputs.count, plugin.audioOutputs.count, plugin.parameters.count]
    let differences = zip(["inputs", "outputs", "parameters"], zip(counts, declared)).compactMap {
      what, pair -> ModuleError.Difference? in
      guard pair.0 != .max, Int(pair.0) != pair.1 else { return nil }
      return ModuleError.Difference(what: what, found: Int(pair.0), declared: pair.1)
    }
    guard differences.isEmpty else {
      throw .otherShape(name: plugin.name, differences: differences)
    }
  }

  deinit {
    library.functions.destroy?(state.pointee.state)
    state.deinitialize(count: 1)
    state.deallocate()
  }

  package var audioInputCount: Int { state.pointee.inputCount }
  package var audioOutputCount: Int { state.pointee.outputCount }

  /// The delay from input to output, in frames: the module's own, and that of re-blocking. [main]
  package var latencyFrames: Int { ownLatencyFrames + (adapter?.latencyFrames ?? 0) }

  package var step: NodeStep {
    if let adapter { return adapter.step }
    return NodeStep(
      function: canBeHeld ? heldModuleStep : moduleStep, context: UnsafeMutableRawPointer(state))
  }

  /// Whether the main thread may want to save or restore while it renders.
  private var canBeHeld: Bool { Self.canBeHeld(library) }

  private static func canBeHeld(_ library: ModuleLibrary) -> Bool {
    library.hasState
  }

  /// Where the graph's MIDI goes; nil if the manifest or the library has no MIDI.
  package var eventInput: NodeEventInput? {
    adapter == nil ? Self.eventInput(state) : adapter?.eventInput
  }

  /// The module as an adapter calls it: in whole blocks.
  private static func inner(
    _ state: UnsafeMutablePointer<ModuleState>, _ library: ModuleLibrary
  ) -> BlockAdapter.Inner {
    var inner = BlockAdapter.Inner(
      step: NodeStep(
        function: canBeHeld(library) ? heldUncutModuleStep : uncutModuleStep,
        context: UnsafeMutableRawPointer(state)),
      inputCount: state.pointee.inputCount, outputCount: state.pointee.outputCount)
    inner.eventInput = eventInput(state)
    return inner
  }

  private static func eventInput(_ state: UnsafeMutablePointer<ModuleState>) -> NodeEventInput? {
    guard state.pointee.midi != nil else { return nil }
    return NodeEventInput(function: takeModuleEvent, context: UnsafeMutableRawPointer(state))
  }

  package var parameterInput: NodeParameterInput? {
    guard !plugin.parameters.isEmpty else { return nil }
    return NodeParameterInput(
      function: setModuleParameter, context: UnsafeMutableRawPointer(state),
      unitFrameCount: adapter?.unitFrameCount ?? 1)
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
    library.functions.reset?(state.pointee.state)
    // What was collected has gone by in the stream, though the module never saw it.
    state.pointee.position.add(UInt64(adapter?.collectedFrameCount ?? 0), ordering: .relaxed)
    adapter?.reset()
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

extension ModuleRequirements.Block {
  /// What an adapter has to bring blocks to; nil where any will do that are short enough.
  fileprivate var shape: BlockShape? {
    switch self {
    case .any, .maximum: nil
    case .fixed(let frameCount): .exactly(frameCount: frameCount)
    case .multiple(let frameCount): .multiple(of: frameCount)
    }
  }

  /// The longest block that the module will be given.
  fileprivate func longest(in configuration: NodeConfiguration) -> Int {
    let maximum = configuration.maximumFrameCount
    guard let shape else {
      guard case .maximum(let frameCount) = self else { return maximum }
      precondition(frameCount > 0, "a module's block must have at least one frame")
      return min(frameCount, maximum)
    }
    return shape.fitsAllBlocks(of: configuration) ? shape.longest(for: maximum) : shape.frameCount
  }
}
