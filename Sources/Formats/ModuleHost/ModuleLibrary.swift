// ModuleLibrary.swift: a loaded module library. SPDX-License-Identifier: MIT

import CModule
import Glibc
import PluginModel

/// The shared library of a native module, loaded while this object exists.
///
/// Instances share it. [main]
package final class ModuleLibrary {
  /// The path of the library.
  package let path: String
  let functions: cmodule_functions
  private let handle: UnsafeMutableRawPointer
  /// The file descriptor of a copy; -1 for the library itself.
  private let descriptor: Int32

  /// Loads a library and finds its functions.
  ///
  /// - Throws: `ModuleError` with the reason.
  package init(path: String) throws(ModuleError) {
    try ELFValidator.check(path)
    // The loader would search for a name without a slash in system directories.
    let explicit = path.contains("/") ? path : "./\(path)"
    guard
      let handle = ForeignCode.call(
        ForeignCode.Owner(path), .open, { dlopen(explicit, RTLD_NOW | RTLD_LOCAL) })
    else {
      throw .notLoadable(path: path, reason: Self.loaderMessage(path))
    }
    let found = UnsafeMutablePointer<cmodule_functions>.allocate(capacity: 1)
    defer { found.deallocate() }
    guard cmodule_find(handle, found) != 0 else {
      dlclose(handle)
      throw .noProcess(path: path, isMangled: ELFValidator.hasMangledProcess(path))
    }
    // The shared Swift runtime keeps references to a library. After unloading, the next dynamic cast would
    // crash. So such a library stays loaded.
    if cmodule_needs(handle, "libswiftCore.so") != 0 {
      _ = dlopen(explicit, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
    }
    self.path = path
    self.handle = handle
    descriptor = -1
    functions = found.pointee
    Self.fillHeap(of: handle)
  }

  /// Loads a copy of a library with its own variables.
  ///
  /// - Throws: `ModuleError.notLoadable` if there is not enough memory.
  package init(copyOf other: ModuleLibrary) throws(ModuleError) {
    let copy = ForeignCode.call(ForeignCode.Owner(other.path), .open) {
      cmodule_open_copy(other.path)
    }
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

  /// Fills the memory that the library allocates with the fill byte of this process, if a preflight sets one.
  private static func fillHeap(of handle: UnsafeMutableRawPointer) {
    guard let text = getenv("OUTBOARD_HEAP_FILL"), let byte = UInt8(String(cString: text)) else {
      return
    }
    cmodule_fill_heap(handle, byte)
  }

  /// Whether instances would share variables, so that each needs its own copy of the library. [main]
  ///
  /// The shared Swift runtime merges types with equal names, so such instances must share the library.
  package var keepsGlobals: Bool {
    LibraryGlobals.isAny(in: path) && cmodule_needs(handle, "libswiftCore.so") == 0
  }

  /// Whether the module exports `latency`. [main]
  package var exportsLatency: Bool { functions.latency != nil }

  /// Whether the module exports `save` or `restore`. [main]
  package var hasState: Bool { functions.save != nil || functions.restore != nil }

  /// Throws if the library lacks a function that the manifest requires. [main]
  func checkFunctions(for plugin: PluginDescription) throws(ModuleError) {
    if !plugin.properties.isEmpty, functions.load == nil {
      throw .functionMissing(path: path, key: "files", function: "load_file")
    }
    if !plugin.readouts.isEmpty, functions.readouts == nil {
      throw .functionMissing(path: path, key: "readouts", function: "readouts")
    }
    if plugin.acceptsMIDI, functions.midi == nil {
      throw .functionMissing(path: path, key: "midi", function: "midi")
    }
  }

  /// Whether a library exports `latency`, without loading it. [any]
  package static func exportsLatency(path: String) -> Bool {
    ELFImage(path)?.exports("latency") ?? false
  }

  /// Throws if the file is not a complete shared library for this machine, without loading it. [main]
  package static func check(path: String) throws(ModuleError) { try ELFValidator.check(path) }

  deinit {
    if ForeignCode.keepsLibraries { return }
    ForeignCode.call(ForeignCode.Owner(path), .close) { _ = dlclose(handle) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the loader's message without the leading path.
  private static func loaderMessage(_ path: String) -> String {
    guard let message = dlerror() else { return "no reason given" }
    var text = String(cString: message)
    for prefix in ["\(path): ", "./\(path): "] where text.hasPrefix(prefix) {
      text.removeFirst(prefix.count)
    }
    return text
  }
}
