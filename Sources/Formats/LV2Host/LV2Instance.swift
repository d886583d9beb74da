// LV2Instance.swift: one instance of a plugin, from `instantiate` to `cleanup`. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// The owner of an LV2 handle.
///
/// Creates, connects and destroys the instance under the library's lock.
struct LV2Instance: ~Copyable {
  let handle: LV2_Handle
  let descriptor: UnsafePointer<LV2_Descriptor>
  /// The options interface; nil if the plugin has none.
  let optionsInterface: UnsafePointer<LV2_Options_Interface>?
  /// The state interface; nil if the plugin has none.
  let stateInterface: UnsafePointer<LV2_State_Interface>?
  private let library: LV2Library
  /// Whether the plugin uses the worker, and so probably has its own threads.
  private let requestsWorker: Bool
  /// The plugin and the node, for messages.
  let owner: ForeignCode.Owner
  private var isActive = false
  private var isDestroyed = false

  /// Instantiates a plugin; `features` must outlive it. [main]
  init(
    _ plugin: LV2Plugin, in library: LV2Library, sampleRateHz: Double, features: LV2Features,
    log: LV2Log
  ) throws(LV2Error) {
    let description = plugin.description
    let array = features.pointer
    let owner = ForeignCode.Owner(description.name)
    let found = library.exclusively(.quick("lv2_descriptor"), of: owner) {
      library.descriptor(
        of: description.identifier, bundlePath: description.location, features: array)
    }
    guard let descriptor = found else {
      throw .notInLibrary(
        name: description.name, path: description.library, uri: description.identifier)
    }
    let made = library.exclusively(.slow("instantiate"), of: owner) {
      descriptor.pointee.instantiate(descriptor, sampleRateHz, description.location, array)
    }
    guard let handle = made else {
      let message = log.take().map(\.text).filter { !$0.isEmpty }.joined(separator: "; ")
      throw .notInstantiated(name: description.name, messages: message)
    }
    self.handle = handle
    self.descriptor = descriptor
    stateInterface = library.stateInterface(of: descriptor)
    self.library = library
    self.owner = owner
    requestsWorker = description.requestsFeature(LV2.worker + "schedule")
    // Called once here, because it must not run at the same time as other functions of the library.
    optionsInterface = library.exclusively(.quick("extension_data"), of: owner) {
      descriptor.pointee.extension_data?(LV2.options + "interface")?
        .assumingMemoryBound(to: LV2_Options_Interface.self)
    }
  }

  /// The time for the plugin's own threads to finish before the instance is destroyed.
  ///
  /// Some plugins (guitarix's cabinet, samplv1) free memory that their threads still use. This fails mainly in
  /// fast offline rendering.
  private static let destroyDelayMicroseconds: UInt32 = 20_000

  deinit { destroyOnce(wasDestroyed: isDestroyed, wasActive: isActive) }

  /// Destroys the instance.
  ///
  /// No calls may follow. [main]
  mutating func destroy() {
    destroyOnce(wasDestroyed: isDestroyed, wasActive: isActive)
    isDestroyed = true
  }

  private func destroyOnce(wasDestroyed: Bool, wasActive: Bool) {
    guard !wasDestroyed else { return }
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(.quick("deactivate"), of: owner) {
      if wasActive { descriptor.pointee.deactivate?(handle) }
    }
    if requestsWorker { usleep(Self.destroyDelayMicroseconds) }
    library.exclusively(.quick("cleanup"), of: owner) { descriptor.pointee.cleanup(handle) }
  }

  /// Runs a function of the plugin while no other instance of its library is created, destroyed or queried for
  /// extension data. [main]
  func exclusively<Result>(_ function: ForeignCode.Function, _ body: () -> Result) -> Result {
    library.exclusively(function, of: owner, body)
  }

  /// Connects a port to its data; nil for an unconnected optional port. [main, inactive]
  func connect(_ port: Int, to data: UnsafeMutableRawPointer?) {
    clv2_connect(descriptor, handle, UInt32(port), data)
  }

  /// Activates the instance and clears its signal state. [main, inactive]
  mutating func activate() {
    guard !isActive else { return }
    isActive = true
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(.slow("activate"), of: owner) { descriptor.pointee.activate?(handle) }
  }

  /// Deactivates the instance. [main, not rendering]
  mutating func deactivate() {
    guard isActive else { return }
    isActive = false
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(.quick("deactivate"), of: owner) {
      descriptor.pointee.deactivate?(handle)
    }
  }
}
