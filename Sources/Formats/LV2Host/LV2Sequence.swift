// LV2Sequence.swift: an atom port's buffer, and events in it. SPDX-License-Identifier: MIT
//
// A run file: see LV2RunState.swift. A sequence is an atom (size and type, 4 bytes each), then its
// unit and padding, then events: the frame (8 bytes), an atom, and its body up to the next 8 bytes.

/// An atom port's buffer.
struct AtomSlot {
  let buffer: UnsafeMutableRawPointer
  /// What the plugin may take it for.
  var capacityBytes: UInt32
  /// How far it can grow.
  let reservedBytes: UInt32
  /// The port's number.
  let port: UInt32
  let isInput: Bool
  /// Whether the rig's MIDI goes in there, or what comes out is taken for MIDI.
  let isForMIDI: Bool
}

extension AtomSlot {
  /// Size and type.
  static var headerBytes: UInt32 { @_noLocks get { 8 } }
  /// The frame of an event, and the header of its atom.
  static var eventHeaderBytes: UInt32 { @_noLocks get { 16 } }
  /// Room in a sequence that only what ends a note may take.
  static var sparedBytes: UInt32 { @_noLocks get { 4_096 } }

  /// Room that others must leave in this one.
  var sparedForNotes: UInt32 {
    @_noLocks get { isForMIDI ? Self.sparedBytes : 0 }
  }

  /// The size of the atom's body.
  var sizeBytes: UInt32 {
    @_noLocks get { buffer.load(as: UInt32.self) }
  }

  /// Where the next event goes.
  var end: UnsafeMutableRawPointer {
    @_noLocks get { buffer + Int(Self.headerBytes &+ sizeBytes) }
  }

  @_noLocks
  func setHeader(sizeBytes: UInt32, type: UInt32) {
    buffer.storeBytes(of: sizeBytes, as: UInt32.self)
    buffer.storeBytes(of: type, toByteOffset: 4, as: UInt32.self)
  }

  /// Makes it a sequence of no events, counted in frames.
  @_noLocks
  func makeEmptySequence(type: UInt32) {
    setHeader(sizeBytes: 8, type: type)
    buffer.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
  }

  /// Whether an atom of so many bytes, its header among them, fits in at the end.
  @_noLocks
  func hasRoom(forAtomBytes byteCount: UInt32, sparing spared: UInt32) -> Bool {
    // Longer than any buffer is refused first, as the sum could not hold it.
    byteCount < capacityBytes
      && Self.headerBytes &+ sizeBytes &+ 8 &+ padded(byteCount) &+ spared <= capacityBytes
  }

  /// Takes in the event whose frame and atom, of so many bytes, were written at the end.
  @_noLocks
  func grow(byAtomBytes byteCount: UInt32) {
    let event = end
    for index in byteCount ..< padded(byteCount) {
      event.storeBytes(of: 0, toByteOffset: 8 &+ Int(index), as: UInt8.self)
    }
    buffer.storeBytes(of: sizeBytes &+ 8 &+ padded(byteCount), as: UInt32.self)
  }

  /// Whether it holds a sequence; a plugin that has written nothing leaves the chunk. [render]
  @_noLocks
  func isSequence(_ type: UInt32) -> Bool {
    buffer.load(fromByteOffset: 4, as: UInt32.self) == type
  }

  /// Calls `body` with each event of the sequence in it, as far as that keeps within its buffer:
  /// frame, size, type, and then as many bytes. [render]
  @_noLocks
  func eachEvent(_ body: (UnsafeMutableRawPointer) -> Void) {
    guard sizeBytes <= capacityBytes &- Self.headerBytes else { return }
    let end = Self.headerBytes &+ sizeBytes
    var place: UInt32 = 16
    while place &+ Self.eventHeaderBytes <= end {
      let event = buffer + Int(place)
      let byteCount = event.load(fromByteOffset: 8, as: UInt32.self)
      guard byteCount <= end &- place &- Self.eventHeaderBytes else { return }
      body(event)
      place &+= Self.eventHeaderBytes &+ padded(byteCount)
    }
  }
}

/// A length up to the next 8 bytes.
@_noLocks
func padded(_ byteCount: UInt32) -> UInt32 { (byteCount &+ 7) & ~7 }
