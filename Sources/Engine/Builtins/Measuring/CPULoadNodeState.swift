// CPULoadNodeState.swift: a simulated load on the audio thread. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import Synchronization

/// A load node as its step sees it.
struct CPULoadNodeState: ~Copyable {
  /// When the load of each block ends. [render]
  var schedule: BusyLoopSchedule
  /// The most by which a block began later than its predecessor's length after it, in nanoseconds.
  let worstLateness = Atomic<UInt64>(0)

  init(_ schedule: BusyLoopSchedule) {
    self.schedule = schedule
  }
}

/// Spends a share of the block's time.
///
/// This is the only step that reads a clock, which is its purpose. [render]
@_noLocks @c(outboard_load_step)
func loadStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let load = context.assumingMemoryBound(to: CPULoadNodeState.self)
  let end = load.pointee.schedule.begin(
    at: crealtime_nanoseconds(), frameCount: Int(truncatingIfNeeded: frameCount))
  let delay = load.pointee.schedule.delay
  if delay > load.pointee.worstLateness.load(ordering: .relaxed) {
    load.pointee.worstLateness.store(delay, ordering: .relaxed)
  }
  while crealtime_nanoseconds() < end {}
}
