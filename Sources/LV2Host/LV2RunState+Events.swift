// LV2RunState+Events.swift: MIDI into and out of the sequences of an LV2 node. SPDX-License-Identifier: MIT
//
// A run file: see LV2RunState.swift. A sequence is an atom (size and type, 4 bytes each), then its
// unit and padding, then events: the frame (8 bytes), an atom, and its body up to the next 8 bytes.

internal import RealtimeKit

extension AtomSlot {
  /// Size and type.
  static var headerBytes: UInt32 { @_noLocks get { 8 } }
  /// The frame of an event, and the header of its atom.
  static var eventHeaderBytes: UInt32 { @_noLocks get { 16 } }
  /// Room in a sequence that only what ends a note may take.
  static var sparedBytes: UInt32 { @_noLocks get { 4_096 } }

  /// The size of the atom's body.
  var sizeBytes: UInt32 {
    @_noLocks get { buffer.load(as: UInt32.self) }
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
}

/// An event's place, rounded up so that the next one lies on 8 bytes.
@_noLocks
private func padded(_ byteCount: UInt32) -> UInt32 { (byteCount &+ 7) & ~7 }

/// Makes every atom input an empty sequence: at the beginning, and after each run. [render, or main
/// while inactive]
@_noLocks
func clearInputs(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isInput {
    slots[index].makeEmptySequence(type: state.pointee.sequenceType)
  }
}

/// Makes every atom output a chunk of its full capacity, which the last run has overwritten. [render]
@_noLocks
func openOutputs(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where !slots[index].isInput {
    slots[index].setHeader(
      sizeBytes: slots[index].capacityBytes &- AtomSlot.headerBytes,
      type: state.pointee.chunkType)
    slots[index].buffer.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
  }
}

/// Appends a message to the plugin's sequence, for the run that comes next. [render]
@_noLocks @c(outboard_lv2_event)
func takeLV2Event(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  guard state.pointee.midiInput >= 0, let slots = state.pointee.atoms.baseAddress else { return }
  let slot = slots[state.pointee.midiInput]
  let used = AtomSlot.headerBytes &+ slot.sizeBytes
  let spared = endsNote(bytes, Int(byteCount)) ? 0 : AtomSlot.sparedBytes
  // Longer than any buffer is refused first, as the sum could not hold it.
  guard byteCount < slot.capacityBytes,
    used &+ AtomSlot.eventHeaderBytes &+ padded(byteCount) &+ spared <= slot.capacityBytes
  else {
    state.pointee.droppedEvents &+= 1
    return
  }
  let event = slot.buffer + Int(used)
  event.storeBytes(of: Int64(frame), as: Int64.self)
  event.storeBytes(of: byteCount, toByteOffset: 8, as: UInt32.self)
  event.storeBytes(of: state.pointee.midiType, toByteOffset: 12, as: UInt32.self)
  for index in 0 ..< padded(byteCount) {
    let byte = index < byteCount ? bytes[Int(index)] : 0
    event.storeBytes(of: byte, toByteOffset: 16 &+ Int(index), as: UInt8.self)
  }
  slot.buffer.storeBytes(
    of: slot.sizeBytes &+ AtomSlot.eventHeaderBytes &+ padded(byteCount), as: UInt32.self)
}

/// Copies the MIDI that the plugin has written, as far as it keeps within its buffer. [render]
@_noLocks
func collectEvents(_ state: UnsafeMutablePointer<LV2RunState>, _ frameCount: UInt32) {
  guard let queue = state.pointee.sentEvents else { return }
  queue.pointee.clear()
  state.pointee.legacyEvents.collect(into: queue, frameCount)
  guard state.pointee.midiOutput >= 0, let slots = state.pointee.atoms.baseAddress else { return }
  let slot = slots[state.pointee.midiOutput]
  // A plugin that has written nothing leaves the chunk.
  guard slot.buffer.load(fromByteOffset: 4, as: UInt32.self) == state.pointee.sequenceType,
    slot.sizeBytes <= slot.capacityBytes &- AtomSlot.headerBytes,
    // Any other unit than 0 is not frames.
    slot.buffer.load(fromByteOffset: 8, as: UInt32.self) == 0
  else { return }
  let end = AtomSlot.headerBytes &+ slot.sizeBytes
  var place: UInt32 = 16
  while place &+ AtomSlot.eventHeaderBytes <= end {
    let event = slot.buffer + Int(place)
    let byteCount = event.load(fromByteOffset: 8, as: UInt32.self)
    guard byteCount <= end &- place &- AtomSlot.eventHeaderBytes else { return }
    if event.load(fromByteOffset: 12, as: UInt32.self) == state.pointee.midiType, byteCount > 0 {
      let time = max(0, min(event.load(as: Int64.self), Int64(frameCount) &- 1))
      queue.pointee.add(
        frame: UInt32(truncatingIfNeeded: time),
        UnsafePointer((event + 16).assumingMemoryBound(to: UInt8.self)), Int(byteCount))
    }
    place &+= AtomSlot.eventHeaderBytes &+ padded(byteCount)
  }
}
