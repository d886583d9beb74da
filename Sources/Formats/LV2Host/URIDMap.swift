// URIDMap.swift: numbers for URIs, the same for every plugin in the process. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import Synchronization

/// Gives each URI a number above 0 and keeps it as long as the process lives.
///
/// A table, not a hash cut short: two URIs never share a number. Plugins call it from any thread,
/// hence the lock; it is not for the audio thread, where the specification forbids it too.
final class URIDMap: Sendable {
  /// The only one: plugins compare numbers that they were given in different instances.
  static let shared = URIDMap()

  private struct Table: ~Copyable {
    // By their bytes: as texts, two URIs that differ in how an accent is written would be the same.
    var numbers: [[UInt8]: UInt32] = [:]
    // Never freed, as plugins keep what `unmap` returns.
    var texts: [UnsafeMutablePointer<CChar>] = []
  }
  private let table = Mutex(Table())

  /// The number of a URI, given at first sight. [any]
  func number(_ uri: String) -> UInt32 { uri.withCString { number($0) } }

  /// The number of a URI as a plugin gives it, which may be no UTF-8. [any]
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

  /// The URI of a number, or nil for one that was never given. [any]
  func text(_ number: UInt32) -> UnsafePointer<CChar>? {
    let address = table.withLock { table -> UInt? in
      guard number > 0, number <= table.texts.count else { return nil }
      return UInt(bitPattern: table.texts[Int(number) - 1])
    }
    return address.flatMap { UnsafePointer(bitPattern: $0) }
  }
}

// What plugins call. The handle is not needed, as there is one table.

/// `LV2_URID_Map.map`. [any]
func mapURID(_: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?) -> LV2_URID {
  uri.map { URIDMap.shared.number($0) } ?? 0
}

/// `LV2_URID_Unmap.unmap`. [any]
func unmapURID(_: UnsafeMutableRawPointer?, _ number: LV2_URID) -> UnsafePointer<CChar>? {
  URIDMap.shared.text(number)
}

/// `LV2_URI_Map_Feature.uri_to_id`, the form before 2011, which some plugins still want. [any]
///
/// The numbers of events have to fit into 16 bits; there is none for one that does not.
func mapLegacyURI(
  _: UnsafeMutableRawPointer?, _ map: UnsafePointer<CChar>?, _ uri: UnsafePointer<CChar>?
) -> UInt32 {
  let number = mapURID(nil, uri)
  let isForEvents = map.map { String(cString: $0) == LV2.event } ?? false
  return isForEvents && number > UInt16.max ? 0 : number
}
