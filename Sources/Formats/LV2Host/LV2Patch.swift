// LV2Patch.swift: messages about properties, on the audio thread's side. SPDX-License-Identifier: MIT
//
// A run file: see LV2RunState.swift. `LV2Properties` makes it and talks through it.

internal import RealtimeKit
internal import Synchronization

/// Messages on their way between the main thread and a plugin, at a fixed address.
struct LV2PatchState: ~Copyable {
  /// Whole atoms for the plugin; from main.
  let toPlugin: MessageRing
  /// Whole atoms from the plugin; to main.
  let fromPlugin: MessageRing
  /// Where in the atom slots messages go to the plugin.
  let input: Int
  /// Atoms from the plugin that found no room.
  let droppedCount = Atomic<Int>(0)
  /// Set while an instance is run that will be thrown away.
  var isHeld = false

  // What tells a message about properties from anything else.
  let object: UInt32
  let blank: UInt32
  let resource: UInt32
  let set: UInt32
  let put: UInt32
}

/// Puts what waits into the plugin's sequence, at the first frame, as far as there is room. [render, or
/// main while inactive]
@_noLocks
func deliverPatches(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard let patch = state.pointee.patch, !patch.pointee.isHeld,
    let slots = state.pointee.atoms.baseAddress
  else { return }
  let slot = slots[patch.pointee.input]
  while patch.pointee.toPlugin.nextTime() != nil {
    let byteCount = UInt32(truncatingIfNeeded: patch.pointee.toPlugin.nextByteCount())
    // What does not fit beside others is first in the next block; none is longer than an empty port.
    guard slot.hasRoom(forAtomBytes: byteCount, sparing: slot.sparedForNotes) else { return }
    let event = slot.end
    event.storeBytes(of: 0, as: Int64.self)
    _ = patch.pointee.toPlugin.take(into: event + 8)
    slot.grow(byAtomBytes: byteCount)
  }
}

/// Passes an atom of the plugin on, if it is about properties. [render]
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
