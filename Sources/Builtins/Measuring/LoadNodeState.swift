// LoadNodeState.swift: what keeps the audio thread busy on purpose. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import Synchronization

/// A load node as its step sees it.
struct LoadNodeState: ~Copyable {
  let nanosecondsPerFrame: Double
  /// The share of each block's time that is spent.
  let share: Double
  /// When the last block began; 0 before the first one. [render]
  var lastBeginning: UInt64 = 0
  /// How long the last block is, in nanoseconds. [render]
  var lastDuration: UInt64 = 0
  /// The most by which a block began later than its predecessor's length after it, in nanoseconds.
  let worstLateness = Atomic<UInt64>(0)
}

/// Spends a share of the block's time.
///
/// The one step that reads a clock: that is what it is for. [render]
@_noLocks @c(outboard_load_step)
func loadStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let load = context.assumingMemoryBound(to: LoadNodeState.self)
  let began = crealtime_nanoseconds()
  let duration = load.pointee.nanosecondsPerFrame * Double(frameCount)
  let due = load.pointee.lastBeginning &+ load.pointee.lastDuration
  if load.pointee.lastBeginning > 0, began > due,
    began &- due > load.pointee.worstLateness.load(ordering: .relaxed)
  {
    load.pointee.worstLateness.store(began &- due, ordering: .relaxed)
  }
  load.pointee.lastBeginning = began
  load.pointee.lastDuration = UInt64(duration)
  let end = began &+ UInt64(duration * load.pointee.share)
  while crealtime_nanoseconds() < end {}
}
