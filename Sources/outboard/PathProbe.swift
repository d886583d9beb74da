// PathProbe.swift: reachability test for the files of a request. SPDX-License-Identifier: MIT

import Control
import Dispatch
import FoundationEssentials
import Glibc
import RealtimeKit
import Session
import Synchronization

/// Tests paths before the main thread opens them.
///
/// A network file system whose server is down blocks every call without warning. Each path is therefore tested on a
/// separate thread.
enum PathProbe {
  /// The time limit for all paths of a request, in seconds.
  static let seconds = 5.0

  /// Returns why the paths of a request cannot be used; nil if all can be reached. [any]
  static func refusal(of request: ControlRequest) -> ControlReply.ErrorInfo? {
    refusal(of: paths(in: request), seconds: seconds, examine: { FileProbe.examine($0) })
  }

  /// Returns why paths cannot be used; nil if all respond within `seconds`. [any]
  static func refusal(
    of paths: [String], seconds: Double, examine: @escaping @Sendable (String) -> Void
  ) -> ControlReply.ErrorInfo? {
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
    return ControlReply.ErrorInfo(
      message:
        "\(path) did not respond within \(Int(seconds.rounded(.up))) s. Check its network file"
        + " system.", status: 1)
  }

  private final class Shared: Sendable {
    let current: Mutex<String>
    let isDone = DispatchSemaphore(value: 0)

    init(_ path: String) { current = Mutex(path) }
  }

  /// Returns the absolute paths that the main thread would open.
  ///
  /// `load` reads its rig on another thread.
  static func paths(in request: ControlRequest) -> [String] {
    switch request.action {
    case .save, .blackBox:
      guard let file = request.file, file.hasPrefix("/") else { return [] }
      return [URL(fileURLWithPath: file).deletingLastPathComponent().path, file]
    case .set:
      // Only the plugin knows which values are paths. A value that is not a path names no file.
      let folder = request.folder ?? "/"
      return (request.values ?? [:]).values.map(\.text).filter {
        !$0.isEmpty && $0.utf8.count < 4_096
      }
      .map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }.sorted()
    default: return []
    }
  }
}
