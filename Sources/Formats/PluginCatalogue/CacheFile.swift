// CacheFile.swift: the file of the plugin cache. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel
internal import Synchronization

/// A plugin with its encoded description, which is decoded on demand.
struct CachedPlugin {
  let entry: CatalogueEntry
  let details: CachedBytes

  init(_ scannedPlugin: ScannedPlugin, source: String, unit: String) {
    entry = CatalogueEntry(scannedPlugin, source: source, unit: unit)
    var writer = BinaryEncoder()
    writer.write(scannedPlugin.description)
    details = .bytes(writer.bytes)
  }

  init(entry: CatalogueEntry, details: CachedBytes) {
    self.entry = entry
    self.details = details
  }

  /// The description; nil if the file is damaged.
  var description: PluginDescription? {
    unsafe details.bytes?.withUnsafeBytes { bytes in
      var reader = unsafe BinaryDecoder(bytes)
      return try? reader.description()
    }
  }
}

/// The scan result of a bundle or manifest.
struct CachedBundle {
  let source: String
  let path: String
  let signature: UInt64
  /// The names in its directory; nil if they are not known.
  var directory: DirectoryNames?
  /// The error message; empty if there was no error.
  let fault: String
  let plugins: [CachedPlugin]
  /// The names of presets in other files than those of the plugins' descriptions, decoded on demand.
  var presets = CachedBytes.bytes([])
}

