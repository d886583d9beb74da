// URIDMap.swift: URIDs, shared by all plugins in the process. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import Synchronization

/// Maps each URI to a number above 0, valid while the process lives.
///
/// A table, not a truncated hash: two URIs never share a number. Plugins call it from any thread, so it has a lock.
/// The specification forbids it on the audio thread.
final class URIDMap: Sendable {
  /// The only instance: plugins compare URIDs of different instances.
  static let shared = URIDMap()

  private struct Table: ~Copyable {
    // Compared as bytes: as text, URIs that differ only in Unicode normalisation would be equal.
    var numbers: [[UInt8]: UInt32] = [:]
    // Never freed, because plugins keep the result of `unmap`.
    var texts: [UnsafeMutablePointer<CChar>] = []
  }
  private let table = Mutex(Table())

  /// Returns the URID of a URI; assigns one at first use. [any]
  func number(_ uri: String) -> UInt32 { uri.withCString { number($0) } }

  /// Returns the URID of a URI from a plugin, which may be invalid UTF-8. [any]
  func number(_ uri: UnsafePointer<CChar>) -> UInt32 {
    let bytes = uri.withMemoryRebound(to: UInt8.self, capacity: strlen(uri)) {
      Array(UnsafeBufferPointer(start: $0, count: strlen(uri)))
    }
    return table.withLock { table in
      if let known = table.numbers[bytes] { return known }
      let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
      text[bytes.count] = 0
      table.texts.append(text)
      let number = UInt32(table.texts.count)
      table.numbers[bytes] = number
      return number
    }
  }

  /// Returns the URI of a URID; nil if it is unknown. [any]
  func text(_ number: UInt32) -> UnsafePointer<CChar>? {
    let address = table.withLock { table -> UInt? in
      guard number > 0, number <= table.texts.count else { return nil }
      return UInt(bitPattern: table.texts[Int(number) - 1])
    }
    return address.flatMap { UnsafePointer(bitPattern: $0) }
  }
}

// Callbacks of plugins. The handle is unused, because there is one table.

/// `LV2_URID_Map.map`. [any]
func mapURID(_: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?) -> LV2_URID {
  uri.map { URIDMap.shared.number($0) } ?? 0
}

/// `LV2_URID_Unmap.unmap`. [any]
func unmapURID(_: UnsafeMutableRawPointer?, _ number: LV2_URID) -> UnsafePointer<CChar>? {
  URIDMap.shared.text(number)
}

/// `LV2_URI_Map_Feature.uri_to_id`, the feature before 2011, which some plugins still need. [any]
///
/// Event types must fit into 16 bits; returns 0 for others.
func mapLegacyURI(
  _: UnsafeMutableRawPointer?, _ map: UnsafePointer<CChar>?, _ uri: UnsafePointer<CChar>?
) -> UInt32 {
  let number = mapURID(nil, uri)
  let isForEvents = map.map { String(cString: $0) == LV2.event } ?? false
  return isForEvents && number > UInt16.max ? 0 : number
}
