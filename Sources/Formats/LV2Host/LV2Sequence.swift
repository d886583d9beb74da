// LV2Sequence.swift: the buffer of an atom port and its events. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. A sequence is an atom (size and type, 4 bytes each), its unit and padding,
// then events: frame (8 bytes), atom, and body padded to 8 bytes.

/// The buffer of an atom port.
struct AtomSlot {
  let buffer: UnsafeMutableRawPointer
  /// The capacity for the plugin.
  var capacityBytes: UInt32
  /// The maximum capacity after growth.
  let reservedBytes: UInt32
  /// The port index.
  let port: UInt32
  let isInput: Bool
  /// Whether the port receives the rig's MIDI, or its output is used as MIDI.
  let isForMIDI: Bool
}

extension AtomSlot {
  /// The length of size and type.
  static var headerBytes: UInt32 { @_noLocks get { 8 } }
  /// The length of an event's frame and atom header.
  static var eventHeaderBytes: UInt32 { @_noLocks get { 16 } }
  /// The space that is reserved for ends of notes.
  static var noteOffReserveBytes: UInt32 { @_noLocks get { 4_096 } }

  /// The reserved space in this sequence.
  var noteOffReserve: UInt32 {
    @_noLocks get { isForMIDI ? Self.noteOffReserveBytes : 0 }
  }

  /// The size of the atom's body.
  var sizeBytes: UInt32 {
    @_noLocks get { buffer.load(as: UInt32.self) }
  }

  /// The position of the next event.
  var end: UnsafeMutableRawPointer {
    @_noLocks get { buffer + Int(Self.headerBytes &+ sizeBytes) }
  }

  @_noLocks
  func setHeader(sizeBytes: UInt32, type: UInt32) {
    buffer.storeBytes(of: sizeBytes, as: UInt32.self)
    buffer.storeBytes(of: type, toByteOffset: 4, as: UInt32.self)
  }

  /// Makes it an empty sequence, with frames as unit.
  @_noLocks
  func makeEmptySequence(type: UInt32) {
    setHeader(sizeBytes: 8, type: type)
    buffer.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
  }

  /// Whether an atom of this length, including its header, fits at the end.
  @_noLocks
  func hasRoom(forAtomBytes byteCount: UInt32, sparing spared: UInt32) -> Bool {
    // Longer than any buffer: checked first, because the sum would overflow.
    byteCount < capacityBytes
      && Self.headerBytes &+ sizeBytes &+ 8 &+ padded(byteCount) &+ spared <= capacityBytes
  }

  /// Adds an event whose frame and atom were written at the end.
  @_noLocks
  func grow(byAtomBytes byteCount: UInt32) {
    let event = end
    for index in byteCount ..< padded(byteCount) {
      event.storeBytes(of: 0, toByteOffset: 8 &+ Int(index), as: UInt8.self)
    }
    buffer.storeBytes(of: sizeBytes &+ 8 &+ padded(byteCount), as: UInt32.self)
  }

  /// Whether the buffer contains a sequence; a plugin that outputs no events leaves the chunk. [render]
  @_noLocks
  func isSequence(_ type: UInt32) -> Bool {
    buffer.load(fromByteOffset: 4, as: UInt32.self) == type
  }

  /// Calls `body` with each event of the sequence inside its buffer: frame, size, type and data.
  /// [render]
  @_noLocks
  func forEachEvent(_ body: (UnsafeMutableRawPointer) -> Void) {
    guard sizeBytes <= capacityBytes &- Self.headerBytes else { return }
    let end = Self.headerBytes &+ sizeBytes
    var offset: UInt32 = 16
    while offset &+ Self.eventHeaderBytes <= end {
      let event = buffer + Int(offset)
      let byteCount = event.load(fromByteOffset: 8, as: UInt32.self)
      guard byteCount <= end &- offset &- Self.eventHeaderBytes else { return }
      body(event)
      offset &+= Self.eventHeaderBytes &+ padded(byteCount)
    }
  }
}

/// Returns a length rounded up to 8 bytes.
@_noLocks
func padded(_ byteCount: UInt32) -> UInt32 { (byteCount &+ 7) & ~7 }
