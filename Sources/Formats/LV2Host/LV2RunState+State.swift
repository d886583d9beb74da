// LV2RunState+State.swift: what the audio thread does for a plugin's state. SPDX-License-Identifier: MIT
//
// A run file: see LV2RunState.swift.

internal import RealtimeKit
internal import Synchronization

/// What is known of a plugin's state on the audio thread.
struct LV2StateMonitor: ~Copyable {
  /// Whether the plugin has said that its state is another than before: render sets, main clears.
  let hasChanged = Atomic<Bool>(false)
  /// The types of atoms that are objects, and the one of the notification.
  let objectType = URIDMap.shared.number(LV2.atom + "Object")
  let blankType = URIDMap.shared.number(LV2.atom + "Blank")
  let changedType = URIDMap.shared.number(LV2.state + "StateChanged")
}

/// Whether the block may be rendered; if not, its outputs are silent, and what was to be heard in it
/// waits. [render]
@_noLocks
func enterLV2Gate(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) -> Bool {
  guard let gate = state.pointee.gate, !gate.pointee.enter(buffers, frameCount) else { return true }
  state.pointee.sentEvents?.pointee.clear()
  holdInputs(state)
  return false
}

/// Moves events that were not heard to the beginning of the next block: a note must end even if it
/// ended while the plugin was not running.
@_noLocks
private func holdInputs(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isInput {
    slots[index].eachEvent { restamp($0) }
  }
}

@_noLocks
private func restamp(_ event: UnsafeMutableRawPointer) {
  event.storeBytes(of: 0, as: Int64.self)
}

/// Looks for a plugin's word that its state has changed, in all that it has written. [render]
@_noLocks
func watchLV2State(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard let watch = state.pointee.watch else { return }
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount
  where !slots[index].isInput && slots[index].isSequence(state.pointee.sequenceType) {
    slots[index].eachEvent { event in
      let type = event.load(fromByteOffset: 12, as: UInt32.self)
      // An object begins with its identifier and its type.
      guard event.load(fromByteOffset: 8, as: UInt32.self) >= 8,
        type == watch.pointee.objectType || type == watch.pointee.blankType,
        event.load(fromByteOffset: 20, as: UInt32.self) == watch.pointee.changedType
      else { return }
      watch.pointee.hasChanged.store(true, ordering: .relaxed)
    }
  }
}
