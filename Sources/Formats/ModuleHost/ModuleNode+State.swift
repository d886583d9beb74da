// ModuleNode+State.swift: saves and restores the state of a module. SPDX-License-Identifier: MIT

import CModule
import Glibc
package import PluginModel
import Reblocking

extension ModuleNode {
  /// All capabilities of modules; `hasState` and the description have those of this one. [main]
  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.state = self
    capabilities.directoryState = self
    capabilities.presets = self
    capabilities.properties = self
    capabilities.readouts = self
    capabilities.adaptation = adaptation
    capabilities.takesParametersOnAnyThread = true
    return capabilities
  }
}

extension ModuleNode: StatefulNode {
  /// A module that needs more space than it said can try again, up to this number of times.
  private static let maximumSaveAttempts = 4
  /// The largest state, in bytes; a larger size is an error of the module.
  private static let maximumBytes: UInt32 = 1 << 30

  /// Returns the state of the module; nil if it does not export `save` or its size changes.
  ///
  /// If a block starts meanwhile, the module skips it with a fade. [main, while
  /// rendering too]
  package func save() -> [UInt8]? {
    guard let save = library.functions.save else { return nil }
    return state.pointee.hold.withExclusiveAccess {
      ForeignCode.call(owner, .quick("save")) {
        var needed = save(state.pointee.state, nil, 0)
        for _ in 0 ..< Self.maximumSaveAttempts where needed <= Self.maximumBytes {
          guard let bytes = calloc(max(1, Int(needed)), 1) else { return nil }
          defer { free(bytes) }
          let written = save(state.pointee.state, bytes, needed)
          // A partial state would be worse than none.
          if written <= needed {
            return Array(UnsafeRawBufferPointer(start: bytes, count: Int(written)))
          }
          needed = written
        }
        return nil
      }
    }
  }

  /// Restores a state of `save`; blocks are skipped as in `save`. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateRefused`.
  package func restore(_ bytes: [UInt8]) throws(ModuleError) {
    guard let restore = library.functions.restore else {
      throw .stateRefused(name: plugin.name)
    }
    let answer = state.pointee.hold.withExclusiveAccess {
      // The extra byte is never read: it gives an empty state an address, as the ABI requires.
      ForeignCode.call(owner, .slow("restore")) {
        restore(state.pointee.state, bytes + [0], UInt32(bytes.count))
      }
    }
    guard answer == 0 else { throw .stateRefused(name: plugin.name) }
  }
}

extension ModuleNode: DirectoryStateNode {
  /// The only file of the directory: the state of the module.
  static let stateFileName = "state.bin"

  /// Writes the state of the module; the rig stores the parameters. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateNotKept`.
  package func saveState(to directory: String) throws -> Bool {
    guard hasState else { return false }
    guard let bytes = save() else {
      throw ModuleError.stateNotKept(
        path: directory,
        reason: "\(plugin.name) needs more than 1 GB, or more space with each call of `save`")
    }
    let path = "\(directory)/\(Self.stateFileName)"
    guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
      throw ModuleError.stateNotKept(path: directory, reason: String(cString: strerror(errno)))
    }
    guard let file = fopen(path, "we") else {
      throw ModuleError.stateNotKept(path: path, reason: String(cString: strerror(errno)))
    }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else {
      throw ModuleError.stateNotKept(path: path, reason: String(cString: strerror(errno)))
    }
    return true
  }

  /// Restores a written state. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateNotKept`, `ModuleError.stateRefused`.
  package func restoreState(from directory: String) throws {
    let path = "\(directory)/\(Self.stateFileName)"
    guard let file = fopen(path, "re") else {
      throw ModuleError.stateNotKept(path: path, reason: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    try restore(bytes)
  }

  /// Whether the library exports `save`. [any]
  package var hasState: Bool { library.functions.save != nil }

  /// False: modules cannot report it.
  package var hasChangedState: Bool { false }
}
