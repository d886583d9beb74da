// IsolatedNode.swift: a node whose plugin runs in a worker process. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CRealtime
internal import Glibc
internal import PluginCatalogue
package import PluginModel
package import RealtimeKit
internal import Synchronization

/// A node whose plugin runs in a worker process, and otherwise behaves like the node there.
///
/// Blocks pass through shared memory. Everything else passes through a socket, and fails if the process has ended.
/// Then the node passes its inputs on.
package final class IsolatedNode: Node {
  /// The plugin.
  package let plugin: PluginDescription
  /// The parameters, with the ranges of this node's sample rate.
  private let parameters: [Parameter]
  let configuration: NodeConfiguration
  /// The process that renders.
  package let worker: WorkerProcess
  private let pool: WorkerPool
  let number: UInt32
  let shape: NodeShape
  let memory: SharedMemory
  /// The memory of the nodes that have rendered this one in their requests.
  private var chainMemory: [SharedMemory] = []
  let state: UnsafeMutablePointer<IsolatedState>
  /// The last known status.
  var status: NodeStatus
  /// When the status was received, in ns.
  private var statusTime: UInt64 = 0
  /// Properties that the plugin has changed, and messages that it has logged, since they were taken.
  var changedProperties: [Int] = []
  var messages: [PluginLogMessage] = []
  var droppedMessageCount = 0
  /// The regularly saved state; nil before the activation and in renderings.
  var kept: KeptState?
  private var isActive = false

  /// Creates a node in a process. [main]
  ///
  /// - Throws: `IsolationError`.
  init(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits,
    in worker: WorkerProcess, of pool: WorkerPool
  ) throws(IsolationError) {
    (self.plugin, self.configuration) = (plugin, configuration)
    (self.worker, self.pool) = (worker, pool)
    number = worker.takeNumber()
    let request = NodeRequest(
      plugin: plugin, traits: traits, sampleRateHz: configuration.sampleRateHz,
      maximumFrameCount: configuration.maximumFrameCount, isOffline: configuration.isOffline,
      hasConstantBlocks: configuration.hasConstantBlocks,
      hasTransport: configuration.transport != nil)
    let made = try worker.call(
      WorkerRequest(node: number, action: .create(request)), for: plugin.name, isSlow: true)
    guard let shape = made.shape, let status = made.status, status.fits(plugin),
      shape.ranges.count == plugin.parameters.count
    else { throw .ended(name: plugin.name, .protocolError) }
    (self.shape, self.status) = (shape, status)
    parameters = zip(plugin.parameters, shape.ranges).map { parameter, range in
      var parameter = parameter
      (parameter.minimum, parameter.maximum) = (range.lowerBound, range.upperBound)
      return parameter
    }
    let layout = BlockLayout(
      parameterCount: plugin.parameters.count, inputCount: shape.inputCount,
      outputCount: shape.outputCount, maximumFrameCount: configuration.maximumFrameCount)
    guard let memory = SharedMemory(layout) else {
      throw .noMemory(name: plugin.name, byteCount: layout.byteCount, code: errno)
    }
    self.memory = memory
    let owner = try worker.share(memory, of: number, for: plugin.name)
    state = .allocate(capacity: 1)
    state.initialize(
      to: IsolatedState(
        memory, shape, parameters, configuration, owner: owner, process: worker.process,
        lateBlock: pool.lateBlock, values: status.parameters))
  }

  deinit {
    settle()
    if fault == nil, !worker.hasEnded { _ = try? call(.destroy) }
    state.deinitialize(count: 1)
    state.deallocate()
  }

  // MARK: - Requests

  /// Sends a request about this node; `setsValues` sets all parameters first. [main]
  ///
  /// - Throws: `IsolationError`.
  @discardableResult
  func call(
    _ action: WorkerRequest.Action, setsValues: Bool = false, isSlow: Bool = false
  ) throws(IsolationError) -> WorkerReply {
    guard fault == nil else { throw .left(name: plugin.name) }
    let values = setsValues ? parameters.indices.map(parameter) : []
    let reply = try worker.call(
      WorkerRequest(node: number, values: values, action: action), for: plugin.name,
      isSlow: isSlow)
    if let next = reply.status { take(next) }
    return reply
  }

  private func take(_ next: NodeStatus) {
    guard next.fits(plugin) else { return }
    let properties = next.properties ?? status.properties
    status = next
    status.properties = properties
    statusTime = crealtime_nanoseconds()
    changedProperties += next.changedProperties
    messages += next.messages
    droppedMessageCount += next.droppedMessageCount
  }

  /// How old a status of a live node may be, in ns.
  private static let statusNanoseconds: UInt64 = 50_000_000

  /// Requests the status, unless that of a live node is recent. [main]
  func refreshStatus() {
    guard isActive else { return }
    let isRecent = crealtime_nanoseconds() - statusTime < Self.statusNanoseconds
    guard configuration.isOffline || !isRecent else { return }
    // Without an answer the status stays as it is, and the fault is reported elsewhere.
    let request = WorkerRequest.Action.poll(refreshesReadouts: false)
    guard !configuration.isOffline else {
      _ = try? call(request)
      return
    }
    guard fault == nil else { return }
    try? worker.post(WorkerRequest(node: number, action: request), for: plugin.name) {
      [weak self] reply in
      if let next = reply.status { self?.take(next) }
    }
  }

  /// Keeps the memory of the first node of a chain as long as a late answer may be looked for in it. [main]
  func keepMemory(of first: IsolatedNode) {
    guard !chainMemory.contains(where: { $0 === first.memory }) else { return }
    // Those of earlier edits are not needed any more.
    chainMemory = chainMemory.suffix(7) + [first.memory]
  }

  // MARK: - Node

  /// The number of audio inputs. [any]
  package var audioInputCount: Int { shape.inputCount }
  /// The number of audio outputs. [any]
  package var audioOutputCount: Int { shape.outputCount }
  /// The number of control voltage outputs. [any]
  package var voltageOutputCount: Int { shape.voltageOutputCount }
  /// The latency of the plugin in frames, and the longest block if its output is used one block later. [main]
  package var latencyFrames: Int {
    refreshStatus()
    return status.latencyFrames + (state.pointee.delay?.pointee.frameCount ?? 0)
  }
  /// False: the inputs are needed if there is no answer. [any]
  package var canRunInPlace: Bool { false }
  /// Whether the plugin has output without input.
  package var generatesAudio: Bool { shape.flags.contains(.generatesAudio) }

  /// The step for the render sequence. [main; the function itself: render, active]
  package var step: NodeStep {
    NodeStep(
      function: state.pointee.delay == nil ? isolatedStep : blockLateStep, context: state)
  }

  /// The MIDI input; nil if the plugin has none. [main; the function itself: render, active]
  package var eventInput: NodeEventInput? {
    guard shape.flags.contains(.takesEvents) else { return nil }
    return NodeEventInput(function: takeIsolatedEvent, context: state)
  }

  /// The MIDI output; nil if the plugin has none. [main; inside: render]
  package var eventOutput: UnsafeMutablePointer<EventQueue>? { state.pointee.departures }

  /// The input for sample-accurate values; nil if there is none. [main; the function: render, active]
  package var parameterInput: NodeParameterInput? {
    guard shape.flags.contains(.takesParameters) else { return nil }
    return NodeParameterInput(
      function: setIsolatedParameter, context: state, unitFrameCount: shape.unitFrameCount,
      pieceStart: shape.flags.contains(.usesPieceStart) ? state.pointee.pieceStart : nil,
      hold: NodeParameterHold(holdIsolatedParameter, stored: storedIsolatedValue))
  }

  /// Sets a parameter to the nearest legal value, from the next block on. [main]
  package func setParameter(_ index: Int, to value: Float) {
    let legal = parameters[index].nearestValid(to: value)
    state.pointee.targets[index].store(legal.bitPattern, ordering: .relaxed)
    // Pairs with the acquiring load of the audio thread.
    state.pointee.changes.add(1, ordering: .releasing)
    guard !shape.flags.contains(.takesParameters), isActive else { return }
    _ = try? call(.poll(refreshesReadouts: false), setsValues: true)
  }

  /// Returns the value last set. [main]
  package func parameter(_ index: Int) -> Float {
    Float(bitPattern: state.pointee.targets[index].load(ordering: .relaxed))
  }

  /// Takes over the values that the plugin has after a preset or state. [main]
  func adoptValues() {
    for (index, value) in status.parameters.enumerated() {
      state.pointee.targets[index].store(value.bitPattern, ordering: .relaxed)
    }
    state.pointee.changes.add(1, ordering: .releasing)
  }

  /// Activates the plugin. [main, inactive]
  ///
  /// - Throws: `IsolationError`.
  package func activate() throws {
    try call(.activate, setsValues: true, isSlow: true)
    isActive = true
    if kept == nil, !configuration.isOffline, shape.flags.contains(.mayHaveDirectoryState) {
      try keepState(worker.sandbox?.kept ?? KeptState(for: plugin.name), olderSeconds: 0)
    }
  }

  /// Deactivates the plugin; no block may follow. [main, not rendering]
  package func deactivate() {
    isActive = false
    settle()
    _ = try? call(.deactivate)
    // Removed now, because a program that ends does not destroy its nodes.
    kept = nil
    worker.removeSandboxDirectory()
  }

  /// Clears the signal state. [main, not rendering]
  package func reset() {
    settle()
    _ = try? call(.reset)
    state.pointee.heldEvents?.pointee.clear()
    state.pointee.delay?.pointee.reset()
    state.pointee.hasOpenRequest.store(false, ordering: .relaxed)
    state.pointee.isWaiting = false
    state.pointee.isPrepared = false
    state.pointee.hasOtherInputs = false
    state.pointee.departures?.pointee.clear()
  }

  /// Waits until the worker has rendered the last block, whose answer was late or is used one block later; ends a
  /// worker that does not. [main, not rendering]
  func settle() {
    guard state.pointee.hasOpenRequest.load(ordering: .relaxed) else { return }
    let start = crealtime_nanoseconds()
    while state.pointee.open.state == Int32(CISOLATION_LATE), !worker.hasEnded {
      guard crealtime_nanoseconds() - start < state.pointee.stallNanoseconds else {
        worker.end()
        return
      }
      usleep(100)
    }
  }

  /// Whether the plugin has a better default than silence for an input. [any]
  package func hasUnconnectedDefault(_ input: Int) -> Bool { shape.unconnectedDefaults[input] }

  /// Sets the latency of the inputs, for plugins that use musical time. [main]
  package func setInputLatency(frameCount: Int) {
    guard configuration.transport != nil else { return }
    _ = try? call(.setInputLatency(frameCount))
  }
}
