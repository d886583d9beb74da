// LV2Patch.swift: property messages on the audio thread. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. `LV2Properties` creates it and uses it.

internal import RealtimeKit
internal import Synchronization

/// Messages between the main thread and a plugin, at a fixed address.
struct LV2PatchState: ~Copyable {
  /// Atoms for the plugin, from the main thread.
  let toPlugin: MessageRing
  /// Atoms from the plugin, to the main thread.
  let fromPlugin: MessageRing
  /// The index of the atom slot for messages to the plugin.
  let input: Int
  /// The number of lost atoms from the plugin.
  let droppedCount = Atomic<Int>(0)
  /// Set while an instance runs that will be discarded.
  var isHeld = false

  // The URIDs of property messages.
  let object: UInt32
  let blank: UInt32
  let resource: UInt32
  let set: UInt32
  let put: UInt32
}

/// Writes pending messages to the plugin's sequence at the first frame, if there is space. [render, or
/// main while inactive]
@_noLocks
func deliverPatches(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard let patch = state.pointee.patch, !patch.pointee.isHeld,
    let slots = state.pointee.atoms.baseAddress
  else { return }
  let slot = slots[patch.pointee.input]
  while patch.pointee.toPlugin.nextTime() != nil {
    let byteCount = UInt32(truncatingIfNeeded: patch.pointee.toPlugin.nextByteCount())
    // A message that does not fit is the first in the next block; none is longer than an empty port.
    guard slot.hasRoom(forAtomBytes: byteCount, sparing: slot.noteOffReserve) else { return }
    let event = slot.end
    event.storeBytes(of: 0, as: Int64.self)
    _ = patch.pointee.toPlugin.take(into: event + 8)
    slot.grow(byAtomBytes: byteCount)
  }
}

/// Forwards an atom of the plugin if it is a property message. [render]
@_noLocks
func collectPatch(_ state: UnsafeMutablePointer<LV2RunState>, _ atom: UnsafeMutableRawPointer) {
  guard let patch = state.pointee.patch, !patch.pointee.isHeld else { return }
  let byteCount = atom.load(as: UInt32.self)
  let type = atom.load(fromByteOffset: 4, as: UInt32.self)
  guard byteCount >= 8,
    type == patch.pointee.object || type == patch.pointee.blank || type == patch.pointee.resource
  else { return }
  let meaning = atom.load(fromByteOffset: 12, as: UInt32.self)
  guard meaning == patch.pointee.set || meaning == patch.pointee.put else { return }
  let bytes = UnsafePointer(atom.assumingMemoryBound(to: UInt8.self))
  if !patch.pointee.fromPlugin.write(time: 0, bytes, Int(byteCount) &+ 8) {
    patch.pointee.droppedCount.add(1, ordering: .relaxed)
  }
}
