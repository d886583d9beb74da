// LV2StateCall.swift: a call of a plugin's `save` or `restore` through lilv. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CLilv
internal import Glibc
internal import PluginModel

/// A call of a plugin's `save` or `restore`.
///
/// lilv writes and reads states. Older versions replace the host's path features, which leaves links to files
/// elsewhere. They also drop the plugin's status and keep pointers to values that must not be copied. So lilv
/// receives a proxy plugin whose `save` and `restore` forward to this object, which calls the real plugin with
/// this host's features.
final class LV2StateCall {
  private let interface: UnsafePointer<LV2_State_Interface>
  private let instance: LV2_Handle
  private let features: LV2Features
  private let paths: LV2StatePaths
  // lilv's data during the call.
  private var store: LV2_State_Store_Function?
  /// The plugin and the node, for messages.
  private let owner: ForeignCode.Owner
  private var retrieve: LV2_State_Retrieve_Function?
  private var lilvHandle: LV2_State_Handle?
  private var stored: Set<UInt32> = []
  /// The plugin's status; nil before the call.
  private(set) var status: LV2_State_Status?

  /// Creates a call. [main]
  init(
    _ owner: ForeignCode.Owner, _ interface: UnsafePointer<LV2_State_Interface>,
    _ instance: LV2_Handle,
    _ features: LV2Features, _ paths: LV2StatePaths
  ) {
    self.owner = owner
    self.interface = interface
    self.instance = instance
    self.features = features
    self.paths = paths
  }

  /// Whether the plugin was called and succeeded. [main]
  var hasSucceeded: Bool { status == LV2_STATE_SUCCESS }

  /// Why it failed, as the end of a message; nil on success. [main]
  var failure: String? {
    switch status {
    case nil, LV2_STATE_SUCCESS: nil
    // Plugins return this if they have nothing to save yet.
    case LV2_STATE_ERR_NO_PROPERTY where hasNothingToSave: nil
    case LV2_STATE_ERR_UNKNOWN where hasNothingToSave: nil
    case LV2_STATE_ERR_BAD_TYPE: "a value has an unknown type"
    case LV2_STATE_ERR_BAD_FLAGS: "a value cannot be copied"
    case LV2_STATE_ERR_NO_FEATURE: "it requires an unsupported feature"
    case LV2_STATE_ERR_NO_PROPERTY: "a value is missing"
    case LV2_STATE_ERR_NO_SPACE: "there is not enough space"
    default: "no reason given"
    }
  }

  private var hasNothingToSave: Bool { store != nil && stored.isEmpty }

  /// Provides a proxy instance that forwards to this call. [main]
  func withInstance<Value>(_ body: (UnsafeMutablePointer<LilvInstance>) -> Value) -> Value {
    var relayed = LilvInstance(
      lv2_descriptor: relay.descriptor, lv2_handle: Unmanaged.passUnretained(self).toOpaque(),
      pimpl: nil)
    return withExtendedLifetime(self) { withUnsafeMutablePointer(to: &relayed, body) }
  }

  // MARK: - Forwarding

  fileprivate func save(
    _ store: LV2_State_Store_Function?, _ target: LV2_State_Handle?, _ flags: UInt32
  ) -> LV2_State_Status {
    (self.store, lilvHandle) = (store, target)
    return made(.quick("save")) {
      interface.pointee.save?(instance, storeValue, $0, flags, features.pointer)
    }
  }

  fileprivate func restore(
    _ retrieve: LV2_State_Retrieve_Function?, _ source: LV2_State_Handle?, _ flags: UInt32
  ) -> LV2_State_Status {
    (self.retrieve, lilvHandle) = (retrieve, source)
    return made(.slow("restore")) {
      interface.pointee.restore?(instance, retrieveValue, $0, flags, features.pointer)
    }
  }

  /// Makes the call with this object as its handle; does nothing if the plugin lacks the function.
  private func made(
    _ function: ForeignCode.Function, _ body: (LV2_State_Handle) -> LV2_State_Status?
  ) -> LV2_State_Status {
    let handle = Unmanaged.passUnretained(self).toOpaque()
    let result = ForeignCode.call(owner, function) { body(handle) } ?? LV2_STATE_SUCCESS
    status = result
    return result
  }

