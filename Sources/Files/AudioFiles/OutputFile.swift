// OutputFile.swift: a file that appears only when it is whole. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// The output to a path, which is invisible until `commit`.
///
/// If the file system supports it, the file has no name until then, so even a power failure leaves
/// no partial file. Otherwise it is called `.NAME.partial-PID`, and is removed with this object.
final class OutputFile {
  /// The error number of the first write that failed; 0 if none did.
  var failure: Int32 = 0
  /// Bytes up to the furthest one written.
  private(set) var length = 0
  /// The position of the next byte.
  private(set) var position = 0

  /// The path as the user gave it.
  private let path: String
  /// The final path: the target of a symbolic link, as an absolute path.
  private let target: String
  private let replaces: Bool
  private let isStream: Bool
  private let canPatch: Bool
  /// Whether the file has its name from the start and keeps it, even if the process is killed.
  let isGrowing: Bool
  private(set) var descriptor: Int32
  /// A descriptor that becomes readable to cancel a write that waits for a reader; -1 for none.
  private let interrupt: Int32
  private var temporaryPath: String?

  /// Writes to a stream, such as standard output; the descriptor stays open.
  ///
  /// A write is cancelled when `interrupt`, another descriptor, becomes readable.
  init(stream: Int32, name: String, interrupt: Int32 = -1) {
    self.interrupt = interrupt
    path = name
    target = name
    replaces = true
    isStream = true
    isGrowing = false
    descriptor = stream
    var status = stat()
    let isFile = unsafe fstat(stream, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    // In append mode, `pwrite` would write the patch at the end.
    canPatch =
      isFile && lseek(stream, 0, SEEK_CUR) == 0 && fcntl(stream, F_GETFL) & O_APPEND == 0
  }

  /// A file to be; one that is there already is an error unless it `replaces` it.
  init(path: String, replaces: Bool) throws(AudioFileError) {
    self.path = path
    let resolved = Self.resolved(path)
    target = LaunchDirectory.absolute(resolved)
    self.replaces = replaces
    isStream = false
    canPatch = false
    isGrowing = false
    interrupt = -1
    descriptor = -1
    try checkTarget()
    let directory = Self.directory(of: resolved)
    descriptor = unsafe cfiles_unnamed_file(Self.directory(of: target))
    if descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
      let hidden = hiddenPath()
      descriptor = unsafe open(hidden, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0o666)
      if descriptor >= 0 { temporaryPath = hidden }
    }
    guard descriptor >= 0 else {
      let code = errno
      throw Self.isDirectory(Self.directory(of: target))
        ? .directoryNotWritable(path: path, directory: directory, reason: errorMessage(code))
        : .directoryMissing(path: path, directory: directory)
    }
    keepRights()
  }

  /// Copies the mode of the replaced file, and its owner if this user may set it.
  private func keepRights() {
    var status = stat()
    guard replaces, unsafe stat(target, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else { return }
    if status.st_uid != geteuid() || status.st_gid != getegid() {
      _ = fchown(descriptor, status.st_uid, status.st_gid)
    }
    _ = fchmod(descriptor, status.st_mode & 0o777)
  }

  /// Creates a file that is visible under its name at once, and never replaces another one.
  init(growing path: String) throws(AudioFileError) {
    self.path = path
    target = LaunchDirectory.absolute(path)
    replaces = false
    isStream = false
    canPatch = true
    isGrowing = true
    interrupt = -1
    try Self.checkGrowing(path)
    descriptor = unsafe open(target, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw errno == EEXIST
        ? .recordingExists(path: path) : .notWritable(path: path, reason: errorMessage(errno))
    }
  }

  deinit {
    if isStream { return }
    // A file that could not be started must not block the next attempt.
    if isGrowing, length == 0 { remove() }
    if descriptor >= 0 { close(descriptor) }
    if let temporaryPath { unsafe unlink(temporaryPath) }
  }

  // MARK: - Bytes

  /// Writes at `position`; returns how many bytes went, fewer only after a failure. [any one thread]
  func put(_ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    var done = 0
    while done < count && failure == 0 {
      guard let part = waitForDiskSpace() else { break }
      let (from, left) = unsafe (bytes + done, min(part, count - done))
      let written =
        unsafe isStream ? write(descriptor, from, left) : pwrite(descriptor, from, left, position)
      if written < 0 {
        if errno != EINTR { failure = errno }
        continue
      }
      done += written
      position += written
    }
    length = max(length, position)
    return done
  }

  /// Waits until bytes can be written, and returns how many; nil if it was interrupted.
  private func waitForDiskSpace() -> Int? {
    guard interrupt >= 0 else { return .max }
    var events = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&events, 2, -1) < 0, errno == EINTR {}
    // Even then, bytes that fit are written.
    if events[0].revents == 0 {
      failure = ECANCELED
      return nil
    }
    // A pipe that has any room takes this many bytes at once.
    return Int(PIPE_BUF)
  }

