// LV2Resize.swift: event buffers that a plugin enlarges in `run`. SPDX-License-Identifier: MIT
//
// Real-time safe: see LV2RunState.swift. Allocation in `run` is impossible, so ports of a plugin that supports
// resizing have reserved memory and grow in place.

internal import CLV2Support

/// The handle of the resize function: the ports of an instance, set after creation.
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
    // The buffer stays large, because messages of this length are likely to repeat.
    slots[index].capacityBytes = max(
      slots[index].capacityBytes, UInt32(truncatingIfNeeded: max(0, byteCount)))
    return LV2_RESIZE_PORT_SUCCESS
  }
  return LV2_RESIZE_PORT_ERR_UNKNOWN
}
