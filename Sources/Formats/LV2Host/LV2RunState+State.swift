// LV2RunState+State.swift: plugin state on the audio thread. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift.

internal import RealtimeKit
internal import Synchronization

/// State information for the audio thread.
struct LV2StateMonitor: ~Copyable {
  /// Whether the plugin has reported a state change; set by the audio thread, cleared by the main thread.
  let hasChanged = Atomic<Bool>(false)
  /// The types of object atoms and of the notification.
  let objectType = URIDMap.shared.number(LV2.atom + "Object")
  let blankType = URIDMap.shared.number(LV2.atom + "Blank")
  let changedType = URIDMap.shared.number(LV2.state + "StateChanged")
}

/// Whether the block may be rendered; otherwise its outputs are silent and its events are kept. [render]
@_noLocks
func enterLV2Gate(
  _ state: UnsafeMutablePointer<LV2RunState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) -> Bool {
  guard let gate = state.pointee.gate, !gate.pointee.beginBlock(buffers, frameCount) else {
    return true
  }
  state.pointee.sentEvents?.pointee.clear()
  deferInputEvents(state)
  return false
}

/// Moves skipped events to the start of the next block, so that notes also end if they ended during a skipped
/// block.
@_noLocks
private func deferInputEvents(_ state: UnsafeMutablePointer<LV2RunState>) {
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount where slots[index].isInput {
    slots[index].forEachEvent { retimeDeferredEvents($0) }
  }
}

@_noLocks
private func retimeDeferredEvents(_ event: UnsafeMutableRawPointer) {
  event.storeBytes(of: 0, as: Int64.self)
}

/// Searches the plugin's output for a state change notification. [render]
@_noLocks
func watchLV2State(_ state: UnsafeMutablePointer<LV2RunState>) {
  guard let watch = state.pointee.watch else { return }
  let slotCount = state.pointee.atoms.count
  guard let slots = state.pointee.atoms.baseAddress else { return }
  for index in 0 ..< slotCount
  where !slots[index].isInput && slots[index].isSequence(state.pointee.sequenceType) {
    slots[index].forEachEvent { event in
      let type = event.load(fromByteOffset: 12, as: UInt32.self)
      // An object starts with its id and type.
      guard event.load(fromByteOffset: 8, as: UInt32.self) >= 8,
        type == watch.pointee.objectType || type == watch.pointee.blankType,
        event.load(fromByteOffset: 20, as: UInt32.self) == watch.pointee.changedType
      else { return }
      watch.pointee.hasChanged.store(true, ordering: .relaxed)
    }
  }
}
