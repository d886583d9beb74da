// LV2RunState+Events.swift: MIDI into and out of the sequences of an LV2 node. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. LV2Sequence.swift describes the layout of a sequence.

internal import RealtimeKit

/// Clears every atom input: at the start and after each run. [render, or main
/// while inactive]
@_noLocks
func clearInputs(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isInput {
    slots[index].makeEmptySequence(type: state.pointee.sequenceType)
  }
  state.pointee.hasStarted = false
}

/// Writes the messages for the first frame of a block before any event, because a sequence is ordered by
/// frame. [render, or main while inactive]
@_noLocks
func beginInputs(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard !state.pointee.hasStarted else { return }
  state.pointee.hasStarted = true
  deliverTime(state)
  deliverPatches(state)
}

/// Sets every atom output to a chunk of its full capacity, after the last run has overwritten it. [render]
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

/// Appends a message to the plugin's sequences for the next run. [render]
@_noLocks @c(outboard_lv2_event)
func takeLV2Event(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  beginInputs(state)
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  let spared = endsNote(bytes, Int(byteCount)) ? 0 : AtomSlot.noteOffReserveBytes
  for index in 0 ..< slotCount where slots[index].isInput && slots[index].isForMIDI {
    let slot = slots[index]
    guard byteCount < slot.capacityBytes,
      slot.hasRoom(forAtomBytes: byteCount &+ 8, sparing: spared)
    else {
      state.pointee.droppedEvents &+= 1
      continue
    }
    let event = slot.end
    event.storeBytes(of: Int64(frame), as: Int64.self)
    event.storeBytes(of: byteCount, toByteOffset: 8, as: UInt32.self)
    event.storeBytes(of: state.pointee.midiType, toByteOffset: 12, as: UInt32.self)
    for byte in 0 ..< Int(byteCount) {
      event.storeBytes(of: bytes[byte], toByteOffset: 16 &+ byte, as: UInt8.self)
    }
    slot.grow(byAtomBytes: byteCount &+ 8)
  }
}

/// Reads the plugin's output: MIDI and property messages. [render]
@_noLocks
func collectEvents(_ state: UnsafeMutablePointer<LV2RunState>, _ frameCount: UInt32) {
  if let queue = state.pointee.sentEvents {
    queue.pointee.clear()
    state.pointee.legacyEvents.collect(into: queue, frameCount)
  }
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where !slots[index].isInput {
    collectEvents(state, slots[index], frameCount)
  }
}

/// Reads the output of one port.
@_noLocks
private func collectEvents(
  _ state: UnsafeMutablePointer<LV2RunState>, _ slot: AtomSlot, _ frameCount: UInt32
) {
  // Any unit other than 0 is not frames.
  guard slot.isSequence(state.pointee.sequenceType),
    slot.buffer.load(fromByteOffset: 8, as: UInt32.self) == 0
  else { return }
  slot.forEachEvent { event in
    let byteCount = event.load(fromByteOffset: 8, as: UInt32.self)
    if event.load(fromByteOffset: 12, as: UInt32.self) != state.pointee.midiType {
      collectPatch(state, event + 8)
    } else if slot.isForMIDI, byteCount > 0 {
      let time = max(0, min(event.load(as: Int64.self), Int64(frameCount) &- 1))
      state.pointee.sentEvents?.pointee.add(
        frame: UInt32(truncatingIfNeeded: time),
        UnsafePointer((event + 16).assumingMemoryBound(to: UInt8.self)), Int(byteCount))
    }
  }
}
