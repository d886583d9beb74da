// EventQueue.swift: the MIDI of one block, in the order of its frames. SPDX-License-Identifier: MIT

/// A list of MIDI messages in memory of fixed size, sorted by frame.
///
/// Messages of one frame keep the order in which they were added. When the list is almost full, the
/// remaining room is reserved for messages that end a note. A missing note is less audible than a
/// note that never ends. One thread uses the list.
package struct EventQueue: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var frame: UInt32
    var byteCount: UInt32
    /// The start of the message in `bytes`.
    var start: Int
  }

  /// The number of messages. [render]
  package private(set) var count = 0
  /// The number of dropped messages since the start. [render]
  package private(set) var droppedCount = 0

  private let capacity: Int
  private let capacityBytes: Int
  private var usedBytes = 0
  private let entries: UnsafeMutablePointer<Entry>
  private let bytes: UnsafeMutablePointer<UInt8>

  /// Creates an empty queue for `capacity` messages with `capacityBytes` bytes in total. [main]
  package init(capacity: Int = 1_024, capacityBytes: Int = 65_536) {
    self.capacity = capacity
    self.capacityBytes = capacityBytes
    entries = .allocate(capacity: max(1, capacity))
    entries.initialize(
      repeating: Entry(frame: 0, byteCount: 0, start: 0), count: max(1, capacity))
    bytes = .allocate(capacity: max(1, capacityBytes))
    bytes.initialize(repeating: 0, count: max(1, capacityBytes))
  }

  deinit {
    entries.deallocate()
    bytes.deallocate()
  }

  /// Forgets all messages. [render]
  @_noLocks
  package mutating func clear() {
    count = 0
    usedBytes = 0
  }

  /// Whether any message of that length fits. [render]
  @_noLocks
  package func hasRoom(forByteCount byteCount: Int) -> Bool {
    count < capacity &- capacity / 4
      && usedBytes &+ byteCount <= capacityBytes &- capacityBytes / 4
  }

  /// Adds a message after all messages of the same or earlier frames.
  ///
  /// A message that does not fit is dropped and counted. [render]
  @_noLocks
  package mutating func add(frame: UInt32, _ message: UnsafePointer<UInt8>, _ byteCount: Int) {
    let fits =
      hasRoom(forByteCount: byteCount)
      || (endsNote(message, byteCount) && count < capacity
        && usedBytes &+ byteCount <= capacityBytes)
    guard fits else {
      droppedCount &+= 1
      return
    }
    for index in 0 ..< byteCount { bytes[usedBytes &+ index] = message[index] }
    var position = count
    while position > 0, entries[position &- 1].frame > frame {
      entries[position] = entries[position &- 1]
      position &-= 1
    }
    entries[position] = Entry(
      frame: frame, byteCount: UInt32(truncatingIfNeeded: byteCount), start: usedBytes)
    usedBytes &+= byteCount
    count &+= 1
  }

  /// The frame of the message at `index`, below `count`. [render]
  @_noLocks
  package func frame(at index: Int) -> UInt32 { entries[index].frame }

  /// The length of the message at `index`, in bytes. [render]
  @_noLocks
  package func byteCount(at index: Int) -> UInt32 { entries[index].byteCount }

  /// The bytes of the message at `index`, valid until the queue is changed. [render]
  @_noLocks
  package func message(at index: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(bytes + entries[index].start)
  }
}

/// Returns whether a MIDI message releases a key or a pedal, or ends all sound, so that it must not
/// be lost. [any]
@_noLocks
package func endsNote(_ message: UnsafePointer<UInt8>, _ byteCount: Int) -> Bool {
  guard byteCount > 0 else { return false }
  let status = message[0]
  // A system reset.
  if status == 0xff { return true }
  guard byteCount == 3 else { return false }
  switch status & 0xf0 {
  case 0x80: return true
  case 0x90: return message[2] == 0
  case 0xb0:
    return message[1] >= 120 || (message[1] >= 64 && message[1] <= 69 && message[2] < 64)
  default: return false
  }
}
