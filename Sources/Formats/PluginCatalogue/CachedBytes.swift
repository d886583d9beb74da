// CachedBytes.swift: parts of the plugin cache that are decoded on demand. SPDX-License-Identifier: MIT

/// Bytes in memory, or in the mapped cache file.
enum CachedBytes {
  case bytes([UInt8])
  /// In the mapped file; `digest` is their checksum.
  case mapped(Range<Int>, digest: UInt64, MappedFile)

  /// The bytes; nil if the file is damaged.
  var bytes: [UInt8]? {
    switch self {
    case .bytes(let bytes): return bytes
    case .mapped(let range, let digest, let file):
      defer { withExtendedLifetime(file) {} }
      guard unsafe range.upperBound <= file.bytes.count else { return nil }
      let part = unsafe UnsafeRawBufferPointer(rebasing: file.bytes[range])
      return unsafe Checksum.of(part) == digest ? [UInt8](part) : nil
    }
  }
}

/// The name of a preset that a bundle contains, and the plugin that it is for, which may be in another bundle.
package struct PresetName: Sendable, Hashable {
  /// The identifier of the plugin.
  package var plugin: String
  /// The readable name.
  package var name: String

  /// Creates a name.
  package init(plugin: String, name: String) { (self.plugin, self.name) = (plugin, name) }

  init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    (plugin, name) = (try reader.text(), try reader.text())
  }

  func write(_ writer: inout BinaryEncoder) {
    writer.write(plugin)
    writer.write(name)
  }
}

extension CachedBytes {
  /// Encodes names; no names are no bytes.
  init(_ presets: [PresetName]) {
    var writer = BinaryEncoder()
    if !presets.isEmpty { writer.write(presets) { $1.write(&$0) } }
    self = .bytes(writer.bytes)
  }

  /// The names; empty if the file is damaged.
  var presets: [PresetName] {
    guard let bytes, !bytes.isEmpty else { return [] }
    return unsafe bytes.withUnsafeBytes { bytes in
      var reader = unsafe BinaryDecoder(bytes)
      let names = try? reader.list { reader throws(BinaryDecodingError) in
        try PresetName(&reader)
      }
      return names ?? []
    }
  }
}