  /// Reads at `position`, because some codecs read what they wrote; returns the number of bytes.
  func get(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let readCount = unsafe isStream ? 0 : max(0, pread(descriptor, bytes, count, position))
    position += readCount
    return readCount
  }

  /// Moves `position`; has no effect on a stream.
  func seek(to target: Int) -> Int {
    if !isStream { position = max(0, target) }
    return position
  }

  /// Overwrites bytes of a stream that is a file whose start this object wrote.
  func patch(_ bytes: [UInt8], at offset: Int) {
    guard canPatch else { return }
    if unsafe pwrite(descriptor, bytes, bytes.count, offset) != bytes.count { failure = errno }
  }

  /// Whether another file has its name until `commit`.
  var hasOther: Bool {
    var status = stat()
    return unsafe isFile && lstat(target, &status) == 0
  }

  /// Whether the output is a temporary file, which is removed if it cannot be finished.
  var isFile: Bool { !isStream && !isGrowing }

  // MARK: - Growing files

  /// Checks that a growing file could be created: its name is free and its directory accepts new
  /// files.
  static func checkGrowing(_ path: String) throws(AudioFileError) {
    let target = LaunchDirectory.absolute(path)
    if isDirectory(target) { throw .isDirectory(path: path) }
    var status = stat()
    guard unsafe lstat(target, &status) != 0 else { throw .recordingExists(path: path) }
    let directory = directory(of: path)
    guard isDirectory(Self.directory(of: target)) else {
      throw .directoryMissing(path: path, directory: directory)
    }
    guard unsafe access(Self.directory(of: target), W_OK | X_OK) == 0 else {
      throw .directoryNotWritable(path: path, directory: directory, reason: errorMessage(errno))
    }
  }

  /// Writes everything to the disk, so that it survives a power failure.
  func flush() {
    if fdatasync(descriptor) != 0, failure == 0 { failure = errno }
  }

  /// Clears a write error, so that existing bytes of a file that cannot grow can be overwritten.
  func clearError() { failure = 0 }

  /// Whether the file still has a name; true if that is unknown because its descriptor was closed, which is
  /// then a failure.
  var hasName: Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      if failure == 0 { failure = errno }
      return true
    }
    return status.st_nlink > 0
  }

  /// Takes its name away, if that is still the name of this file.
  func remove() {
    var (mine, named) = (stat(), stat())
    guard unsafe fstat(descriptor, &mine) == 0, unsafe lstat(target, &named) == 0,
      mine.st_ino == named.st_ino, mine.st_dev == named.st_dev
    else { return }
    unsafe unlink(target)
  }

  // MARK: - The end

  /// Gives the file its name; has no effect on a stream. [any one thread]
  ///
  /// - Throws: `outputExists` if a file of that name was created meanwhile; no file is left then.
  func commit() throws(AudioFileError) {
    if isStream || isGrowing { return }
    if let temporaryPath {
      // Some file systems report a full disk at closing time only.
      let status = close(descriptor)
      descriptor = -1
      if status != 0 { failure = errno }
      guard status == 0 else { throw .notWritable(path: path, reason: errorMessage(failure)) }
      try move(temporaryPath)
    } else {
      try link()
    }
    temporaryPath = nil
  }

  private func link() throws(AudioFileError) {
    let hidden = hiddenPath()
    // A killed process with the same id may have left such a file between the two steps below.
    if replaces { unsafe unlink(hidden) }
    if unsafe cfiles_name_file(descriptor, replaces ? hidden : target) != 0 {
      throw errno == EEXIST && !replaces
        ? .outputExists(path: path) : .notWritable(path: path, reason: errorMessage(errno))
    }
    guard replaces else { return }
    temporaryPath = hidden
    try move(hidden)
  }

  private func move(_ hidden: String) throws(AudioFileError) {
    guard unsafe cfiles_rename(hidden, target, replaces) != 0 else { return }
    throw errno == EEXIST
      ? .outputExists(path: path) : .notWritable(path: path, reason: errorMessage(errno))
  }

  // MARK: - Paths

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private func checkTarget() throws(AudioFileError) {
    var status = stat()
    // A symbolic link without a target counts as an existing file.
    guard unsafe lstat(target, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw .isDirectory(path: path)
    case S_IFREG, S_IFLNK: if !replaces { throw .outputExists(path: path) }
    // Renaming a file to its name would take a device or a pipe off the machine.
    default: throw .notAFile(path: path)
    }
  }

  /// Returns the path without symbolic links; the path itself if its target does not exist.
  private static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func hiddenPath() -> String {
    let name = target.split(separator: "/").last ?? ""
    return "\(Self.directory(of: target))/.\(name).partial-\(getpid())"
  }
}
