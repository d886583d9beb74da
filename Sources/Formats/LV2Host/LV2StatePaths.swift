// LV2StatePaths.swift: what files are called in a state, while it is saved or restored. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc

/// The paths of one call of `save` or `restore`.
///
/// In a state that is saved to a folder, a file is called by where its copy lies in that folder; the
/// copies are made once the plugin has said all that it refers to. In a state that stays in memory
/// a path is what it is.
final class LV2StatePaths {
  /// Where relative paths of a restored state begin; nil where there are none.
  private let base: String?
  /// The folder that is written to; nil for a state in memory.
  private let target: String?
  /// Folders whose files keep the names that they have there, folders on the way included.
  private let own: [String]
  /// What files are called, by their path without links.
  private var names: [String: String] = [:]
  /// Paths that the plugin asked for, by what it asked for.
  private var made: [String: String] = [:]
  private var taken: Set<String> = ["manifest.ttl", "state.ttl"]
  /// Where files are made for a state in memory.
  private let scratch: LV2ScratchDirectory

  /// Paths of a `save` to `target`, or into memory where that is nil. [main]
  init(savingTo target: String?, scratch: LV2ScratchDirectory, own: [String]) {
    self.target = target.flatMap { FileSystem.real($0) }
    self.scratch = scratch
    self.own = own
    base = nil
  }

  /// Paths of a `restore` of a state that lies in a folder; nil for one in memory. [main]
  init(restoringFrom base: String?, scratch: LV2ScratchDirectory) {
    self.base = base
    self.scratch = scratch
    target = nil
    own = []
  }

  /// Where the plugin may make a file while it saves. [main, in `save`]
  func make(_ name: String) -> String? {
    guard let target else { return scratch.path(name) }
    if let known = made[name] { return known }
    let free = free(name.split(separator: "/").joined(separator: "/"))
    guard let path = LV2ScratchDirectory.path(free, in: target) else { return nil }
    made[name] = path
    names[path] = free
    return path
  }

  /// What a path is called in the state. [main, in `save`]
  func abstract(_ path: String) -> String {
    guard let target, path.hasPrefix("/"), let real = FileSystem.real(path) else { return path }
    if let known = names[real] { return known }
    let name: String
    if let below = FileSystem.relative(real, to: target) {
      // Made beside a file that was asked for, or in a folder that was.
      names[real] = below
      return below
    } else if let below = own.lazy.compactMap({ FileSystem.relative(real, to: $0) }).first {
      name = free(below)
    } else if FileSystem.isFile(real) {
      name = free(FileSystem.name(real))
    } else {
      // A folder that is not the plugin's may hold anything, and as much as a disk.
      return path
    }
    names[real] = name
    return name
  }

  /// Where a file of the state is. [main, in `restore`]
  func absolute(_ name: String) -> String {
    guard let base, !name.hasPrefix("/"), !name.isEmpty else { return name }
    return base + "/" + name
  }

  /// Copies to the folder what is not there yet. [main]
  func copyFiles() throws(LV2StateError) {
    guard let target else { return }
    for (path, name) in names where FileSystem.relative(path, to: target) == nil {
      try FileSystem.copy(path, to: "\(target)/\(name)")
    }
  }

  /// The name itself, or one with a number in front of its extension: two files may bear one name.
  private func free(_ name: String) -> String {
    var candidate = name
    var number = 2
    let dot = name.lastIndex(of: ".").flatMap {
      $0 > (name.lastIndex(of: "/") ?? name.startIndex) ? $0 : nil
    }
    while !taken.insert(candidate).inserted {
      candidate = name[..<(dot ?? name.endIndex)] + "-\(number)" + name[(dot ?? name.endIndex)...]
      number += 1
    }
    return candidate
  }
}

// MARK: - What plugins call, the handle being an `LV2StatePaths`

private func paths(_ handle: UnsafeMutableRawPointer?) -> LV2StatePaths? {
  handle.map { Unmanaged<LV2StatePaths>.fromOpaque($0).takeUnretainedValue() }
}

/// `LV2_State_Make_Path.path`. [main, in `save`]
func makeStatePath(
  _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  guard let name else { return nil }
  return paths(handle)?.make(String(cString: name)).flatMap { strdup($0) }
}

/// `LV2_State_Map_Path.abstract_path`. [main, in `save`]
func abstractStatePath(
  _ handle: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  guard let path else { return nil }
  return paths(handle)?.abstract(String(cString: path)).withCString { strdup($0) }
}

/// `LV2_State_Map_Path.absolute_path`. [main, in `restore`]
func absoluteStatePath(
  _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  guard let name else { return nil }
  return paths(handle)?.absolute(String(cString: name)).withCString { strdup($0) }
}
