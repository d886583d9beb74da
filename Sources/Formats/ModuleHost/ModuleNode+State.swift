// ModuleNode+State.swift: saves and restores the state of a module. SPDX-License-Identifier: MIT

import CModule
import Glibc
package import PluginModel
import Reblocking

extension ModuleNode {
  /// All that a module can have; `hasState` and the description say what this one has. [main]
  package var abilities: NodeAbilities {
    var abilities = NodeAbilities()
    abilities.state = self
    abilities.directoryState = self
    abilities.presets = self
    abilities.properties = self
    abilities.readouts = self
    abilities.adaptation = adaptation
    abilities.takesParametersOnAnyThread = true
    return abilities
  }
}

extension ModuleNode: StatefulNode {
  /// Returns the state of the module; nil if it does not export `save`.
  ///
  /// If a block starts meanwhile, the module skips it with a fade. [main, while
  /// rendering too]
  package func save() -> [UInt8]? {
    guard let save = library.functions.save else { return nil }
    return state.pointee.hold.whileHeld {
      ForeignCode.call(plugin.name) {
        let needed = save(state.pointee.state, nil, 0)
        var bytes = [UInt8](repeating: 0, count: Int(needed))
        let written = save(state.pointee.state, &bytes, needed)
        // A partial state would be worse than none.
        return written <= needed ? Array(bytes.prefix(Int(written))) : nil
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
    let answer = state.pointee.hold.whileHeld {
      // The extra byte is never read: it gives an empty state an address, as the ABI requires.
      ForeignCode.call(plugin.name) {
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
  package func saveState(to folder: String) throws -> Bool {
    guard let bytes = save() else { return false }
    let path = "\(folder)/\(Self.stateFileName)"
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      throw ModuleError.stateNotKept(path: folder, reason: String(cString: strerror(errno)))
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
  package func restoreState(from folder: String) throws {
    let path = "\(folder)/\(Self.stateFileName)"
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
