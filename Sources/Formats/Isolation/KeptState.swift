// KeptState.swift: the directory with the states that a worker process saves. SPDX-License-Identifier: MIT

internal import CIsolation
internal import Glibc
internal import PluginCatalogue

/// The directory with the states that a worker process saves.
///
/// The directory is locked as long as its host runs. A host that was killed cannot remove it, so the next host removes
/// directories without a lock.
final class KeptState {
  /// Validation has directories with another prefix, which have no lock.
  private static let prefix = "outboard-kept-state-"
  /// A directory that is younger may not be locked yet, in seconds.
  private static let lockSeconds = 10

  /// The path.
  let directory: String
  private let lock: Int32

  /// Creates a directory that only this user can read. [main]
  ///
  /// - Throws: `IsolationError.noDirectory`.
  init(for name: String) throws(IsolationError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    Self.removeAbandoned(in: parent)
    var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .noDirectory(name: name, path: parent, code: errno)
    }
    directory = template.withUnsafeBufferPointer {
      $0.baseAddress.map { String(cString: $0) } ?? ""
    }
    lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Without a lock, another host may remove it, which only loses states.
    flock(lock, LOCK_EX | LOCK_NB)
  }

  deinit {
    cisolation_remove_tree(directory)
    close(lock)
  }

  /// Removes a directory with everything in it. [main]
  static func remove(_ path: String) { cisolation_remove_tree(path) }

  /// Returns the directory of a saved state; nil if there is none. [main]
  func path(_ generation: KeptGeneration) -> String? {
    let path = "\(directory)/\(generation.rawValue)"
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Removes the directories of hosts of this user that were killed. [main]
  static func removeAbandoned(in parent: String) {
    for name in OpenDirectory.names(in: parent) where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard directory >= 0 else { continue }
      defer { close(directory) }
      var status = stat()
      guard fstat(directory, &status) == 0, status.st_uid == geteuid(),
        time(nil) - status.st_mtim.tv_sec >= lockSeconds,
        flock(directory, LOCK_EX | LOCK_NB) == 0
      else { continue }
      cisolation_remove_tree(path)
    }
  }
}
