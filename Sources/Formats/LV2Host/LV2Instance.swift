// LV2Instance.swift: one instance of a plugin, from `instantiate` to `cleanup`. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// The owner of an LV2 handle: makes it, connects it, and destroys it under the library's lock.
struct LV2Instance: ~Copyable {
  let handle: LV2_Handle
  let descriptor: UnsafePointer<LV2_Descriptor>
  /// By which the plugin hears that options have changed; nil if it does not.
  let optionsInterface: UnsafePointer<LV2_Options_Interface>?
  /// How it saves and restores; nil for a plugin that has nothing but its ports.
  let stateInterface: UnsafePointer<LV2_State_Interface>?
  private let library: LV2Library
  /// Whether it hands work on, and so is likely to have threads of its own, too.
  private let asksForWorker: Bool
  /// The plugin's, for messages.
  private let name: String
  private var isActive = false
  private var isDestroyed = false

  /// Instantiates a plugin; `features` must outlive it. [main]
  init(
    _ plugin: LV2Plugin, in library: LV2Library, sampleRateHz: Double, features: LV2Features,
    log: LV2Log
  ) throws(LV2Error) {
    let description = plugin.description
    let array = features.pointer
    let found = library.exclusively(for: description.name) {
      library.descriptor(
        of: description.identifier, bundlePath: description.location, features: array)
    }
    guard let descriptor = found else {
      throw .notInLibrary(
        name: description.name, path: description.library, uri: description.identifier)
    }
    let made = library.exclusively(for: description.name) {
      descriptor.pointee.instantiate(descriptor, sampleRateHz, description.location, array)
    }
    guard let handle = made else {
      let said = log.take().map(\.text).filter { !$0.isEmpty }.joined(separator: "; ")
      throw .notInstantiated(name: description.name, said: said)
    }
    self.handle = handle
    self.descriptor = descriptor
    stateInterface = library.stateInterface(of: descriptor)
    self.library = library
    name = description.name
    asksForWorker = description.asks(for: LV2.worker + "schedule")
    // Once, here: it must not be asked for while anything of the library runs.
    optionsInterface = library.exclusively(for: description.name) {
      descriptor.pointee.extension_data?(LV2.options + "interface")?
        .assumingMemoryBound(to: LV2_Options_Interface.self)
    }
  }

  /// How long the plugin's own threads get to finish what they are at before the instance goes.
  ///
  /// Some plugins (guitarix's cabinet, samplv1) free what their threads still use, which shows where a
  /// file is rendered much faster than it sounds.
  private static let graceMicroseconds: UInt32 = 20_000

  deinit { destroyOnce(wasDestroyed: isDestroyed, wasActive: isActive) }

  /// Destroys the instance before its owner's memory goes; nothing may be called afterwards. [main]
  mutating func destroy() {
    destroyOnce(wasDestroyed: isDestroyed, wasActive: isActive)
    isDestroyed = true
  }

  private func destroyOnce(wasDestroyed: Bool, wasActive: Bool) {
    guard !wasDestroyed else { return }
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(for: name) { if wasActive { descriptor.pointee.deactivate?(handle) } }
    if asksForWorker { usleep(Self.graceMicroseconds) }
    library.exclusively(for: name) { descriptor.pointee.cleanup(handle) }
  }

  /// Calls something of the plugin while nothing else of its library is made, taken down or asked what
  /// it has: extension data belong to that class of functions. [main]
  func exclusively<Result>(_ body: () -> Result) -> Result {
    library.exclusively(for: name, body)
  }

  /// Tells a port where its data are; nil for an optional port that is left alone. [main, inactive]
  func connect(_ port: Int, to data: UnsafeMutableRawPointer?) {
    clv2_connect(descriptor, handle, UInt32(port), data)
  }

  /// Clears the instance's state and gets it ready to run. [main, inactive]
  mutating func activate() {
    guard !isActive else { return }
    isActive = true
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(for: name) { descriptor.pointee.activate?(handle) }
  }

  /// The opposite of `activate`. [main, not rendering]
  mutating func deactivate() {
    guard isActive else { return }
    isActive = false
    let (handle, descriptor) = (handle, descriptor)
    library.exclusively(for: name) { descriptor.pointee.deactivate?(handle) }
  }
}
