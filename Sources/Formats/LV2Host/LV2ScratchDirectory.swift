// LV2ScratchDirectory.swift: the directory for files of a running plugin. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import Synchronization

/// A temporary directory of an instance, created at the first request and removed with it.
///
/// Its contents are copied when the state is saved.
final class LV2ScratchDirectory: Sendable {
  private let made = Mutex<String?>(nil)

  deinit {
    if let directory { FileSystem.remove(directory) }
  }

  /// The path without links; nil before the first request. [any]
  var directory: String? { made.withLock { $0 } }

  /// Returns a path for a new file and creates its parents. [any but render]
  func path(_ name: String) -> String? {
    let directory = made.withLock { made -> String? in
      if made == nil {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        made = (try? FileSystem.createUniqueDirectory(parent + "/outboard-")).flatMap {
          FileSystem.real($0)
        }
      }
      return made
    }
    return directory.flatMap { LV2ScratchDirectory.path(name, in: $0) }
  }

  /// Returns a path in a directory and creates its parents; nil if it leads outside. [any]
  static func path(_ name: String, in directory: String) -> String? {
    let parts = name.split(separator: "/")
    guard !parts.isEmpty, !parts.contains("..") else { return nil }
    let path = directory + "/" + parts.joined(separator: "/")
    return (try? FileSystem.createDirectory(FileSystem.parent(path))) == nil ? nil : path
  }
}

// MARK: - Callbacks of plugins

/// `LV2_State_Make_Path.path` outside of `save`; the handle is an `LV2ScratchDirectory`. [any but render]
func makeScratchPath(
  _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  guard let handle, let name else { return nil }
  return Unmanaged<LV2ScratchDirectory>.fromOpaque(handle).takeUnretainedValue()
    .path(String(cString: name)).flatMap { strdup($0) }
}

/// `LV2_State_Map_Path` outside of `save` and `restore`: returns the path unchanged. [any but render]
func mapPathToItself(
  _: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
  path.flatMap { strdup($0) }
}

/// `LV2_State_Free_Path.free_path`: all paths come from `strdup`. [any but render]
func freePath(_: UnsafeMutableRawPointer?, _ path: UnsafeMutablePointer<CChar>?) { free(path) }
