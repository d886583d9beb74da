// LV2Library.swift: the shared library of a bundle, loaded once. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel
internal import Synchronization

/// A plugin library and the lock for its discovery, creation and destruction functions.
///
/// The library is not loaded by lilv, which does not report errors. It is never unloaded: threads, exit handlers
/// and thread-local destructors of plugins would otherwise run in unmapped memory.
final class LV2Library: Sendable {
  private struct Registry: ~Copyable {
    var libraries: [String: LV2Library] = [:]
  }
  private static let registry = Mutex(Registry())

  /// The loader's handle as a number, because pointers are not sendable.
  private let handle: UInt
  /// The name of the plugin that it was loaded for.
  private let name: String
  private let creation = Mutex(Creation())
  private struct Creation {
    /// State interfaces by descriptor address; 0 for a plugin without state.
    var stateInterfaces: [UInt: UInt] = [:]
  }

  private init(handle: UInt, name: String) { (self.handle, self.name) = (handle, name) }

  /// Returns the library at a path, loaded once; `name` is for the error message. [main]
  static func load(_ path: String, for name: String) throws(LV2Error) -> LV2Library {
    let outcome = registry.withLock { registry -> Result<LV2Library, LV2Error> in
      if let known = registry.libraries[path] { return .success(known) }
      guard
        let handle = ForeignCode.call(
          ForeignCode.Owner(name), .open, { dlopen(path, RTLD_NOW | RTLD_LOCAL) })
      else {
        let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
        return .failure(
          .libraryNotLoadable(
            name: name, path: path, reason: reason.tail(after: path + ": ") ?? reason))
      }
      let library = LV2Library(handle: UInt(bitPattern: handle), name: name)
      registry.libraries[path] = library
      return .success(library)
    }
    return try outcome.get()
  }

  /// Calls `body`, a function of a plugin, while nothing else is created, destroyed or looked up in this library.
  ///
  /// Restores process state that it changes. [main]
  func exclusively<Value>(
    _ function: ForeignCode.Function, of owner: ForeignCode.Owner, _ body: () -> Value
  ) -> Value {
    ForeignCode.call(owner, function) { creation.withLock { _ in body() } }
  }

  /// Returns the state interface of a descriptor. [main]
  ///
  /// Queried once, because it must not run at the same time as other functions of the library.
  func stateInterface(
    of descriptor: UnsafePointer<LV2_Descriptor>
  ) -> UnsafePointer<LV2_State_Interface>? {
    let address = creation.withLock { creation -> UInt in
      if let known = creation.stateInterfaces[UInt(bitPattern: descriptor)] { return known }
      let found = ForeignCode.call(ForeignCode.Owner(name), .quick("extension_data")) {
        UInt(bitPattern: descriptor.pointee.extension_data?(LV2.state + "interface"))
      }
      creation.stateInterfaces[UInt(bitPattern: descriptor)] = found
      return found
    }
    return UnsafePointer(bitPattern: address)
  }

  /// Returns the descriptor of a URI, valid while the process lives; call it inside
  /// `exclusively`. [main]
  func descriptor(
    of uri: String, bundlePath: String,
    features: UnsafePointer<UnsafePointer<LV2_Feature>?>
  ) -> UnsafePointer<LV2_Descriptor>? {
    let handle = UnsafeMutableRawPointer(bitPattern: handle)
    if let symbol = dlsym(handle, "lv2_lib_descriptor") {
      let function = unsafeBitCast(symbol, to: LV2_Lib_Descriptor_Function.self)
      guard let library = function(bundlePath, features) else { return nil }
      return first(uri) { library.pointee.get_plugin(library.pointee.handle, $0) }
    }
    guard let symbol = dlsym(handle, "lv2_descriptor") else { return nil }
    let function = unsafeBitCast(symbol, to: LV2_Descriptor_Function.self)
    return first(uri) { function($0) }
  }

  private func first(
    _ uri: String, _ descriptor: (UInt32) -> UnsafePointer<LV2_Descriptor>?
  ) -> UnsafePointer<LV2_Descriptor>? {
    var index: UInt32 = 0
    while let candidate = descriptor(index) {
      if let found = candidate.pointee.URI, strcmp(found, uri) == 0 { return candidate }
      index += 1
    }
    return nil
  }
}
