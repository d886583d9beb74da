// WorkerNode.swift: a node in a worker process. SPDX-License-Identifier: MIT

internal import CIsolation
internal import Glibc
internal import PluginCatalogue
internal import PluginModel
internal import RealtimeKit
internal import Synchronization

/// A node in a worker process, with its thread. [main, in the worker]
final class WorkerNode {
  let node: any Node
  let plugin: PluginDescription
  private let configuration: NodeConfiguration
  private var memory: SharedMemory?
  private var block: UnsafeMutablePointer<WorkerBlock>?
  private var thread: RealtimeThread?
  private let number: UInt32
  private let table: WorkerTable
  /// The property values of the last status.
  private var sentProperties: [PropertyValue?]?
  /// Saves the state regularly; nil if nothing is saved.
  private(set) var keeper: StateKeeper?

  /// Creates a node with the loader of its format.
  init(
    _ request: NodeRequest, _ loader: any PluginLoader, number: UInt32, in table: WorkerTable
  ) throws {
    plugin = request.plugin
    (self.number, self.table) = (number, table)
    let transport = request.hasTransport ? Transport(sampleRateHz: request.sampleRateHz) : nil
    configuration = NodeConfiguration(
      sampleRateHz: request.sampleRateHz, maximumFrameCount: request.maximumFrameCount,
      isOffline: request.isOffline, hasConstantBlocks: request.hasConstantBlocks,
      transport: transport)
    node = try loader.makeNode(plugin, configuration, request.traits)
  }

  deinit {
    table.remove(number)
    if let memory { cisolation_close(memory.block) }
    if let thread = thread.take() { thread.join() }
    if let memory { cisolation_disown(memory.block) }
    block?.deinitialize(count: 1)
    block?.deallocate()
  }

  /// The number of blocks that were rendered.
  var renderedBlockCount: UInt32 { block?.pointee.renderedCount.load(ordering: .relaxed) ?? 0 }

  // MARK: - Shared memory

  private var layout: BlockLayout {
    BlockLayout(
      parameterCount: plugin.parameters.count, inputCount: node.audioInputCount,
      outputCount: node.audioOutputCount, maximumFrameCount: configuration.maximumFrameCount)
  }

  /// Maps the memory and starts the thread; returns its id, 0 on failure.
  func share(_ descriptor: Int32) -> UInt32 {
    guard descriptor >= 0, let memory = SharedMemory(layout, descriptor: descriptor) else {
      return 0
    }
    let block = UnsafeMutablePointer<WorkerBlock>.allocate(capacity: 1)
    block.initialize(to: WorkerBlock(memory, node, configuration.transport, table))
    (self.memory, self.block) = (memory, block)
    table.add(number, block)
    let priority = configuration.isOffline ? 0 : RealtimeThread.audioPriority - 1
    do throws(ThreadCreationError) {
      thread = try RealtimeThread(priority: priority, entry: runWorkerThread, context: block)
    } catch {
      return 0
    }
    // Pairs with the releasing store of the thread.
    var owner = block.pointee.owner.load(ordering: .acquiring)
    while owner == 0 {
      usleep(100)
      owner = block.pointee.owner.load(ordering: .acquiring)
    }
    return owner == .max ? 0 : owner
  }

  /// Saves the state regularly from now on.
  func keepState(in directory: String, olderSeconds: Int) {
    keeper = StateKeeper(directory: directory, olderSeconds: olderSeconds)
  }

  // MARK: - Description

  /// What does not change while the node exists.
  var shape: NodeShape {
    let capabilities = node.capabilities
    var shape = NodeShape()
    shape.flags = Self.flags(node, capabilities)
    shape.inputCount = node.audioInputCount
    shape.outputCount = node.audioOutputCount
    shape.voltageOutputCount = node.voltageOutputCount
    shape.unitFrameCount = max(1, node.parameterInput?.unitFrameCount ?? 1)
    shape.ranges = plugin.parameters.indices.map(range)
    shape.unconnectedDefaults = (0 ..< node.audioInputCount).map(node.hasUnconnectedDefault)
    return shape
  }

  private static func flags(_ node: any Node, _ capabilities: NodeCapabilities) -> NodeShape.Flags {
    let all: [(NodeShape.Flags, Bool)] = [
      (.generatesAudio, node.generatesAudio), (.takesEvents, node.eventInput != nil),
      (.sendsEvents, node.eventOutput != nil), (.takesParameters, node.parameterInput != nil),
      (.hasState, capabilities.state != nil),
      (.hasDirectoryState, capabilities.directoryState != nil),
      (.mayHaveDirectoryState, capabilities.directoryState?.hasState ?? false),
      (.transfersState, capabilities.stateTransfer != nil),
      (.hasPresets, capabilities.presets != nil),
      (.hasProperties, capabilities.properties != nil),
      (
        .acceptsPropertiesWhileRendering,
        capabilities.properties?.acceptsPropertiesWhileRendering ?? false
      ),
      (.hasReadouts, capabilities.readouts != nil), (.logs, capabilities.log != nil),
      (.observesBlockLength, capabilities.blockLength?.observesBlockLength ?? false),
      (.usesPieceStart, node.parameterInput?.pieceStart != nil),
    ]
    return all.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
  }

  /// Returns the range of a parameter at the node's rate, which its description may not contain.
  private func range(_ index: Int) -> ClosedRange<Float> {
    let value = node.parameter(index)
    node.setParameter(index, to: .greatestFiniteMagnitude)
    let highest = node.parameter(index)
    node.setParameter(index, to: -.greatestFiniteMagnitude)
    let lowest = node.parameter(index)
    node.setParameter(index, to: value)
    return lowest <= highest ? lowest ... highest : value ... value
  }

  /// What may have changed since the last status.
  var status: NodeStatus {
    let capabilities = node.capabilities
    var status = NodeStatus()
    status.latencyFrames = node.latencyFrames
    status.adaptation = capabilities.adaptation
    status.hasChangedState = capabilities.directoryState?.hasChangedState ?? false
    status.parameters = plugin.parameters.indices.map(node.parameter)
    status.readouts = plugin.readouts.indices.map { capabilities.readouts?.readout($0) ?? 0 }
    if let properties = capabilities.properties {
      status.changedProperties = properties.takePropertyChanges()
      let values = plugin.properties.indices.map(properties.property)
      if values != sentProperties { status.properties = values }
      sentProperties = values
    }
    status.messages = capabilities.log?.takeMessages() ?? []
    status.droppedMessageCount = capabilities.log?.takeDroppedMessageCount() ?? 0
    return status
  }

  /// Sets parameters that differ from these values.
  func set(_ values: [Float]) {
    guard values.count == plugin.parameters.count else { return }
    for (index, value) in values.enumerated()
    where node.parameter(index).bitPattern != value.bitPattern {
      node.setParameter(index, to: value)
    }
  }
}
