// RingCopy.swift: samples into a ring of them, and out of it again. SPDX-License-Identifier: MIT

/// Copies `count` samples to a ring of `capacity`, from `position` on and around its end; `count` is at most
/// `capacity`, and `position` is below it. [render]
@_noLocks
package func copyIntoRing(
  _ source: UnsafeMutablePointer<Float>, _ ring: UnsafeMutablePointer<Float>, at position: Int,
  capacity: Int, count: Int
) {
  let before = min(count, capacity &- position)
  copySamples(source, ring + position, before)
  if before < count { copySamples(source + before, ring, count &- before) }
}

/// Copies `count` samples out of a ring of `capacity`, from `position` and around its end. [render]
@_noLocks
package func copyOutOfRing(
  _ ring: UnsafeMutablePointer<Float>, at position: Int, capacity: Int,
  _ target: UnsafeMutablePointer<Float>, count: Int
) {
  let before = min(count, capacity &- position)
  copySamples(ring + position, target, before)
  if before < count { copySamples(ring, target + before, count &- before) }
}

@_noLocks
private func copySamples(
  _ source: UnsafeMutablePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ count: Int
) {
  UnsafeMutableRawPointer(target).copyMemory(
    from: UnsafeRawPointer(source), byteCount: count &* MemoryLayout<Float>.stride)
}