/// A read-only mapping of a file.
///
/// It stays valid if the file is replaced.
@safe final class MappedFile: Sendable {
  // Only read after it was mapped, so it is safe on any thread.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Maps a cache file; nil if it is missing, or if another user can write it.
  init?(_ path: String) {
    // Opened first: most files that are looked for do not exist, and then the directory does not matter.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard CacheTrust.isSafe(directoryOf: path), unsafe fstat(descriptor, &facts) == 0,
      facts.st_size > 0,
      facts.st_mode & S_IFMT == S_IFREG, CacheTrust.isSafe(facts),
      let start = unsafe mmap(nil, Int(facts.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      unsafe start != MAP_FAILED
    else { return nil }
    unsafe bytes = UnsafeRawBufferPointer(start: start, count: Int(facts.st_size))
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// The cache file: a header, an index for lists, and the descriptions.
///
/// Checksums protect the index and each description. An invalid file is treated as missing. The file is
/// replaced with `rename`, so that readers see either the old or the new one.
enum CacheFile {
  /// The format version.
  ///
  /// Increase it with every change of the format or of descriptions.
  static let formatVersion: UInt32 = 12
  private static let magic: UInt64 = 0x6361_7461_6c6f_6775
  private static let headerByteCount = 40

  /// The identity of this program: size and modification time of its file.
  ///
  /// Another build may read the same bundle differently, so it ignores the cache.
  static let program = FileFingerprint(of: [ThisProgram.path]).value

  /// Returns the bundles in a file; nil if it is missing, damaged or of another version.
  static func read(_ path: String) -> [CachedBundle]? {
    guard let file = MappedFile(path) else { return nil }
    // The readers store addresses and do not retain the mapping.
    defer { withExtendedLifetime(file) {} }
    var header = unsafe BinaryDecoder(file.bytes)
    do throws(BinaryDecodingError) {
      guard try header.number(UInt64.self) == magic,
        try header.number(UInt32.self) == formatVersion,
        try header.number(UInt64.self) == program
      else { return nil }
      let indexCount = Int(try header.number(UInt32.self))
      let digest = try header.number(UInt64.self)
      guard try unsafe header.number(UInt64.self) == UInt64(file.bytes.count),
        indexCount <= header.remainingCount
      else { return nil }
      let indexRange = headerByteCount ..< headerByteCount + indexCount
      let index = unsafe UnsafeRawBufferPointer(rebasing: file.bytes[indexRange])
      guard unsafe Checksum.of(index) == digest else { return nil }
      var reader = unsafe BinaryDecoder(index)
      return try reader.list { reader throws(BinaryDecodingError) in
        try unit(&reader, file, detailsStart: indexRange.upperBound)
      }
    } catch {
      return nil
    }
  }

  private static func unit(
    _ reader: inout BinaryDecoder, _ file: MappedFile, detailsStart: Int
  ) throws(BinaryDecodingError) -> CachedBundle {
    let source = try reader.text()
    let path = try reader.text()
    let signature = try reader.number(UInt64.self)
    let directory = try reader.flag() ? try Self.directory(&reader) : nil
    let fault = try reader.text()
    let plugins = try reader.list { reader throws(BinaryDecodingError) in
      let entry = try CatalogueEntry(&reader, source: source, unit: path)
      return CachedPlugin(entry: entry, details: try details(&reader, file, detailsStart))
    }
    let hasPresets = try reader.flag()
    return CachedBundle(
      source: source, path: path, signature: signature, directory: directory, fault: fault,
      plugins: plugins,
      presets: hasPresets ? try details(&reader, file, detailsStart) : .bytes([]))
  }

  private static func directory(
    _ reader: inout BinaryDecoder
  ) throws(BinaryDecodingError) -> DirectoryNames {
    DirectoryNames(
      seconds: Int64(bitPattern: try reader.number()),
      nanoseconds: Int64(bitPattern: try reader.number()),
      bytes: try reader.byteList())
  }

  private static func details(
    _ reader: inout BinaryDecoder, _ file: MappedFile, _ detailsStart: Int
  ) throws(BinaryDecodingError) -> CachedBytes {
    let start = try reader.number(UInt32.self)
    let count = try reader.number(UInt32.self)
    let digest = try reader.number(UInt64.self)
    let first = detailsStart + Int(start)
    return .mapped(first ..< first + Int(count), digest: digest, file)
  }

  /// Replaces the file.
  ///
  /// Returns false if it cannot be written, which only makes the next start slower.
  @discardableResult
  static func write(_ units: [CachedBundle], to path: String) -> Bool {
    var details: [UInt8] = []
    var index = BinaryEncoder()
    func add(_ bytes: [UInt8], to index: inout BinaryEncoder) {
      index.write(UInt32(details.count))
      index.write(UInt32(bytes.count))
      unsafe index.write(bytes.withUnsafeBytes { unsafe Checksum.of($0) })
      details += bytes
    }
    index.write(units) { index, unit in
      index.write(unit.source)
      index.write(unit.path)
      index.write(unit.signature)
      index.write(unit.directory != nil)
      if let directory = unit.directory {
        index.write(UInt64(bitPattern: directory.seconds))
        index.write(UInt64(bitPattern: directory.nanoseconds))
        index.write(bytes: directory.bytes)
      }
      index.write(unit.fault)
      index.write(unit.plugins) { index, plugin in
        plugin.entry.write(&index)
        add(plugin.details.bytes ?? [], to: &index)
      }
      let presets = unit.presets.bytes ?? []
      index.write(!presets.isEmpty)
      if !presets.isEmpty { add(presets, to: &index) }
    }
    var header = BinaryEncoder()
    header.write(magic)
    header.write(formatVersion)
    header.write(program)
    header.write(UInt32(index.bytes.count))
    unsafe header.write(index.bytes.withUnsafeBytes { unsafe Checksum.of($0) })
    header.write(UInt64(headerByteCount + index.bytes.count + details.count))
    return AtomicFile.write(header.bytes + index.bytes + details, to: path)
  }
}

/// Atomic file replacement.
enum AtomicFile {
  private static let count = Atomic<Int>(0)

  /// Writes a temporary file and renames it; creates the directory if needed.
  ///
  /// Returns false if anything fails, or if another user could replace the file.
  static func write(_ bytes: [UInt8], to path: String) -> Bool {
    if let slash = path.lastIndex(of: "/") { createDirectories(String(path[..<slash])) }
    guard CacheTrust.isSafe(directoryOf: path) else { return false }
    let number = count.add(1, ordering: .relaxed).newValue
    let temporary = "\(path).\(getpid()).\(number)"
    unsafe unlink(temporary)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(temporary, flags, 0o600)
    guard descriptor >= 0 else { return false }
    let isWritten = unsafe bytes.withUnsafeBytes { buffer in
      var rest = unsafe buffer[...]
      while unsafe !rest.isEmpty {
        let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = unsafe Glibc.write(descriptor, part.baseAddress, part.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        unsafe rest = rest.dropFirst(count)
      }
      return true
    }
    guard close(descriptor) == 0, isWritten, unsafe rename(temporary, path) == 0 else {
      unsafe unlink(temporary)
      return false
    }
    return true
  }

  private static func createDirectories(_ path: String) {
    var directory = ""
    for part in path.split(separator: "/") {
      directory += (directory.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      unsafe mkdir(directory, 0o700)
    }
  }
}
