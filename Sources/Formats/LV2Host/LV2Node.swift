// LV2Node.swift: an LV2 plugin as a node of the graph. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CRealtime
package import PluginModel
package import RealtimeKit
package import Reblocking
internal import Synchronization

/// The steps of a plugin's life, told as they begin, so that a crash can be put down to one of them.
package enum LV2PreflightStage: String, Sendable, CaseIterable {
  /// The shared library is loaded.
  case load
  /// The instance is made.
  case create
  /// It is connected and gets ready.
  case activate
  /// It renders.
  case run
  /// It is taken down.
  case destroy
}

/// One instance of an LV2 plugin.
///
/// Made and destroyed on the main thread; `step` alone belongs to the audio thread. Inputs and
/// outputs are never the same memory: a good many plugins break in place without saying so.
package final class LV2Node: BlockLengthObserver, ConcurrentParameterNode, PropertyNode,
  ReadoutNode, ReblockedNode, LoggingNode
{
  /// The plugin, its ranges those at this node's rate.
  package let description: PluginDescription
  /// How it was made.
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
  /// The block lengths that the plugin was promised.
  private let blocks: LV2BlockLengths
  /// Keeps the promise; nil where the plugin takes any block.
  package let adapter: BlockAdapter?
  /// What the plugin was told since it was made.
  private var news: LV2Options?
  let properties: LV2Properties?

  /// Instantiates a plugin, its parameters and its state at their defaults. [main]
  ///
  /// - Parameters:
  ///   - plugin: what was read of it.
  ///   - configuration: the rate and the longest block.
  ///   - world: one that has read the plugin's bundle; nil for one of the node's own.
  ///   - stage: hears what is begun.
  /// - Throws: `LV2Error` or `LV2StateError`.
  package init(
    _ plugin: LV2Plugin, _ configuration: NodeConfiguration, world: LV2World? = nil,
    stage: (LV2PreflightStage) -> Void = { _ in }
  ) throws {
    if let refusal = plugin.description.refusal { throw LV2Error.refused(sentence: refusal) }
    self.configuration = configuration
    self.plugin = plugin
    description = plugin.description(at: configuration.sampleRateHz)
    stage(.load)
    library = try LV2Library.load(description.library, for: description.name)
    // What is restored while the plugin runs goes to its audio side by way of the worker.
    let asksForWorker =
      description.asks(for: LV2.worker + "schedule")
      || description.asks(for: LV2.state + "threadSafeRestore")
    worker = asksForWorker ? LV2Worker(isOffline: configuration.isOffline) : nil
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
    LV2RunState.tie(state, to: instance)
    features.resize(state.pointee.atoms)
    properties = LV2Properties(description.properties, port: plugin.patchPort, in: state)
    state.pointee.patch = properties?.pointer
    adapter = Self.adapter(blocks, around: state, description, configuration)
    clearInputs(state)
    connectAll()
    try keeper.restoreStart(instance, worker, log)
  }

  deinit {
    worker?.stop()
    instance.destroy()
    state.pointee.free()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // MARK: - Node

  /// How many audio inputs the step takes. [any]
  package var audioInputCount: Int { description.inputCount }
  /// How many audio outputs the step fills. [any]
  package var audioOutputCount: Int { description.outputCount }
  package var voltageOutputCount: Int { description.cvOutputs.count }
  /// Never: see the type. [any]
  package var canRunInPlace: Bool { false }
  package var writesInputs = false
  package var soundsAlone = false

  /// The delay that the plugin reports now, 0 if it reports none or nonsense, and that of re-blocking,
  /// in frames. [main]
  package var latencyFrames: Int { reportedLatencyFrames + (adapter?.latencyFrames ?? 0) }

  private var reportedLatencyFrames: Int {
    guard let port = plugin.ports.firstIndex(where: { $0.role == .latency }),
      let value = memory.control(port)?.pointee, value > 0, value.isFinite
    else { return 0 }
    return Int(min(value, Self.longestLatencyFrames).rounded())
  }

  /// More than any plugin delays: beyond it the port holds nonsense.
  private static let longestLatencyFrames: Float = 16_777_216

  /// What the program calls. [main; the function itself: render, active]
  package var step: NodeStep { adapter?.step ?? Self.step(state) }

  /// Where MIDI goes to the plugin; nil if no port takes it. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    adapter == nil ? Self.eventInput(state) : adapter?.eventInput
  }

  /// Where the plugin's MIDI is after each step; nil if no port sends it. [main; inside: render]
  package var eventOutput: UnsafeMutablePointer<EventQueue>? {
    adapter == nil ? state.pointee.sentEvents : adapter?.eventOutput
  }

  /// Where values come in that are due at a frame; nil if it has none. [main; the function: render, active]
  package var parameterInput: NodeParameterInput? {
    guard !description.parameters.isEmpty else { return nil }
    return NodeParameterInput(
      function: setLV2Parameter, context: state, unitFrameCount: adapter?.unitFrameCount ?? 1,
      pieceStart: state.pointee.time?.pointee.pieceStart)
  }

  /// Sets a parameter to the nearest legal value; heard from the next block on. [main]
  package func setParameter(_ index: Int, to value: Float) {
    state.pointee.set(index, to: description.parameters[index].nearestLegal(to: value))
  }

  /// The value last set. [main]
  package func parameter(_ index: Int) -> Float { state.pointee.value(index) }

  /// Gets ready to render; where the plugin reports a delay it is known afterwards. [main, inactive]
  package func activate() throws {
    try learnLatency()
    // Some plugins read their ports in `activate`.
    copyLV2Parameters(state)
    instance.activate()
    try worker?.start(instance, name: description.name)
    learnProperties()
    keeper.isActive = true
  }

  /// The opposite of `activate`; no block follows. [main, not rendering]
  package func deactivate() {
    keeper.isActive = false
    // Work must not go on while the instance is deactivated.
    worker?.stop()
    instance.deactivate()
  }

  /// Goes back to silence by the only way LV2 has: deactivating, and activating again. [main, not rendering]
  package func reset() {
    deactivate()
    adapter?.reset()
    instance.activate()
    keeper.isActive = true
    // A thread was there a moment ago; should there be none now, work is left undone.
    try? worker?.start(instance, name: description.name)
    forgetToldTime()
  }

  /// Plugins write them in each run.
  package func refreshReadouts() {}

  // MARK: - Beyond the protocol

  /// What the plugin last wrote to a readout, by its position in the description. [main]
  package func readout(_ index: Int) -> Float {
    guard let port = plugin.ports.firstIndex(where: { $0.role == .readout(index) }) else {
      return 0
    }
    return memory.control(port)?.pointee ?? 0
  }

  /// What the plugin has said since the last call. [main]
  package func takeMessages() -> [PluginLogMessage] { log.take() }

  /// How many errors and warnings found no room since the last call. [main]
  package func takeLostMessageCount() -> Int { log.takeLostCount() }

  /// Tells the plugin of a block length that the host has come to use, at most that of the
  /// configuration; whether it heard it. [main, not rendering]
  ///
  /// One that was promised a length keeps it, and is told nothing.
  package func blockLengthChanged(to frameCount: Int) -> Bool {
    guard let blocks = blocks.typically(frameCount) else { return false }
    let options = LV2Options(configuration, blocks, for: plugin)
    guard instance.tell(options) else { return false }
    news = options
    return true
  }

  /// Whether the plugin has an interface for that, and was promised no length. [main]
  package var hearsBlockLength: Bool {
    blocks.shape == nil && instance.optionsInterface?.pointee.set != nil
  }

  // MARK: - Setting up

  /// Connects every port, then the audio ports to where the state says they are.
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

  /// Runs a plugin that reports a delay once on silence, then makes it anew.
  ///
  /// The port holds nothing before the first run. A block that was rendered would be heard in plugins
  /// whose `activate` does not clear everything, so that instance is not used again.
  private func learnLatency() throws {
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
    worker?.stop()
    instance = try LV2Instance(
      plugin, in: library, sampleRateHz: configuration.sampleRateHz, features: features, log: log)
    LV2RunState.tie(state, to: instance)
    connectAll()
    try keeper.restoreStart(instance, worker, log)
  }
}

extension LV2Plugin {
  /// The description with those ranges that depend on the rate as they are at `sampleRateHz`. [any]
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
  /// Multiplies the limits, and the default or not; it stays between them in any case.
  fileprivate mutating func scaleRange(by ratio: Float, withDefault isScaled: Bool) {
    minimum *= ratio
    maximum *= ratio
    defaultValue = min(max(isScaled ? defaultValue * ratio : defaultValue, minimum), maximum)
  }
}
