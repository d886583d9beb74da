// MessageRing.swift: messages from one thread to another without a lock. SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A ring of time-stamped byte messages with one writer and one reader.
///
/// A message is written completely or not at all. If it does not fit, the writer can retry later;
/// the reader never waits. It is designed for control messages, of which there are few per block:
/// both indices share a cache line. Use `SampleRing` for samples.
package struct MessageRing: ~Copyable {
  private struct Header: BitwiseCopyable {
    var time: UInt64
    var byteCount: Int
  }

  /// The longest message that it takes, in bytes.
  package let maximumByteCount: Int
  private let capacity: Int
  private let storage: UnsafeMutableRawPointer
  /// Bytes written and read since the start; they wrap only after millennia.
  private let written = Atomic<Int>(0)
  private let consumed = Atomic<Int>(0)

  /// Creates a ring of at least `capacityBytes`.
  ///
  /// Each message uses 16 bytes in addition to its own. [main]
  package init(capacityBytes: Int) {
    var size = 64
    while size < capacityBytes { size *= 2 }
    capacity = size
    maximumByteCount = size / 2 - MemoryLayout<Header>.stride
    storage = .allocate(byteCount: size, alignment: 64)
    memset(storage, 0, size)
  }

  deinit {
    storage.deallocate()
  }

  /// Adds a message.
  ///
  /// Returns false if it does not fit. [writer]
  package func write(time: UInt64, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return write(time: time, [0], 0) }
      return write(time: time, base, buffer.count)
    }
  }

  /// Adds a message of `byteCount` bytes if at least `sparingBytes` remain for messages that must
  /// not be lost.
  ///
  /// Returns false if it does not fit. [writer, render too]
  @_noLocks
  package func write(
    time: UInt64, _ bytes: UnsafePointer<UInt8>, _ byteCount: Int, sparingBytes: Int = 0
  ) -> Bool {
    let needed = Self.size(byteCount)
    let start = written.load(ordering: .relaxed)
    // Pairs with the releasing store in `take`: only messages that were read are overwritten.
    let free = capacity &- (start &- consumed.load(ordering: .acquiring))
    guard byteCount <= maximumByteCount, needed &+ sparingBytes <= free else { return false }
    storage.storeBytes(
      of: Header(time: time, byteCount: byteCount),
      toByteOffset: start & (capacity &- 1), as: Header.self)
    let offset = start &+ MemoryLayout<Header>.stride
    for index in 0 ..< byteCount {
      storage.storeBytes(
        of: bytes[index], toByteOffset: (offset &+ index) & (capacity &- 1), as: UInt8.self)
    }
    // Pairs with the acquiring load in `nextTime`: the message is complete before it is seen.
    written.store(start &+ needed, ordering: .releasing)
    return true
  }

  /// The time of the oldest message; nil if there is none. [reader]
  @_noLocks
  package func nextTime() -> UInt64? {
    let position = consumed.load(ordering: .relaxed)
    guard position != written.load(ordering: .acquiring) else { return nil }
    return header(at: position).time
  }

  /// The length of the oldest message, in bytes.
  ///
  /// Only after `nextTime` has shown that there is one. [reader]
  @_noLocks
  package func nextByteCount() -> Int {
    header(at: consumed.load(ordering: .relaxed)).byteCount
  }

  /// Moves the oldest message into memory of `maximumByteCount` and returns its length in bytes.
  ///
  /// Only after `nextTime` has shown that there is one. [reader]
  @_noLocks
  package func take(into scratch: UnsafeMutableRawPointer) -> Int {
    let position = consumed.load(ordering: .relaxed)
    let byteCount = header(at: position).byteCount
    let start = position &+ MemoryLayout<Header>.stride
    for index in 0 ..< byteCount {
      let byte = storage.load(
        fromByteOffset: (start &+ index) & (capacity &- 1), as: UInt8.self)
      scratch.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
    // Pairs with the acquiring load in `write`.
    consumed.store(position &+ Self.size(byteCount), ordering: .releasing)
    return byteCount
  }

  /// Header and payload, rounded so that headers never wrap around the end.
  @_noLocks
  private static func size(_ byteCount: Int) -> Int {
    MemoryLayout<Header>.stride &+ (byteCount &+ 15) / 16 * 16
  }

  @_noLocks
  private func header(at position: Int) -> Header {
    storage.load(fromByteOffset: position & (capacity &- 1), as: Header.self)
  }
}
