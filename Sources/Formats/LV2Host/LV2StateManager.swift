// LV2StateManager.swift: the state of a node's plugin. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel
internal import Synchronization

/// The state of a node's plugin, on the main thread.
///
/// It outlives the instance, which is re-created after the latency is measured. Each instance receives the states
/// restored before the first run.
final class LV2StateManager {
  private let plugin: PluginDescription
  private let configuration: NodeConfiguration
  /// The directory for files of the running plugin.
  let scratch = LV2ScratchDirectory()
  /// The world, created on first use unless the node has one.
  private var world: LV2World?
  /// Whether the plugin supports a restore while it runs.
  private let isThreadSafe: Bool
  /// Whether the node is active and may be rendered at any time.
  var isActive = false
  /// The states for every new instance before its activation, in order.
  private var startStates: [LV2State] = []
  /// Directories whose files keep their names in later saves, without links.
  private var directories: [String] = []
  /// Directories that this node received from other nodes.
  private var inherited: [LV2ScratchDirectory] = []
  /// The options of the instance.
  private var options: LV2Options?
  /// The audio thread's part.
  private(set) var gate: UnsafeMutablePointer<LV2RenderLock>?
  private(set) var watch: UnsafeMutablePointer<LV2StateMonitor>?

  /// Creates a manager without restored states. [main]
  init(_ plugin: PluginDescription, _ configuration: NodeConfiguration, world: LV2World?) {
    self.plugin = plugin
    self.configuration = configuration
    self.world = world
    isThreadSafe = plugin.requestsFeature(LV2.state + "threadSafeRestore")
  }

  deinit {
    gate?.deinitialize(count: 1)
    gate?.deallocate()
    watch?.deinitialize(count: 1)
    watch?.deallocate()
  }

  /// Prepares for a new instance; only needed for a plugin with state. [main]
  func prepare(for instance: borrowing LV2Instance, options: LV2Options) {
    self.options = options
    guard instance.stateInterface != nil else { return }
    watch = .allocate(capacity: 1)
    watch?.initialize(to: LV2StateMonitor())
    if !isThreadSafe {
      let inputCount = plugin.inputCount
      gate = .allocate(capacity: 1)
      gate?.initialize(
        to: LV2RenderLock(
          outputs: inputCount ..< inputCount + plugin.outputCount,
          sampleRateHz: configuration.sampleRateHz))
    }
  }

  /// Restores the states in a new instance; the first one receives the default state if the plugin
  /// requests it. [main, inactive]
  func restoreStart(
    _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) throws(LV2StateError) {
    guard instance.stateInterface != nil else { return }
    if startStates.isEmpty, plugin.requestsFeature(LV2.state + "loadDefaultState"),
      let state = try sharedWorld().defaultState(of: plugin)
    {
      startStates.append(state)
    }
    // If a plugin fails to restore its default state, it keeps what it has. Errors of other states were
    // reported before.
    for state in startStates { _ = applyState(state, instance, worker, log) }
  }

  // MARK: - Restoring

  /// Restores a state, with exclusive access unless the plugin does not need it. [main]
  ///
  /// A preset with only port values does not describe the rest of the state. `restore` would treat it as missing:
  /// some plugins reset to defaults, others fail. So `restore` is not called then. A plugin that had nothing to save
  /// receives an empty state, whatever a new instance starts with. If it fails then, it keeps what it has.
  func restore(
    _ state: LV2State, _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) throws(LV2StateError) {
    guard !state.isOfPortsAlone else { return }
    var failure: String?
    if isActive, let gate {
      let entered: Void? = gate.pointee.withExclusiveAccess {
        failure = applyState(state, instance, worker, log)
      }
      guard entered != nil else { throw .busy(name: plugin.name) }
    } else {
      failure = applyState(state, instance, worker, log)
    }
    if let failure, state.propertyCount > 0 {
      throw .notRestored(name: plugin.name, reason: failure)
    }
    if !isActive { startStates.append(state) }
    if let base = state.base.flatMap({ FileSystem.real($0) }) { directories.append(base) }
    inherited += state.scratches.filter { $0 !== scratch }
    clearChange()
  }

  /// Returns why the plugin rejected it, as the end of a message; nil on success.
  private func applyState(
    _ state: LV2State, _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) -> String? {
    guard let interface = instance.stateInterface, let options else { return nil }
    let paths = LV2StatePaths(restoringFrom: state.base, scratch: scratch)
    let features = LV2Features(options, log: log.queue, worker: worker, paths: paths)
    let call = LV2StateCall(instance.owner, interface, instance.handle, features, paths)
    worker?.beginRestore(instance, isAlone: !isThreadSafe)
    state.restore(call)
    worker?.endRestore()
    return call.failure
  }

  // MARK: - Saving

  /// Returns the current state of the instance, with its port values by symbol.
  ///
  /// File names are relative to a directory, or unchanged if that is nil. [main, while rendering too]
  func snapshot(
    _ instance: borrowing LV2Instance, _ log: LV2Log, values: [String: Float],
    for directory: String?
  ) throws(LV2StateError) -> (state: LV2State, paths: LV2StatePaths) {
    let own =
      (scratch.directory.map { [$0] } ?? []) + inherited.compactMap(\.directory) + directories
    let paths = LV2StatePaths(savingTo: directory, scratch: scratch, own: own)
    guard let options else { preconditionFailure("a node is prepared before its state is kept") }
    let features = LV2Features(options, log: log.queue, worker: nil, paths: paths)
    let interface = instance.stateInterface ?? Self.noInterface
    let call = LV2StateCall(instance.owner, interface, instance.handle, features, paths)
    let state = try sharedWorld().state(
      of: plugin, call, values: values, scratches: directory == nil ? [scratch] + inherited : [])
    return (state, paths)
  }

  /// Whether the plugin has reported a state change since the last save. [main]
  var hasChanged: Bool { watch?.pointee.hasChanged.load(ordering: .relaxed) ?? false }

  /// Marks the state as saved. [main]
  func clearChange() { watch?.pointee.hasChanged.store(false, ordering: .relaxed) }

  /// The state interface of a plugin without state.
  private nonisolated(unsafe) static let noInterface: UnsafePointer<LV2_State_Interface> = {
    let interface = UnsafeMutablePointer<LV2_State_Interface>.allocate(capacity: 1)
    interface.initialize(to: LV2_State_Interface())
    return UnsafePointer(interface)
  }()

  /// Returns a world with the plugin's bundle. [main]
  private func sharedWorld() throws(LV2StateError) -> LV2World {
    if let world { return world }
    do throws(LV2Error) {
      let made = try LV2World()
      made.loadBundle(plugin.location)
      world = made
      return made
    } catch {
      throw .notSaved(name: plugin.name, reason: "lilv failed to start")
    }
  }
}

extension PluginDescription {
  /// Whether the plugin declares a feature. [any]
  func requestsFeature(_ feature: String) -> Bool {
    requiredFeatures.contains(feature) || optionalFeatures.contains(feature)
  }
}
