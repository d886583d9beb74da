// FileFingerprint.swift: detects file changes without reading files. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// The names in a directory at a modification time.
struct DirectoryNames: Equatable {
  /// The modification time.
  let seconds: Int64
  let nanoseconds: Int64
  /// The sorted names, each with a zero at its end.
  let bytes: [UInt8]

  init(seconds: Int64, nanoseconds: Int64, bytes: [UInt8]) {
    (self.seconds, self.nanoseconds, self.bytes) = (seconds, nanoseconds, bytes)
  }

  init(seconds: Int64, nanoseconds: Int64, names: [String]) {
    self.init(seconds: seconds, nanoseconds: nanoseconds, bytes: names.flatMap { $0.utf8 + [0] })
  }

  /// Calls `use` with each name, and with its path in the directory `path`.
  fileprivate func forEach(
    in path: String, _ use: (UnsafeRawBufferPointer, UnsafePointer<CChar>) -> Void
  ) {
    // Strings would take half of the time of the calls of the system.
    var whole = Array(path.utf8) + [UInt8(ascii: "/")]
    let prefixCount = whole.count
    unsafe bytes.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while let end = unsafe rest.firstIndex(of: 0) {
        whole.removeSubrange(prefixCount...)
        unsafe whole.append(contentsOf: rest[...end])
        unsafe whole.withUnsafeBytes { whole in
          let name = unsafe UnsafeRawBufferPointer(rebasing: whole[prefixCount ..< whole.count - 1])
          guard let start = whole.baseAddress else { return }
          unsafe use(name, start.assumingMemoryBound(to: CChar.self))
        }
        unsafe rest = rest[(end + 1)...]
      }
    }
  }

  fileprivate func isCurrent(_ facts: stat) -> Bool {
    facts.st_mtim.tv_sec == seconds && facts.st_mtim.tv_nsec == nanoseconds
  }

  /// Times of files advance in steps of some milliseconds, so a name that was added just after may not change the time.
  fileprivate var isSettled: Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return seconds < now.tv_sec - 2
  }
}

/// The fingerprint of a bundle's files: names, sizes and modification times in nanoseconds.
struct FileFingerprint: Equatable {
  /// The fingerprint; equal values mean no change.
  let value: UInt64
  /// The total file size in bytes.
  ///
  /// The largest bundles are scanned first.
  let byteCount: UInt64
  /// The names in the last directory of the paths; nil without one, and if it changed a moment ago.
  let directory: DirectoryNames?

  /// Creates the fingerprint of files and of directories, one level deep.
  ///
  /// A missing file counts as such. A directory that has not changed since its names became known is not read. [any]
  init(of paths: [String], knowing known: DirectoryNames? = nil) {
    var digest = Checksum()
    var byteCount: UInt64 = 0
    var directory: DirectoryNames?
    for path in paths {
      guard let facts = Self.add(path, AT_FDCWD, path, &digest, &byteCount),
        facts.st_mode & S_IFMT == S_IFDIR
      else { continue }
      if let known, known.isCurrent(facts) {
        unsafe known.forEach(in: path) { name, path in
          _ = unsafe Self.add(name, AT_FDCWD, path, &digest, &byteCount)
        }
        directory = known
      } else if let opened = OpenDirectory(path) {
        let names = opened.names()
        for name in names { _ = Self.add(name, opened.descriptor, name, &digest, &byteCount) }
        directory = DirectoryNames(
          seconds: Int64(facts.st_mtim.tv_sec), nanoseconds: Int64(facts.st_mtim.tv_nsec),
          names: names)
      }
    }
    value = digest.value
    self.byteCount = byteCount
    self.directory = directory.flatMap { $0.isSettled ? $0 : nil }
  }

  private static func add(
    _ name: String, _ directory: Int32, _ path: String, _ digest: inout Checksum,
    _ byteCount: inout UInt64
  ) -> stat? {
    var name = name
    return name.withUTF8 {
      unsafe add(UnsafeRawBufferPointer($0), directory, path, &digest, &byteCount)
    }
  }

  /// Adds a file; returns its facts, or nil if it is missing.
  private static func add(
    _ name: UnsafeRawBufferPointer, _ directory: Int32, _ path: UnsafePointer<CChar>,
    _ digest: inout Checksum, _ byteCount: inout UInt64
  ) -> stat? {
    unsafe digest.add(name)
    var facts = stat()
    guard unsafe fstatat(directory, path, &facts, 0) == 0 else {
      digest.add(0)
      return nil
    }
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_sec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_nsec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_size)))
    // A sparse file may have any size.
    let sum = byteCount.addingReportingOverflow(UInt64(clamping: facts.st_size))
    byteCount = sum.overflow ? .max : sum.partialValue
    return facts
  }
}
