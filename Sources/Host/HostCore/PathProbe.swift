// PathProbe.swift: tests whether the files of a command can be reached. SPDX-License-Identifier:
// MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import HostModel
import RealtimeKit
import Session
import Synchronization

/// Tests paths before the main thread opens them.
///
/// A network file system whose server is down blocks every call without warning. Each path is therefore tested on a
/// separate thread.
enum PathProbe {
  /// The limit for all paths of a command, in seconds.
  static let seconds = 5.0

  /// Returns the error if paths of a command cannot be reached; nil if all of them can. [any]
  static func refusal(of command: Command) -> ErrorInfo? {
    refusal(of: paths(in: command), seconds: seconds, examine: { FileProbe.examine($0) })
  }

  /// Returns why paths cannot be used; nil if all respond within `seconds`. [any]
  static func refusal(
    of paths: [String], seconds: Double, examine: @escaping @Sendable (String) -> Void
  ) -> ErrorInfo? {
    guard !paths.isEmpty else { return nil }
    let state = Shared(paths[0])
    _ = DetachedThread.start {
      for path in paths {
        state.current.withLock { $0 = path }
        examine(path)
      }
      state.isDone.signal()
    }
    guard state.isDone.wait(timeout: .now() + seconds) == .timedOut else { return nil }
    let path = state.current.withLock { $0 }
    return ErrorInfo(
      message:
        "\(path) did not respond within \(Int(seconds.rounded(.up))) s. Check its network file"
        + " system.", kind: .failure)
  }

  private final class Shared: Sendable {
    let current: Mutex<String>
    let isDone = DispatchSemaphore(value: 0)

    init(_ path: String) { current = Mutex(path) }
  }

  /// Returns the absolute paths that the main thread would open.
  ///
  /// `load` reads its rig on another thread anyway.
  static func paths(in command: Command) -> [String] {
    switch command {
    case .save(let save): return save.file.map(createdPaths) ?? []
    case .blackBox(let box): return createdPaths(box.directory)
    case .files(let files): return files.directory.map { [$0] } ?? []
    case .set(let set):
      // Only the plugin knows which values are paths. A value that is not a path names no existing
      // file.
      let directory = set.directory ?? "/"
      return set.values.map(\.value).filter { !$0.isEmpty && $0.utf8.count < 4_096 }
        .map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }.sorted()
    default: return []
    }
  }

  /// Returns the directory and the path of a file that will be created.
  private static func createdPaths(_ path: String) -> [String] {
    guard path.hasPrefix("/") else { return [] }
    return [URL(fileURLWithPath: path).deletingLastPathComponent().path, path]
  }
}
