// LV2StateManager.swift: what a node has for the state of its plugin. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel
internal import Synchronization

/// The state of one node's plugin, on the main thread.
///
/// It outlives the instance, which is made anew where a delay is learnt: what was restored before the
/// first run is given to each.
final class LV2StateManager {
  private let plugin: PluginDescription
  private let configuration: NodeConfiguration
  /// Where the running plugin makes files.
  let scratch = LV2ScratchDirectory()
  /// Made on first use, unless the node was made from one.
  private var world: LV2World?
  /// Whether the plugin can be restored while it runs.
  private let isThreadSafe: Bool
  /// Whether the node is active, so that it may be rendered at any time.
  var isActive = false
  /// What every instance is given before it is activated, in this order.
  private var startStates: [LV2State] = []
  /// Folders whose files keep their names when the state is saved again, links resolved.
  private var folders: [String] = []
  /// Files of other nodes that this one has taken over.
  private var inherited: [LV2ScratchDirectory] = []
  /// What the instance was told of rate and lengths.
  private var options: LV2Options?
  /// For the audio thread.
  private(set) var gate: UnsafeMutablePointer<LV2RenderLock>?
  private(set) var watch: UnsafeMutablePointer<LV2StateMonitor>?

  /// Nothing restored yet. [main]
  init(_ plugin: PluginDescription, _ configuration: NodeConfiguration, world: LV2World?) {
    self.plugin = plugin
    self.configuration = configuration
    self.world = world
    isThreadSafe = plugin.asks(for: LV2.state + "threadSafeRestore")
  }

  deinit {
    gate?.deinitialize(count: 1)
    gate?.deallocate()
    watch?.deinitialize(count: 1)
    watch?.deallocate()
  }

  /// Gets ready for an instance that has been made: only a plugin with a state needs any of it. [main]
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

  /// Gives a new instance what the one before it had; the first one the plugin's default state, if it
  /// asks for that. [main, inactive]
  func restoreStart(
    _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) throws(LV2StateError) {
    guard instance.stateInterface != nil else { return }
    if startStates.isEmpty, plugin.asks(for: LV2.state + "loadDefaultState"),
      let state = try lentWorld().defaultState(of: plugin)
    {
      startStates.append(state)
    }
    // A plugin that misses something in its own default state goes on with what it has, and of the
    // others it has said so before.
    for state in startStates { _ = give(state, instance, worker, log) }
  }

  // MARK: - Restoring

  /// Gives a state to the instance, alone with it unless the plugin can do without. [main]
  ///
  /// A preset of ports alone says nothing of what else the plugin has, which `restore` would take for
  /// a state in which everything is missing: some fall back to their defaults, others call it a failure. A plugin that
  /// had nothing to save, though, is to have nothing again, whatever the new instance began with; where it calls that
  /// a failure it goes on as it is.
  func restore(
    _ state: LV2State, _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) throws(LV2StateError) {
    guard !state.isOfPortsAlone else { return }
    var failure: String?
    if isActive, let gate {
      let entered: Void? = gate.pointee.alone { failure = give(state, instance, worker, log) }
      guard entered != nil else { throw .busy(name: plugin.name) }
    } else {
      failure = give(state, instance, worker, log)
    }
    if let failure, state.propertyCount > 0 {
      throw .notRestored(name: plugin.name, reason: failure)
    }
    if !isActive { startStates.append(state) }
    if let base = state.base.flatMap({ FileSystem.real($0) }) { folders.append(base) }
    inherited += state.scratches.filter { $0 !== scratch }
    forgetChange()
  }

  /// Why the plugin did not take it, as the end of a sentence; nil if it did.
  private func give(
    _ state: LV2State, _ instance: borrowing LV2Instance, _ worker: LV2Worker?, _ log: LV2Log
  ) -> String? {
    guard let interface = instance.stateInterface, let options else { return nil }
    let paths = LV2StatePaths(restoringFrom: state.base, scratch: scratch)
    let features = LV2Features(options, log: log.queue, worker: worker, paths: paths)
    let call = LV2StateCall(plugin.name, interface, instance.handle, features, paths)
    worker?.beginRestore(instance, isAlone: !isThreadSafe)
    state.restore(call)
    worker?.endRestore()
    return call.failure
  }

  // MARK: - Saving

  /// What the instance has now, with the values of its ports by symbol.
  ///
  /// Files are named for a folder, or where they are if that is nil. [main, while rendering too]
  func snapshot(
    _ instance: borrowing LV2Instance, _ log: LV2Log, values: [String: Float], for folder: String?
  ) throws(LV2StateError) -> (state: LV2State, paths: LV2StatePaths) {
    let own = (scratch.folder.map { [$0] } ?? []) + inherited.compactMap(\.folder) + folders
    let paths = LV2StatePaths(savingTo: folder, scratch: scratch, own: own)
    guard let options else { preconditionFailure("a node is prepared before its state is kept") }
    let features = LV2Features(options, log: log.queue, worker: nil, paths: paths)
    let interface = instance.stateInterface ?? Self.noInterface
    let call = LV2StateCall(plugin.name, interface, instance.handle, features, paths)
    let state = try lentWorld().state(
      of: plugin, call, values: values, scratches: folder == nil ? [scratch] + inherited : [])
    return (state, paths)
  }

  /// Whether the plugin has said that its state is another than the one that was kept last. [main]
  var hasChanged: Bool { watch?.pointee.hasChanged.load(ordering: .relaxed) ?? false }

  /// Says that the plugin's state is one that was kept. [main]
  func forgetChange() { watch?.pointee.hasChanged.store(false, ordering: .relaxed) }

  /// The state interface of a plugin without one.
  private nonisolated(unsafe) static let noInterface: UnsafePointer<LV2_State_Interface> = {
    let interface = UnsafeMutablePointer<LV2_State_Interface>.allocate(capacity: 1)
    interface.initialize(to: LV2_State_Interface())
    return UnsafePointer(interface)
  }()

  /// A world that has read the plugin's bundle. [main]
  private func lentWorld() throws(LV2StateError) -> LV2World {
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
  /// Whether the plugin lists a feature. [any]
  func asks(for feature: String) -> Bool {
    requiredFeatures.contains(feature) || optionalFeatures.contains(feature)
  }
}
