// ModuleLibrary.swift: a loaded module. SPDX-License-Identifier: MIT

import CModule
import Glibc
import PluginModel

/// The shared library of a native module, loaded as long as this object lives.
///
/// Several instances share one. [main]
package final class ModuleLibrary {
  /// Where it was loaded from.
  package let path: String
  let functions: cmodule_functions
  private let handle: UnsafeMutableRawPointer
  /// What the loader knows a copy by; -1 for the library itself.
  private let descriptor: Int32

  /// Loads a library and finds its functions.
  ///
  /// - Throws: `ModuleError` with the reason, where the loader's own words would be a riddle.
  package init(path: String) throws(ModuleError) {
    try ELFValidator.check(path)
    // A name without a slash would be looked for in the system's folders.
    let explicit = path.contains("/") ? path : "./\(path)"
    guard let handle = ForeignCode.call(path, { dlopen(explicit, RTLD_NOW | RTLD_LOCAL) }) else {
      throw .notLoadable(path: path, reason: Self.loaderMessage(path))
    }
    let found = UnsafeMutablePointer<cmodule_functions>.allocate(capacity: 1)
    defer { found.deallocate() }
    guard cmodule_find(handle, found) != 0 else {
      dlclose(handle)
      throw .noProcess(path: path, isMangled: ELFValidator.hasMangledProcess(path))
    }
    // The shared Swift runtime never forgets a library: unloading one that uses it leaves dangling
    // records behind, and the next dynamic cast crashes. So such a library stays.
    if cmodule_needs(handle, "libswiftCore.so") != 0 {
      _ = dlopen(explicit, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
    }
    self.path = path
    self.handle = handle
    descriptor = -1
    functions = found.pointee
    Self.fillHeap(of: handle)
  }

  /// Loads a copy of a library, whose variables are its own.
  ///
  /// - Throws: `ModuleError.notLoadable` where there is no memory.
  package init(copyOf other: ModuleLibrary) throws(ModuleError) {
    let copy = ForeignCode.call(other.path) { cmodule_open_copy(other.path) }
    guard let handle = copy.library else {
      throw .notLoadable(path: other.path, reason: Self.loaderMessage(other.path))
    }
    var found = other.functions
    guard cmodule_find(handle, &found) != 0 else {
      dlclose(handle)
      close(copy.descriptor)
      throw .noProcess(path: other.path, isMangled: false)
    }
    path = other.path
    self.handle = handle
    descriptor = copy.descriptor
    functions = found
    Self.fillHeap(of: handle)
  }

  /// Has memory that the library allocates hold the byte that all memory of this process holds before it is
  /// written, where a trial says so.
  private static func fillHeap(of handle: UnsafeMutableRawPointer) {
    guard let text = getenv("OUTBOARD_HEAP_FILL"), let byte = UInt8(String(cString: text)) else {
      return
    }
    cmodule_fill_heap(handle, byte)
  }

  /// Whether two instances would share variables, so that each needs a library of its own. [main]
  ///
  /// The shared Swift runtime takes types of one name for one type; there they have to share.
  package var keepsGlobals: Bool {
    LibraryGlobals.isAny(in: path) && cmodule_needs(handle, "libswiftCore.so") == 0
  }

  /// Whether it says by how much it delays. [main]
  package var tellsLatency: Bool { functions.latency != nil }

  /// Whether it can be saved, or restored. [main]
  package var hasState: Bool { functions.save != nil || functions.restore != nil }

  /// Throws unless the library has what the manifest promises in its name. [main]
  func checkFunctions(for plugin: PluginDescription) throws(ModuleError) {
    if !plugin.properties.isEmpty, functions.load == nil {
      throw .functionMissing(path: path, key: "files", function: "load")
    }
    if !plugin.readouts.isEmpty, functions.readouts == nil {
      throw .functionMissing(path: path, key: "readouts", function: "readouts")
    }
  }

  /// Whether the library at a path says by how much it delays, without loading it. [any]
  package static func tellsLatency(path: String) -> Bool {
    ELFImage(path)?.exports("latency") ?? false
  }

  /// Throws unless the file is a whole shared library for this machine, without loading it. [main]
  package static func check(path: String) throws(ModuleError) { try ELFValidator.check(path) }

  deinit {
    dlclose(handle)
    if descriptor >= 0 { close(descriptor) }
  }

  /// The loader's message without the path that it begins with.
  private static func loaderMessage(_ path: String) -> String {
    guard let message = dlerror() else { return "no reason given" }
    var text = String(cString: message)
    for prefix in ["\(path): ", "./\(path): "] where text.hasPrefix(prefix) {
      text.removeFirst(prefix.count)
    }
    return text
  }
}
