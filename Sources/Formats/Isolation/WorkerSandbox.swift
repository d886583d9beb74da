// WorkerSandbox.swift: the sandbox of a worker process, as its host sees it. SPDX-License-Identifier: MIT

internal import CSandbox
internal import Glibc
internal import PluginCatalogue
internal import PluginModel

/// The sandbox of a worker process, as its host sees it. [main]
///
/// The process may write only one directory. What it saves elsewhere is saved there first, and copied by the host.
final class WorkerSandbox {
  /// The only directory that the process may write, with the states that it saves.
  let kept: KeptState
  let record: SandboxRecord
  /// The parts that are in force.
  var parts: SandboxParts = []
  private let readable: [FileIdentity]
  private var draftCount = 0

  /// A path, and what it named when the sandbox was entered.
  private struct FileIdentity: Equatable {
    var path: String
    var device: UInt64
    var inode: UInt64

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.path = path
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// Prepares the sandbox of a plugin, in which no process is yet.
  ///
  /// - Throws: `IsolationError`.
  init(_ settings: NodeSandbox, of plugin: PluginDescription) throws(IsolationError) {
    kept = try KeptState(for: plugin.name)
    guard let record = SandboxRecord() else {
      throw .noMemory(
        name: plugin.name, byteCount: MemoryLayout<csandbox_record>.stride, code: errno)
    }
    self.record = record
    let pluginPaths = [plugin.location, plugin.library].filter { $0.hasPrefix("/") }
    readable = (pluginPaths + settings.files).compactMap { FileIdentity($0) }
  }

  /// The request that puts the process into the sandbox.
  var request: WorkerRequest {
    WorkerRequest(action: .sandbox(readable: readable.map(\.path), directory: kept.directory))
  }

  /// Whether the process may read a file or directory.
  ///
  /// A file that was replaced meanwhile is another one for the sandbox.
  func canRead(_ path: String) -> Bool {
    readable.contains { known in
      guard known == FileIdentity(known.path) else { return false }
      return path == known.path || path.hasPrefix(known.path + "/")
    }
  }

  // MARK: - Copies

  /// Returns a new path in the directory.
  private func draft() -> String {
    draftCount += 1
    return "\(kept.directory)/copy-\(draftCount)"
  }

  /// Lets the process save a directory, and copies the directory to its path.
  ///
  /// - Parameters:
  ///   - directory: the path; an existing bundle is replaced.
  ///   - replaces: whether it may exist.
  ///   - name: the plugin, for messages.
  ///   - save: saves to a path, and returns whether there is anything.
  /// - Returns: the result of `save`.
  /// - Throws: `IsolationError`, and errors of `save`.
  func export(
    to directory: String, replacing replaces: Bool, of name: String,
    _ save: (String) throws(IsolationError) -> Bool
  ) throws(IsolationError) -> Bool {
    let draft = draft()
    defer { KeptState.remove(draft) }
    guard try save(draft) else { return false }
    let code = csandbox_install_tree(draft, directory, replaces)
    guard code == 0 else { throw .notCopied(name: name, path: directory, code: code) }
    return true
  }

  /// Returns the path at which the process can read a directory: the same, or that of a copy.
  ///
  /// - Throws: `IsolationError`.
  func readablePath(_ directory: String, of name: String) throws(IsolationError) -> String {
    if canRead(directory) || directory.hasPrefix(kept.directory + "/") { return directory }
    let copy = draft()
    let code = csandbox_copy_tree(directory, copy, true)
    guard code == 0 else { throw .notCopied(name: name, path: directory, code: code) }
    return copy
  }

  /// Copies the states that another process has saved.
  func inherit(_ other: KeptState) {
    for generation in [KeptGeneration.newer, .older] {
      guard let path = other.path(generation) else { continue }
      // Without the state, the node starts like a new one.
      _ = csandbox_copy_tree(path, "\(kept.directory)/\(generation.rawValue)", false)
    }
  }
}
