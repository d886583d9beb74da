// Catalogue+ResultCache.swift: what is known of a plugin until its files change. SPDX-License-Identifier: MIT

extension Catalogue {
  /// What was remembered of a plugin under a name, if its files have not changed since, nor this
  /// program; read by `read`. [main]
  package func remembered<Value>(
    _ entry: CatalogueEntry, as name: String,
    _ read: (inout BinaryDecoder) throws(BinaryDecodingError) -> Value
  ) -> Value? {
    guard let path = memoryPath(entry, name), let file = MappedFile(path) else { return nil }
    // The reader holds an address and does not keep the file mapped.
    defer { withExtendedLifetime(file) {} }
    var reader = BinaryDecoder(file.bytes)
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

  /// Remembers a record of a plugin under a name. [main]
  ///
  /// - Parameters:
  ///   - record: What is remembered.
  ///   - entry: The plugin.
  ///   - name: What kind of thing it is; a folder of the cache is called so.
  ///   - signature: That of `signature(of:)` before what is remembered was found out.
  package func remember(
    _ record: [UInt8], of entry: CatalogueEntry, as name: String, _ signature: UInt64
  ) {
    guard let path = memoryPath(entry, name) else { return }
    var writer = BinaryEncoder()
    writer.write(CacheFile.program)
    writer.write(signature)
    writer.write(entry.identifier)
    _ = AtomicFile.write(writer.bytes + record, to: path)
  }

  /// A file for each plugin, so that two programs that look at two plugins do not meet.
  private func memoryPath(_ entry: CatalogueEntry, _ name: String) -> String? {
    guard let cacheFolder else { return nil }
    var digest = Checksum()
    digest.add(entry.source)
    digest.add(entry.identifier)
    return "\(cacheFolder)/\(name)/\(String(digest.value, radix: 16))"
  }
}
