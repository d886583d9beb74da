// Catalogue+ResultCache.swift: results that are valid until a plugin's files change. SPDX-License-Identifier: MIT

extension Catalogue {
  /// Returns the stored record of a plugin, if neither its files nor this program have changed since. [main]
  package func cached<Value>(
    _ entry: CatalogueEntry, as name: String,
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Value
  ) -> Value? {
    guard let path = cachePath(entry, name), mayExist(entry, name), let file = MappedFile(path)
    else {
      return nil
    }
    // The reader stores an address and does not retain the mapping.
    defer { withExtendedLifetime(file) {} }
    var reader = unsafe BinaryDecoder(file.bytes)
    do throws(BinaryDecodingError) {
      guard try reader.number(UInt64.self) == CacheFile.program,
        try reader.number(UInt64.self) == signature(of: entry) ?? 0,
        try reader.text() == entry.identifier
      else { return nil }
      return try read(&reader)
    } catch {
      return nil
    }
  }

  /// Stores a record of a plugin. [main]
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - entry: The plugin.
  ///   - name: The kind of record, which is also the name of a directory in the cache.
  ///   - signature: The result of `signature(of:)` before the record was created.
  package func store(
    _ record: [UInt8], of entry: CatalogueEntry, as name: String, _ signature: UInt64
  ) {
    guard let path = cachePath(entry, name) else { return }
    var writer = BinaryEncoder()
    writer.write(CacheFile.program)
    writer.write(signature)
    writer.write(entry.identifier)
    _ = AtomicFile.write(writer.bytes + record, to: path)
  }

  /// Runs a closure that reads the records of many plugins, most of which do not exist.
  ///
  /// Looks once which ones exist, because that is faster than trying to open each. [main]
  package func readingManyRecords<Value>(_ read: () -> Value) -> Value {
    recordNames = [:]
    defer { recordNames = nil }
    return read()
  }

  private func mayExist(_ entry: CatalogueEntry, _ name: String) -> Bool {
    guard recordNames != nil, let cacheDirectory else { return true }
    let names = recordNames?[name] ?? Set(OpenDirectory.names(in: "\(cacheDirectory)/\(name)"))
    recordNames?[name] = names
    return names.contains(Self.fileName(entry))
  }

  /// The path of the file.
  ///
  /// Each plugin has its own, so that two processes do not conflict.
  private func cachePath(_ entry: CatalogueEntry, _ name: String) -> String? {
    cacheDirectory.map { "\($0)/\(name)/\(Self.fileName(entry))" }
  }

  private static func fileName(_ entry: CatalogueEntry) -> String {
    var digest = Checksum()
    digest.add(entry.source)
    digest.add(entry.identifier)
    return String(digest.value, radix: 16)
  }
}
