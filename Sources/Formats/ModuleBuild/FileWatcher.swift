// FileWatcher.swift: waits for files to change. SPDX-License-Identifier: MIT

package import FoundationEssentials
import Glibc

/// The state of watched files.
package struct FileStamps: Sendable, Equatable {
  private struct Entry: Equatable {
    var inode: UInt
    var byteCount: Int
    var seconds: Int
    var nanoseconds: Int

    init(_ status: stat) {
      inode = UInt(status.st_ino)
      byteCount = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// The state of a missing file.
  private let entries: [String: Entry]

  /// Reads the state of files, and of the sources in directories among them. [any]
  package init(_ paths: [String]) {
    var entries: [String: Entry] = [:]
    for path in paths {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        // Other files in the directory, such as recordings, do not matter.
        for file in ModuleSource.sources(in: path) { entries[file] = Self.entry(file) }
      } else {
        entries[path] = Entry(status)
      }
    }
    self.entries = entries
  }

  private static func entry(_ path: String) -> Entry? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Entry(status) : nil
  }

  /// The latest modification time; nil if no file exists. [any]
  package var lastChange: Date? {
    entries.values.map {
      Date(timeIntervalSince1970: Double($0.seconds) + Double($0.nanoseconds) * 1e-9)
    }.max()
  }

  /// Whether a file was removed or emptied. [any]
  func isMissingFile(_ earlier: FileStamps) -> Bool {
    earlier.entries.contains { path, before in
      guard let now = entries[path] else { return true }
      return now.byteCount == 0 && before.byteCount > 0
    }
  }
}

/// Detects saved files, however an editor writes them.
///
/// An inotify event only triggers a check. There is also a check once a second, because network file systems
/// report no changes of other machines.
package final class FileWatcher: Sendable {
  private static let pollMilliseconds: Int32 = 1_000
  /// The quiet time after a change: editors write a file in several steps.
  private static let quietMilliseconds: Int32 = 15
  /// The number of quiet periods in which a removed or empty file may come back.
  private static let maximumQuietCount = 20

  private let descriptor: Int32
  private let ends: (read: Int32, write: Int32)

  /// Creates a watcher; nil if the inotify limit is reached. [any]
  package init?() {
    descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
    var pair: [Int32] = [-1, -1]
    guard descriptor >= 0, unsafe pipe(&pair) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ends = (pair[0], pair[1])
  }

  deinit {
    for file in [descriptor, ends.read, ends.write] { close(file) }
  }

  /// Waits for a change; returns nil after `stop`. [one thread]
  package func waitForChange(of files: [String], since known: FileStamps) -> FileStamps? {
    watchDirectories(of: files)
    while true {
      let now = FileStamps(files)
      if now != known { return waitUntilStable(files, since: known) }
      guard pause(Self.pollMilliseconds) != .stopped else { return nil }
    }
  }

  /// Ends the current wait and all later ones. [any]
  package func stop() {
    var byte: UInt8 = 0
    _ = unsafe write(ends.write, &byte, 1)
  }

  private enum WatchResult {
    case unchanged
    case changed
    case stopped
  }

  /// Waits until changes stop and removed files are back or stay away.
  private func waitUntilStable(_ files: [String], since known: FileStamps) -> FileStamps? {
    var stamps = FileStamps(files)
    for _ in 0 ..< Self.maximumQuietCount {
      let change = pause(Self.quietMilliseconds)
      if change == .stopped { return nil }
      let next = FileStamps(files)
      if change == .unchanged, next == stamps, !next.isMissingFile(known) { return next }
      stamps = next
    }
    return stamps
  }

  private func watchDirectories(of files: [String]) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM)
    for directory in Set(files.map(Self.directory)) {
      // A second watch of the same directory only renews the first.
      unsafe inotify_add_watch(descriptor, directory, events)
    }
  }

  private static func directory(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// Waits for an inotify event until a timeout.
  private func pause(_ milliseconds: Int32) -> WatchResult {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
    ]
    guard unsafe poll(&polled, 2, milliseconds) > 0 else { return .unchanged }
    if polled[1].revents != 0 { return .stopped }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    return .changed
  }
}
