// FileWatcher.swift: waits for files to change. SPDX-License-Identifier: MIT

package import FoundationEssentials
import Glibc

/// What tells a saved file from the one before it.
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

  /// Nothing for a file that is not there.
  private let entries: [String: Entry]

  /// Looks at files, and at the sources that lie in folders among them. [any]
  package init(_ paths: [String]) {
    var entries: [String: Entry] = [:]
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        // Whatever else is written there, as recordings are, is none of a source's business.
        for file in ModuleSource.sources(in: path) { entries[file] = Self.entry(file) }
      } else {
        entries[path] = Entry(status)
      }
    }
    self.entries = entries
  }

  private static func entry(_ path: String) -> Entry? {
    var status = stat()
    return stat(path, &status) == 0 ? Entry(status) : nil
  }

  /// When the last of them was written to; nil where none is there. [any]
  package var lastChange: Date? {
    entries.values.map {
      Date(timeIntervalSince1970: Double($0.seconds) + Double($0.nanoseconds) * 1e-9)
    }.max()
  }

  /// Whether a file that was there is there no longer, or nothing is in it any more. [any]
  func lacks(_ earlier: FileStamps) -> Bool {
    earlier.entries.contains { path, before in
      guard let now = entries[path] else { return true }
      return now.byteCount == 0 && before.byteCount > 0
    }
  }
}

/// Notices when files are saved, whichever way an editor does that.
///
/// The kernel's word only says that it is worth looking; once a second it is looked anyway, as other
/// machines' changes in network folders come without a word.
package final class FileWatcher: Sendable {
  private static let lookMilliseconds: Int32 = 1_000
  /// Editors write a file in several goes: it is left in peace until nothing has come for so long.
  private static let restMilliseconds: Int32 = 15
  /// Some remove or empty it first: what is gone may be back within so many rests.
  private static let mostRests = 20

  private let descriptor: Int32
  private let ends: (read: Int32, write: Int32)

  /// A watch; nil where the system has no more of them. [any]
  package init?() {
    descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
    var pair: [Int32] = [-1, -1]
    guard descriptor >= 0, pipe(&pair) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    ends = (pair[0], pair[1])
  }

  deinit {
    for file in [descriptor, ends.read, ends.write] { close(file) }
  }

  /// Waits until files are no longer what they were; nil once `stop` was called. [one thread]
  package func waitForChange(of files: [String], since known: FileStamps) -> FileStamps? {
    watchFolders(of: files)
    while true {
      let now = FileStamps(files)
      if now != known { return settled(files, since: known) }
      guard rest(Self.lookMilliseconds) != .stopped else { return nil }
    }
  }

  /// Ends a wait, and all that follow. [any]
  package func stop() {
    var byte: UInt8 = 0
    _ = write(ends.write, &byte, 1)
  }

  private enum WatchResult {
    case nothing
    case something
    case stopped
  }

  /// Waits until nothing more comes, and what went is back or stays away.
  private func settled(_ files: [String], since known: FileStamps) -> FileStamps? {
    var facts = FileStamps(files)
    for _ in 0 ..< Self.mostRests {
      let news = rest(Self.restMilliseconds)
      if news == .stopped { return nil }
      let next = FileStamps(files)
      if news == .nothing, next == facts, !next.lacks(known) { return next }
      facts = next
    }
    return facts
  }

  private func watchFolders(of files: [String]) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM)
    for folder in Set(files.map(Self.folder)) {
      // The same folder again only renews the watch.
      inotify_add_watch(descriptor, folder, events)
    }
  }

  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// Waits for the kernel's word for so long at most.
  private func rest(_ milliseconds: Int32) -> WatchResult {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, milliseconds) > 0 else { return .nothing }
    if polled[1].revents != 0 { return .stopped }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while read(descriptor, &bytes, bytes.count) > 0 {}
    return .something
  }
}
