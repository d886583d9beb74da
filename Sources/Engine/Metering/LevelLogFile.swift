// LevelLogFile.swift: a rotating log file of levels. SPDX-License-Identifier: MIT

package import ErrorModel
import Glibc

/// The reason why a level log cannot be created.
package enum LevelLogError: Equatable {
  /// The file cannot be opened for writing.
  case unwritable(path: String, reason: String)
  /// The extension does not determine the format.
  case unknownKind(path: String)

  /// The message for users.
  package var description: String {
    switch self {
    case .unwritable(let path, let reason):
      "The log \(path) cannot be written (\(reason)). Choose a file in a directory that exists and"
        + " yours."
    case .unknownKind(let path):
      "The log \(path) has no known extension. Use .jsonl for lines of JSON or .csv for a"
        + " table."
    }
  }
}

/// Lines that are appended to a file.
///
/// At the rotation time, the file is renamed with a time stamp, and the next one is created. Only
/// the newest renamed files are kept.
final class LevelLogFile: @unchecked Sendable {
  // Unchecked because it moves from the thread that opens it to the one that writes it, and is
  // never shared.

  private let request: LevelLogSettings
  private var descriptor: Int32 = -1
  private var byteCount = 0
  /// Whether the file did not exist before.
  private var isNew = false
  /// Which hour or day the file is of.
  private var period = 0
  private var hasReported = false
  /// Whether a line was lost.
  private(set) var hasLostLines = false
  /// Whether the last line is whole.
  private var isWhole = true

  /// Opens the file; its content is kept.
  init(_ request: LevelLogSettings) throws(LevelLogError) {
    self.request = request
    guard request.hasKind else { throw .unknownKind(path: request.path) }
    guard open(at: Timestamp.now) else {
      throw .unwritable(path: request.path, reason: String(cString: strerror(errno)))
    }
  }

  deinit {
    // If only a check was made, no empty file is left.
    if descriptor >= 0, isNew, byteCount == 0 { unlink(request.path) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Writes an entry.
  ///
  /// - Returns: a notice, once when lines begin to be lost, and once when they are not any more.
  func write(_ entry: LevelEntry) -> HostNotice? {
    let line = (request.isTable ? entry.row : entry.json) + "\n"
    let heading = LevelEntry.heading(channelCount: entry.peaks.count) + "\n"
    if descriptor >= 0, isRotationDue(at: entry.moment, line.utf8.count) {
      rotate(at: entry.moment)
    }
    if descriptor >= 0, !isThere { reopen(at: entry.moment) }
    if descriptor < 0 { _ = open(at: entry.moment) }
    let begins = byteCount == 0 && request.isTable
    guard descriptor >= 0, append((isWhole ? "" : "\n") + (begins ? heading : "") + line) else {
      hasLostLines = true
      guard !hasReported else { return nil }
      hasReported = true
      let reason = String(cString: strerror(errno))
      return .levelLogNotWritten(request.path, reason: reason)
    }
    guard hasReported else { return nil }
    hasReported = false
    return .levelLogContinues(request.path)
  }

  // MARK: - The file

  private func open(at moment: Double) -> Bool {
    isNew = access(request.path, F_OK) != 0
    // A pipe without a reader would be waited for.
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    descriptor = Glibc.open(request.path, flags, 0o644)
    guard descriptor >= 0 else { return false }
    var status = stat()
    fstat(descriptor, &status)
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      descriptor = -1
      errno = EINVAL
      return false
    }
    byteCount = Int(status.st_size)
    isWhole = true
    // A file from yesterday is rotated with the first line of today.
    period = self.period(byteCount > 0 ? Double(status.st_mtim.tv_sec) : moment)
    return true
  }

  /// Whether the name still refers to this file: another program may have moved it.
  private var isThere: Bool {
    var (named, opened) = (stat(), stat())
    return stat(request.path, &named) == 0 && fstat(descriptor, &opened) == 0
      && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
  }

  private func reopen(at moment: Double) {
    close(descriptor)
    _ = open(at: moment)
  }

  /// Writes a line with one call, so that other programs never read a partial line.
  private func append(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var count = -1
    repeat { count = Glibc.write(descriptor, bytes, bytes.count) } while count < 0 && errno == EINTR
    guard count != bytes.count else {
      byteCount += count
      isWhole = true
      return true
    }
    guard count >= 0 else { return false }
    // The written part is not a line: it is removed, because programs read the file line by line.
    if count > 0, ftruncate(descriptor, off_t(byteCount)) != 0 {
      byteCount += count
      isWhole = false
    }
    errno = ENOSPC
    return false
  }

  // MARK: - Rotation

  private func period(_ moment: Double) -> Int {
    switch request.rotation {
    case .bytes: 0
    case .hourly: Int(moment / 3_600)
    case .daily: Int(moment / 86_400)
    }
  }

  private func isRotationDue(at moment: Double, _ lineBytes: Int) -> Bool {
    if case .bytes(let limit) = request.rotation {
      return byteCount > 0 && byteCount + lineBytes > limit
    }
    return period(moment) != period
  }

  private func rotate(at moment: Double) {
    let (stem, ending) = Self.parts(of: request.path)
    var name = "\(stem)-\(Timestamp.name(moment))\(ending)"
    var number = 1
    while access(name, F_OK) == 0 {
      number += 1
      name = "\(stem)-\(Timestamp.name(moment))-\(number)\(ending)"
    }
    guard rename(request.path, name) == 0 else { return }
    reopen(at: moment)
    deleteOldLogs(stem, ending)
  }

  /// Removes the oldest files; their names sort by time.
  private func deleteOldLogs(_ stem: String, _ ending: String) {
    let slash = stem.lastIndex(of: "/")
    let directory = slash.map { String(stem[...$0]) } ?? "./"
    let start = (slash.map { String(stem[stem.index(after: $0)...]) } ?? stem) + "-"
    guard let entries = opendir(directory) else { return }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let middle = name.dropFirst(start.count).dropLast(ending.count)
      // `20261122T163500Z`, and optionally a number: other files are not removed.
      guard name.hasPrefix(start), name.hasSuffix(ending), middle.count >= 16,
        middle.prefix(8).allSatisfy(\.isNumber), middle.dropFirst(8).first == "T",
        middle.dropFirst(9).prefix(6).allSatisfy(\.isNumber), middle.dropFirst(15).first == "Z",
        middle.dropFirst(16).allSatisfy({ $0.isNumber || $0 == "-" })
      else { continue }
      names.append(name)
    }
    // Shorter names first, because -10 comes after -9.
    let moment = start.count + 16
    names.sort { ($0.prefix(moment), $0.count, $0) < ($1.prefix(moment), $1.count, $1) }
    for name in names.dropLast(request.keptCount) { unlink(directory + name) }
  }

  private static func parts(of path: String) -> (stem: String, ending: String) {
    let dot = path.lastIndex(of: ".") ?? path.endIndex
    return (String(path[..<dot]), String(path[dot...]))
  }
}

extension LevelLogError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
