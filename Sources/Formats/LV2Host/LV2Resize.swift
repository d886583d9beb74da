// LV2Resize.swift: event buffers that a plugin makes larger while it runs. SPDX-License-Identifier: MIT
//
// A run file: see LV2RunState.swift. Nothing can be allocated in a run; so the ports of a plugin that
// knows of resizing lie in memory that is larger than they are, and grow in their place.

internal import CLV2Support

/// What the function is called with: the ports of one instance, known once it is made.
struct LV2ResizeState {
  var slots: UnsafeMutableBufferPointer<AtomSlot>
}

/// `LV2_Resize_Port_Resize.resize`. [render, inside of a run]
@_noLocks @c(outboard_lv2_resize)
func resizeLV2Port(
  _ data: UnsafeMutableRawPointer?, _ port: UInt32, _ byteCount: Int
) -> LV2_Resize_Port_Status {
  guard let state = data?.assumingMemoryBound(to: LV2ResizeState.self) else {
    return LV2_RESIZE_PORT_ERR_UNKNOWN
  }
  let slotCount = state.pointee.slots.count
  guard let slots = state.pointee.slots.baseAddress else { return LV2_RESIZE_PORT_ERR_UNKNOWN }
  for index in 0 ..< slotCount where slots[index].port == port {
    guard byteCount <= Int(slots[index].reservedBytes) else { return LV2_RESIZE_PORT_ERR_NO_SPACE }
    // What a buffer has it keeps: the message at which it grew will not be the last of its length.
    slots[index].capacityBytes = max(
      slots[index].capacityBytes, UInt32(truncatingIfNeeded: max(0, byteCount)))
    return LV2_RESIZE_PORT_SUCCESS
  }
  return LV2_RESIZE_PORT_ERR_UNKNOWN
}
