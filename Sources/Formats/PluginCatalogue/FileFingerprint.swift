// FileFingerprint.swift: detects file changes without reading files. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// The fingerprint of a bundle's files: names, sizes and modification times in nanoseconds.
struct FileFingerprint: Equatable {
  /// The fingerprint; equal values mean no change.
  let value: UInt64
  /// The total file size in bytes.
  ///
  /// The largest bundles are scanned first.
  let byteCount: UInt64

  /// Creates the fingerprint of files and of directories, one level deep.
  ///
  /// A missing file counts as such. [any]
  init(of paths: [String]) {
    var digest = Checksum()
    var byteCount: UInt64 = 0
    for path in paths {
      Self.add(path, AT_FDCWD, path, &digest, &byteCount)
      for (name, directory) in Self.entries(of: path) {
        Self.add(name, directory.descriptor, name, &digest, &byteCount)
      }
    }
    value = digest.value
    self.byteCount = byteCount
  }

  /// An open directory, closed with its last reference.
  private final class ScannedDirectory {
    let stream: OpaquePointer
    var descriptor: Int32 { dirfd(stream) }
    init?(_ path: String) {
      guard let stream = opendir(path) else { return nil }
      self.stream = stream
    }
    deinit { closedir(stream) }
  }

  private static func entries(of path: String) -> [(String, ScannedDirectory)] {
    guard let directory = ScannedDirectory(path) else { return [] }
    var names: [String] = []
    while let entry = readdir(directory.stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    // The order of `readdir` may change without any other change.
    return names.sorted().map { ($0, directory) }
  }

  private static func add(
    _ name: String, _ directory: Int32, _ path: String, _ digest: inout Checksum,
    _ byteCount: inout UInt64
  ) {
    digest.add(name)
    var facts = stat()
    guard fstatat(directory, path, &facts, 0) == 0 else {
      digest.add(0)
      return
    }
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_sec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_nsec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_size)))
    // A sparse file may have any size.
    let sum = byteCount.addingReportingOverflow(UInt64(clamping: facts.st_size))
    byteCount = sum.overflow ? .max : sum.partialValue
  }
}