  fileprivate func keep(
    _ key: UInt32, _ value: UnsafeRawPointer?, _ size: Int, _ type: UInt32, _ flags: UInt32
  ) -> LV2_State_Status {
    guard let store, let value, key != 0, size > 0, stored.insert(key).inserted else {
      return LV2_STATE_ERR_UNKNOWN
    }
    guard type == URIDMap.shared.number(LV2.atom + "Path") else {
      guard flags & LV2_STATE_IS_POD.rawValue != 0 else { return LV2_STATE_ERR_BAD_FLAGS }
      return store(lilvHandle, key, value, size, type, flags)
    }
    // A plugin that does not map its paths would tie the state to this machine.
    let bytes = UnsafeRawBufferPointer(start: value, count: size).prefix { $0 != 0 }
    let name = paths.abstract(String(decoding: bytes, as: UTF8.self))
    return name.withCString { text in
      store(lilvHandle, key, text, strlen(text) + 1, type, flags)
    }
  }
}

extension LV2StateCall {
  /// Plugins may pass NULL for values they ignore, which crashes older versions of lilv.
  fileprivate func value(
    _ key: UInt32, _ size: UnsafeMutablePointer<Int>?, _ type: UnsafeMutablePointer<UInt32>?,
    _ flags: UnsafeMutablePointer<UInt32>?
  ) -> UnsafeRawPointer? {
    var found: (size: Int, type: UInt32, flags: UInt32) = (0, 0, 0)
    guard let value = retrieve?(lilvHandle, key, &found.size, &found.type, &found.flags) else {
      return nil
    }
    size?.pointee = found.size
    type?.pointee = found.type
    flags?.pointee = found.flags
    return value
  }
}

// MARK: - The proxy plugin

private struct CallContext: @unchecked Sendable {
  // Never written after `init` and never freed.
  let descriptor = UnsafeMutablePointer<LV2_Descriptor>.allocate(capacity: 1)
  let interface = UnsafeMutablePointer<LV2_State_Interface>.allocate(capacity: 1)

  init() {
    interface.initialize(to: LV2_State_Interface(save: relaySave, restore: relayRestore))
    var shimDescriptor = LV2_Descriptor()
    shimDescriptor.extension_data = relayData
    descriptor.initialize(to: shimDescriptor)
  }
}

private let relay = CallContext()

private func call(_ handle: UnsafeMutableRawPointer?) -> LV2StateCall? {
  handle.map { Unmanaged<LV2StateCall>.fromOpaque($0).takeUnretainedValue() }
}

private func relayData(_ uri: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
  guard let uri, String(cString: uri) == LV2.state + "interface" else { return nil }
  return UnsafeRawPointer(relay.interface)
}

private func relaySave(
  _ handle: LV2_Handle?, _ store: LV2_State_Store_Function?, _ target: LV2_State_Handle?,
  _ flags: UInt32, _: UnsafePointer<UnsafePointer<LV2_Feature>?>?
) -> LV2_State_Status {
  call(handle)?.save(store, target, flags) ?? LV2_STATE_ERR_UNKNOWN
}

private func relayRestore(
  _ handle: LV2_Handle?, _ retrieve: LV2_State_Retrieve_Function?, _ source: LV2_State_Handle?,
  _ flags: UInt32, _: UnsafePointer<UnsafePointer<LV2_Feature>?>?
) -> LV2_State_Status {
  call(handle)?.restore(retrieve, source, flags) ?? LV2_STATE_ERR_UNKNOWN
}

private func storeValue(
  _ handle: LV2_State_Handle?, _ key: UInt32, _ value: UnsafeRawPointer?, _ size: Int,
  _ type: UInt32, _ flags: UInt32
) -> LV2_State_Status {
  call(handle)?.keep(key, value, size, type, flags) ?? LV2_STATE_ERR_UNKNOWN
}

private func retrieveValue(
  _ handle: LV2_State_Handle?, _ key: UInt32, _ size: UnsafeMutablePointer<Int>?,
  _ type: UnsafeMutablePointer<UInt32>?, _ flags: UnsafeMutablePointer<UInt32>?
) -> UnsafeRawPointer? {
  call(handle)?.value(key, size, type, flags)
}
