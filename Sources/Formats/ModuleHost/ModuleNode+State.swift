// ModuleNode+State.swift: what a module remembers, kept in memory or in a folder. SPDX-License-Identifier: MIT

import CModule
import Glibc
import PluginModel

extension ModuleNode: StatefulNode {
  /// What the module needs to sound the same again; nil if it does not say.
  ///
  /// Where a block begins meanwhile, that block of the module is lost, faded out and in. [main, while
  /// rendering too]
  package func save() -> [UInt8]? {
    guard let save = library.functions.save else { return nil }
    return state.pointee.hold.whileHeld {
      ForeignCode.call(plugin.name) {
        let needed = save(state.pointee.state, nil, 0)
        var bytes = [UInt8](repeating: 0, count: Int(needed))
        let written = save(state.pointee.state, &bytes, needed)
        // Half a state would be worse than none.
        return written <= needed ? Array(bytes.prefix(Int(written))) : nil
      }
    }
  }

  /// Takes what `save` gave, likewise. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateRefused`.
  package func restore(_ bytes: [UInt8]) throws(ModuleError) {
    guard let restore = library.functions.restore else {
      throw .stateRefused(name: plugin.name)
    }
    let answer = state.pointee.hold.whileHeld {
      // The byte more is never read: it lends an empty state an address, as the contract promises one.
      ForeignCode.call(plugin.name) {
        restore(state.pointee.state, bytes + [0], UInt32(bytes.count))
      }
    }
    guard answer == 0 else { throw .stateRefused(name: plugin.name) }
  }
}

extension ModuleNode: DirectoryStateNode {
  /// The one file of the folder: the bytes that the module gave.
  private static let fileName = "state.bin"

  /// Writes what the module remembers; its parameters are the rig's to keep. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateNotKept`.
  package func saveState(to folder: String) throws -> Bool {
    guard let bytes = save() else { return false }
    let path = "\(folder)/\(Self.fileName)"
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

  /// Reads it again. [main, while rendering too]
  ///
  /// - Throws: `ModuleError.stateNotKept`, `ModuleError.stateRefused`.
  package func restoreState(from folder: String) throws {
    let path = "\(folder)/\(Self.fileName)"
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

  /// Modules have no way to say so.
  package var hasChangedState: Bool { false }
}
