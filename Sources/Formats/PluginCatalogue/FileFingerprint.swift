// FileFingerprint.swift: whether files are as they were, without reading them. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// The state of a unit's files: names, sizes and modification times in nanoseconds.
struct FileFingerprint: Equatable {
  /// Equal values mean that nothing has changed.
  let value: UInt64
  /// All bytes of the files: the largest units are read first, so that none is left for last.
  let byteCount: UInt64

  /// Looks at files, and at what lies in folders, one level deep; a missing file counts as such. [any]
  init(of paths: [String]) {
    var digest = Checksum()
    var byteCount: UInt64 = 0
    for path in paths {
      Self.add(path, AT_FDCWD, path, &digest, &byteCount)
      for (name, folder) in Self.entries(of: path) {
        Self.add(name, folder.descriptor, name, &digest, &byteCount)
      }
    }
    value = digest.value
    self.byteCount = byteCount
  }

  /// An open folder, closed with its last reference.
  private final class Folder {
    let stream: OpaquePointer
    var descriptor: Int32 { dirfd(stream) }
    init?(_ path: String) {
      guard let stream = opendir(path) else { return nil }
      self.stream = stream
    }
    deinit { closedir(stream) }
  }

  private static func entries(of path: String) -> [(String, Folder)] {
    guard let folder = Folder(path) else { return [] }
    var names: [String] = []
    while let entry = readdir(folder.stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    // The order of `readdir` may change though nothing else has.
    return names.sorted().map { ($0, folder) }
  }

  private static func add(
    _ name: String, _ folder: Int32, _ path: String, _ digest: inout Checksum,
    _ byteCount: inout UInt64
  ) {
    digest.add(name)
    var facts = stat()
    guard fstatat(folder, path, &facts, 0) == 0 else {
      digest.add(0)
      return
    }
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_sec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_mtim.tv_nsec)))
    digest.add(UInt64(bitPattern: Int64(facts.st_size)))
    // A file with holes may claim any size.
    let sum = byteCount.addingReportingOverflow(UInt64(clamping: facts.st_size))
    byteCount = sum.overflow ? .max : sum.partialValue
  }
}
