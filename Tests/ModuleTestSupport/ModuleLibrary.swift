// ModuleLibrary.swift: a module's shared library, as a host sees it. SPDX-License-Identifier: MIT

import Foundation

/// A native module, opened from the build directory.
///
/// The library stays open until the process ends, so that pointers of tests remain valid.
package struct ModuleLibrary: @unchecked Sendable {
  // Unchecked: the handle and the function pointers never change and may be used on any thread.

  typealias Create = @convention(c) (Double, UInt32) -> UnsafeMutableRawPointer?
  typealias Release = @convention(c) (UnsafeMutableRawPointer?) -> Void
  typealias Process =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<UnsafePointer<Float>>?,
      UnsafePointer<UnsafeMutablePointer<Float>>?, UnsafePointer<Float>?, UInt32
    ) -> Void
  typealias MIDI =
    @convention(c) (UnsafeMutableRawPointer?, UInt32, UnsafePointer<UInt8>?, UInt32) -> Void
  typealias Latency = @convention(c) (UnsafeRawPointer?) -> UInt32
  typealias Load =
    @convention(c) (
      UnsafeMutableRawPointer?, UInt32, UnsafePointer<UnsafePointer<Float>>?, UInt32, UInt32
    ) -> Int32
  typealias Readouts = @convention(c) (UnsafeRawPointer?, UnsafeMutablePointer<Float>?) -> Void

  /// The library's name without `lib` and `.so`.
  package let name: String
  /// The declarations of `manifests/modules/NAME.yaml`.
  package let manifest: ModuleManifest

  let create: Create?
  let destroy: Release?
  let reset: Release?
  let process: Process
  let latency: Latency?
  let midi: MIDI?
  let load: Load?
  let readouts: Readouts?

  /// Whether the module is played by MIDI.
  package var acceptsMIDI: Bool { midi != nil }

  /// Opens `lib<name>.so` and reads its manifest.
  package init(_ name: String) throws {
    self.name = name
    manifest = try ModuleManifest(module: name)
    let handle = try Self.open(name)
    func function<T>(_ symbol: String, as type: T.Type) -> T? {
      dlsym(handle, symbol).map { unsafeBitCast($0, to: type) }
    }
    create = function("create", as: Create.self)
    destroy = function("destroy", as: Release.self)
    reset = function("reset", as: Release.self)
    latency = function("latency", as: Latency.self)
    midi = function("midi", as: MIDI.self)
    load = function("load_file", as: Load.self)
    readouts = function("readouts", as: Readouts.self)
    guard let process = function("process", as: Process.self) else {
      throw ModuleTestError.missingFunction(library: name, symbol: "process")
    }
    self.process = process
  }

  /// Searches next to the test bundle, then in each directory above it.
  private static func open(_ name: String) throws -> UnsafeMutableRawPointer {
    var directory = try bundle.deletingLastPathComponent()
    var searched: [String] = []
    while directory.path != "/" {
      let path = directory.appending(path: "lib\(name).so").path
      searched.append(path)
      if FileManager.default.fileExists(atPath: path) {
        if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) { return handle }
        let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
        throw ModuleTestError.unloadableLibrary(name: name, searched: [path], reason: reason)
      }
      directory.deleteLastPathComponent()
    }
    throw ModuleTestError.unloadableLibrary(name: name, searched: searched, reason: "no such file")
  }

  /// The file of the running test bundle: the one that is mapped at this image's address.
  ///
  /// Read from `/proc`, because Glibc hides `dladdr` from Swift.
  private static var bundle: URL {
    get throws {
      let address = UInt(bitPattern: #dsohandle)
      let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
      for line in maps.split(separator: "\n") {
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard fields.count == 6, range.count == 2 else { continue }
        if (range[0] ..< range[1]).contains(address) {
          return URL(filePath: fields[5].trimmingCharacters(in: .whitespaces))
        }
      }
      throw ModuleTestError.unloadableLibrary(
        name: "?", searched: [], reason: "the test bundle has no address")
    }
  }
}
