// LV2Node.swift: an LV2 plugin as a node of the graph. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CRealtime
package import PluginModel
package import RealtimeKit
package import Reblocking
internal import Synchronization

/// The stages of a plugin's life, reported so that a crash can be attributed.
package enum LV2PreflightStage: String, Sendable, CaseIterable {
  /// The shared library is loaded.
  case load
  /// The instance is created.
  case create
  /// The instance is connected and activated.
  case activate
  /// The instance renders.
  case run
  /// The instance is destroyed.
  case destroy
}

/// An instance of an LV2 plugin.
///
/// Create and destroy it on the main thread. Only `step` runs on the audio thread. Inputs and outputs never share
/// memory, because many plugins fail in place without declaring it.
package final class LV2Node: BlockLengthObserver, PropertyNode, ReadoutNode, ReblockedNode,
  LoggingNode
{
  /// The plugin, with ranges for this node's sample rate.
  package let description: PluginDescription
  /// The configuration of the node.
  package let configuration: NodeConfiguration

  let plugin: LV2Plugin
  private let library: LV2Library
  let log = LV2Log()
  let worker: LV2Worker?
  let keeper: LV2StateManager
  private let features: LV2Features
  private let memory: LV2Ports
  private(set) var instance: LV2Instance
  let state: UnsafeMutablePointer<LV2RunState>
  /// The guaranteed block lengths.
  private let blocks: LV2BlockLengths
  /// The block adapter; nil if the plugin accepts any block.
  package let adapter: BlockAdapter?
  /// The options of the instance.
  private var changedOptions: LV2Options?
  let properties: LV2Properties?

  /// Instantiates a plugin with default parameters and state. [main]
  ///
  /// - Parameters:
  ///   - plugin: the plugin's description.
  ///   - configuration: the sample rate and the longest block.
  ///   - world: a world with the plugin's bundle; nil to create one.
  ///   - stage: receives each stage.
  /// - Throws: `LV2Error` or `LV2StateError`.
  package init(
    _ plugin: LV2Plugin, _ configuration: NodeConfiguration, world: LV2World? = nil,
    stage: (LV2PreflightStage) -> Void = { _ in }
  ) throws {
    if let refusal = plugin.description.refusal { throw LV2Error.refused(message: refusal) }
    self.configuration = configuration
    self.plugin = plugin
    description = plugin.description(at: configuration.sampleRateHz)
    stage(.load)
    library = try LV2Library.load(description.library, for: description.name)
    // A state restored while the plugin runs reaches its audio side through the worker.
    let requestsWorker =
      description.requestsFeature(LV2.worker + "schedule")
      || description.requestsFeature(LV2.state + "threadSafeRestore")
    worker = requestsWorker ? LV2Worker(isOffline: configuration.isOffline) : nil
    let wanted = LV2BlockLengths(
      required: description.requiredFeatures, optional: description.optionalFeatures,
      limits: plugin.blockLimits, configuration)
    keeper = LV2StateManager(description, configuration, world: world)
    stage(.create)
    let made = try Self.instantiate(
      plugin, library, configuration, wanted, log, worker, keeper.scratch)
    (blocks, features) = (made.blocks, made.features)
    instance = made.instance
    keeper.prepare(for: instance, options: features.options)
    memory = LV2Ports(
      plugin.ports, maximumFrameCount: blocks.maximumFrameCount, isResizable: plugin.resizesPorts)
    state = .allocate(capacity: 1)
    state.initialize(
      to: LV2RunState(
        plugin, instance, memory, values: description.parameters.map(\.defaultValue),
        worker: worker?.pointer, transport: configuration.transport, state: keeper))
    LV2RunState.bindPreboundStep(state, to: instance)
    features.resize(state.pointee.atoms)
    properties = LV2Properties(description.properties, port: plugin.patchPort, in: state)
    state.pointee.patch = properties?.pointer
    adapter = Self.adapter(blocks, around: state, description, configuration)
    clearInputs(state)
    connectAll()
    try keeper.restoreStart(instance, worker, log)
  }

  deinit {
    worker?.stop(instance)
    instance.destroy()
    state.pointee.free()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // MARK: - Node

  /// The number of audio inputs. [any]
  package var audioInputCount: Int { description.inputCount }
  /// The number of audio outputs. [any]
  package var audioOutputCount: Int { description.outputCount }
  /// The number of control voltage outputs. [any]
  package var voltageOutputCount: Int { description.cvOutputs.count }
  /// False, see the type. [any]
  package var canRunInPlace: Bool { false }
  /// True: some plugins write to their inputs. [any]
  package var mayWriteInputs: Bool { true }
  /// Whether the plugin has output without input.
  package var generatesAudio = false

  /// The current latency in frames: that of the plugin (0 if missing or invalid) and of re-blocking. [main]
  package var latencyFrames: Int { reportedLatencyFrames + (adapter?.latencyFrames ?? 0) }

  private var reportedLatencyFrames: Int {
    guard let port = plugin.ports.firstIndex(where: { $0.role == .latency }),
      let value = memory.control(port)?.pointee, value > 0, value.isFinite
    else { return 0 }
    return Int(min(value, Self.longestLatencyFrames).rounded())
  }

  /// The maximum valid latency; a higher port value is invalid.
  private static let longestLatencyFrames: Float = 16_777_216

  /// The step for the render sequence. [main; the function itself: render, active]
  package var step: NodeStep { adapter?.step ?? Self.step(state) }

  /// The MIDI input; nil if the plugin has none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    adapter == nil ? Self.eventInput(state) : adapter?.eventInput
  }

  /// The MIDI output; nil if the plugin has none. [main; inside: render]
  package var eventOutput: UnsafeMutablePointer<EventQueue>? {
    adapter == nil ? state.pointee.sentEvents : adapter?.eventOutput
  }

  /// The input for sample-accurate values; nil if there is none. [main; the function: render, active]
  package var parameterInput: NodeParameterInput? {
    guard !description.parameters.isEmpty else { return nil }
    return NodeParameterInput(
      function: setLV2Parameter, context: state, unitFrameCount: adapter?.unitFrameCount ?? 1,
      pieceStart: state.pointee.time?.pointee.pieceStart,
      hold: NodeParameterHold(holdLV2Parameter, stored: storedLV2Value))
  }

  /// Sets a parameter to the nearest legal value, from the next block on. [main]
  package func setParameter(_ index: Int, to value: Float) {
    state.pointee.set(index, to: description.parameters[index].nearestValid(to: value))
  }

  /// Returns the value last set. [main]
  package func parameter(_ index: Int) -> Float { state.pointee.value(index) }

  /// Activates the node.
  ///
  /// The latency is known afterwards. [main, inactive]
  package func activate() throws {
    try measureLatency()
    // Some plugins read their ports in `activate`.
    copyLV2Parameters(state)
    instance.activate()
    try worker?.start(instance, name: description.name)
    queryProperties()
    keeper.isActive = true
  }

  /// Deactivates the node; no block may follow. [main, not rendering]
  package func deactivate() {
    keeper.isActive = false
    // The worker must stop before the instance is deactivated.
    worker?.stop(instance)
    instance.deactivate()
  }

  /// Clears the signal state, which in LV2 requires deactivation and activation. [main, not rendering]
  package func reset() {
    deactivate()
    adapter?.reset()
    instance.activate()
    keeper.isActive = true
    // Restarting the worker thread rarely fails; work is then not done.
    try? worker?.start(instance, name: description.name)
    resetSentTime()
  }

  /// Plugins write them in each run.
  package func refreshReadouts() {}

  // MARK: - Beyond the protocol

  /// Returns the last value of a readout. [main]
  package func readout(_ index: Int) -> Float {
    guard let port = plugin.ports.firstIndex(where: { $0.role == .readout(index) }) else {
      return 0
    }
    return memory.control(port)?.pointee ?? 0
  }

  /// Returns and removes the plugin's log messages. [main]
  package func takeMessages() -> [PluginLogMessage] { log.take() }

  /// The number of lost errors and warnings since the last call. [main]
  package func takeDroppedMessageCount() -> Int { log.takeLostCount() }

  /// Reports a new nominal block length to the plugin, at most that of the configuration.
  ///
  /// Returns whether the plugin
  /// accepted it. [main, not rendering]
  ///
  /// A plugin with a guaranteed length receives no change.
  package func blockLengthChanged(to frameCount: Int) -> Bool {
    guard let blocks = blocks.withNominalLength(frameCount) else { return false }
    let options = LV2Options(configuration, blocks, for: plugin)
    guard instance.notifyChanged(options) else { return false }
    changedOptions = options
    return true
  }

  /// Whether the plugin has an options interface and no guaranteed length. [main]
  package var observesBlockLength: Bool {
    blocks.shape == nil && instance.optionsInterface?.pointee.set != nil
  }

  // MARK: - Setup

  /// Connects every port, then the audio ports to their buffers.
  private func connectAll() {
    for index in plugin.ports.indices {
      if plugin.ports[index].role == .freeWheeling {
        memory.control(index)?.pointee = configuration.isOffline ? 1 : 0
      }
      instance.connect(index, to: memory.addresses[index])
    }
    for slot in state.pointee.audio {
      instance.connect(
        Int(slot.port), to: slot.connected == UnconnectedInput.row ? slot.rest : slot.connected)
    }
  }

  /// Runs a plugin that reports latency once on silence, then re-creates it.
  ///
  /// The port is undefined before the first run. If `activate` does not clear everything, traces of that run would be
  /// audible, so the instance is not reused.
  private func measureLatency() throws {
    guard description.reportsLatency else { return }
    state.pointee.patch?.pointee.isHeld = true
    defer { state.pointee.patch?.pointee.isHeld = false }
    copyLV2Parameters(state)
    instance.activate()
    let buffers = state.pointee.audio.map(\.connected)
    try worker?.start(instance, name: description.name)
    let mode = crealtime_flush_denormals()
    runLV2Step(state, buffers, UInt32(blocks.maximumFrameCount))
    crealtime_restore_denormals(mode)
    worker?.stop(instance)
    instance = try LV2Instance(
      plugin, in: library, sampleRateHz: configuration.sampleRateHz, features: features, log: log)
    LV2RunState.bindPreboundStep(state, to: instance)
    connectAll()
    try keeper.restoreStart(instance, worker, log)
  }
}

extension LV2Plugin {
  /// Returns the description with ranges for `sampleRateHz`. [any]
  package func description(at sampleRateHz: Double) -> PluginDescription {
    var description = description
    let ratio = Float(sampleRateHz / Self.nominalRateHz)
    for port in ports where port.isScaledByRate && ratio != 1 {
      guard case .parameter(let index) = port.role else { continue }
      description.parameters[index].scaleRange(
        by: ratio, withDefault: port.isDefaultScaledByRate)
    }
    return description
  }
}

extension Parameter {
  /// Scales the limits, and optionally the default, which stays between them.
  fileprivate mutating func scaleRange(by ratio: Float, withDefault isScaled: Bool) {
    minimum *= ratio
    maximum *= ratio
    defaultValue = min(max(isScaled ? defaultValue * ratio : defaultValue, minimum), maximum)
  }
}
