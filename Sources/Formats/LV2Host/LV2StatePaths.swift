// LV2StatePaths.swift: file paths in a state. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc

/// The paths of one `save` or `restore` call.
///
/// In a state that is saved to a directory, a file is named by the path of its copy there. The copies are made after
/// the call. In a state in memory, paths are unchanged.
final class LV2StatePaths {
  /// The base of relative paths in a restored state; nil if there is none.
  private let base: String?
  /// The target directory; nil for a state in memory.
  private let target: String?
  /// Directories whose files keep their relative paths.
  private let own: [String]
  /// File names in the state, by path without links.
  private var names: [String: String] = [:]
  /// Created paths, by requested path.
  private var made: [String: String] = [:]
  private var taken: Set<String> = ["manifest.ttl", "state.ttl"]
  /// The directory for new files of a state in memory.
  private let scratch: LV2ScratchDirectory

  /// Creates the paths of a `save` to `target`, or to memory if that is nil. [main]
  init(savingTo target: String?, scratch: LV2ScratchDirectory, own: [String]) {
    self.target = target.flatMap { FileSystem.real($0) }
    self.scratch = scratch
    self.own = own
    base = nil
  }

  /// Creates the paths of a `restore` from a directory; nil for a state in memory. [main]
  init(restoringFrom base: String?, scratch: LV2ScratchDirectory) {
    self.base = base
    self.scratch = scratch
    target = nil
    own = []
  }

  /// Returns a path for a new file of the plugin. [main, in `save`]
  func make(_ name: String) -> String? {
    guard let target else { return scratch.path(name) }
    if let known = made[name] { return known }
    let free = free(name.split(separator: "/").joined(separator: "/"))
    guard let path = LV2ScratchDirectory.path(free, in: target) else { return nil }
    made[name] = path
    names[path] = free
    return path
  }

  /// Returns the name of a path in the state. [main, in `save`]
  func abstract(_ path: String) -> String {
    guard let target, path.hasPrefix("/"), let real = FileSystem.real(path) else { return path }
    if let known = names[real] { return known }
    let name: String
    if let below = FileSystem.relative(real, to: target) {
      // Created next to a requested file, or in a requested directory.
      names[real] = below
      return below
    } else if let below = own.lazy.compactMap({ FileSystem.relative(real, to: $0) }).first {
      name = free(below)
    } else if FileSystem.isFile(real) {
      name = free(FileSystem.name(real))
    } else {
      // A directory of the user may contain any amount of data, so it is not copied.
      return path
    }
    names[real] = name
    return name
  }

  /// Returns the path of a file in the state. [main, in `restore`]
  func absolute(_ name: String) -> String {
    guard let base, !name.hasPrefix("/"), !name.isEmpty else { return name }
    return base + "/" + name
  }

  /// Copies missing files to the directory. [main]
  func copyFiles() throws(LV2StateError) {
    guard let target else { return }
    for (path, name) in names where FileSystem.relative(path, to: target) == nil {
      try FileSystem.copy(path, to: "\(target)/\(name)")
    }
  }

  /// Returns a unique name, with a number before the extension if needed.
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

// MARK: - Callbacks of plugins, with an `LV2StatePaths` as handle

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
