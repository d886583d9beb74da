// LegacyEvents.swift: event ports in the format before 2012. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. LegacyEvents+Setup.swift allocates and frees it.

internal import CLV2Support
internal import RealtimeKit

/// The header of an event port and its events.
struct LegacyEventPort {
  let header: UnsafeMutablePointer<clv2_event_buffer>
  let bytes: UnsafeMutablePointer<UInt8>
  let capacityBytes: UInt32

  /// Empties the buffer, even if the plugin has overwritten the header. [render]
  @_noLocks
  func clear() {
    header.pointee.data = bytes
    header.pointee.header_size = UInt16(truncatingIfNeeded: MemoryLayout<clv2_event_buffer>.size)
    // 0: in frames.
    header.pointee.stamp_type = 0
    header.pointee.event_count = 0
    header.pointee.capacity = capacityBytes
    header.pointee.size = 0
  }
}

/// The event ports of one node.
///
/// MIDI goes to the first input that accepts it and comes from the first output that sends it.
struct LegacyEvents {
  let inputs: UnsafeMutableBufferPointer<LegacyEventPort>
  let outputs: UnsafeMutableBufferPointer<LegacyEventPort>
  /// The MIDI input and output.
  let input: LegacyEventPort?
  let output: LegacyEventPort?
  /// The type of a MIDI message.
  let midiType: UInt16

  /// The header of an event.
  static var eventHeaderBytes: UInt32 { @_noLocks get { 12 } }
  /// The space that is reserved for ends of notes.
  static var noteOffReserveBytes: UInt32 { @_noLocks get { 4_096 } }

  /// Clears the inputs after each run. [render]
  @_noLocks
  func clearInputs() {
    for index in 0 ..< inputs.count { inputs[index].clear() }
  }

  /// Clears the outputs before each run. [render]
  @_noLocks
  func openOutputs() {
    for index in 0 ..< outputs.count { outputs[index].clear() }
  }

  /// Appends a message for the next run; returns false if there is no space. [render]
  @_noLocks
  func add(_ frame: UInt32, _ bytes: UnsafePointer<UInt8>, _ byteCount: UInt32) -> Bool {
    guard let port = input, byteCount < port.capacityBytes, byteCount <= 65_535 else {
      return false
    }
    let used = port.header.pointee.size
    let length = (Self.eventHeaderBytes &+ byteCount &+ 7) & ~7
    let spared = endsNote(bytes, Int(byteCount)) ? 0 : Self.noteOffReserveBytes
    guard used &+ length &+ spared <= port.capacityBytes else { return false }
    let event = UnsafeMutableRawPointer(port.bytes + Int(used))
    event.storeBytes(of: frame, as: UInt32.self)
    event.storeBytes(of: 0, toByteOffset: 4, as: UInt32.self)
    event.storeBytes(of: midiType, toByteOffset: 8, as: UInt16.self)
    event.storeBytes(
      of: UInt16(truncatingIfNeeded: byteCount), toByteOffset: 10, as: UInt16.self)
    for index in 0 ..< length &- Self.eventHeaderBytes {
      let byte = index < byteCount ? bytes[Int(index)] : 0
      event.storeBytes(
        of: byte, toByteOffset: Int(Self.eventHeaderBytes &+ index), as: UInt8.self)
    }
    port.header.pointee.size = used &+ length
    port.header.pointee.event_count &+= 1
    return true
  }

  /// Copies the plugin's MIDI output inside its buffer. [render]
  @_noLocks
  func collect(into queue: UnsafeMutablePointer<EventQueue>, _ frameCount: UInt32) {
    guard let port = output else { return }
    let size = port.header.pointee.size
    // Any other timestamp is not frames.
    guard size <= port.capacityBytes, port.header.pointee.stamp_type == 0 else { return }
    let base = UnsafeRawPointer(port.bytes)
    var offset: UInt32 = 0
    var left = port.header.pointee.event_count
    while left > 0, offset &+ Self.eventHeaderBytes <= size {
      let event = base + Int(offset)
      let byteCount = UInt32(event.load(fromByteOffset: 10, as: UInt16.self))
      guard byteCount <= size &- offset &- Self.eventHeaderBytes else { return }
      if event.load(fromByteOffset: 8, as: UInt16.self) == midiType, byteCount > 0 {
        let frame = min(event.load(as: UInt32.self), frameCount &- 1)
        queue.pointee.add(
          frame: frame,
          (event + Int(Self.eventHeaderBytes)).assumingMemoryBound(to: UInt8.self),
          Int(byteCount))
      }
      offset &+= (Self.eventHeaderBytes &+ byteCount &+ 7) & ~7
      left &-= 1
    }
  }
}

/// Appends a message to the plugin's events for the next run. [render]
@_noLocks @c(outboard_lv2_legacy_event)
func takeLegacyEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let state = context.assumingMemoryBound(to: LV2RunState.self)
  if !state.pointee.legacyEvents.add(frame, bytes, byteCount) {
    state.pointee.droppedEvents &+= 1
  }
}
