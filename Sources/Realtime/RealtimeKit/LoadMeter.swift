// LoadMeter.swift: how much of its time the rendering takes. SPDX-License-Identifier: MIT

import Synchronization

/// Time spent in blocks against the time the blocks last, since it was last taken.
///
/// Written by the render thread, taken by one other thread.
package struct LoadMeter: ~Copyable {
  /// The measurement between two calls of `take`.
  package struct Reading: Sendable, Equatable {
    /// The share of the time spent rendering; 1 is all of it.
    package var mean: Double
    /// The largest share of a block; 1 is its whole time.
    package var maximum: Double
  }

  private let busyNanoseconds = Atomic<UInt64>(0)
  private let audioNanoseconds = Atomic<UInt64>(0)
  private let worstBits = Atomic<UInt64>(0)

  /// Creates a meter without measurements. [main]
  package init() {}

  /// Adds one block. [render]
  @_noLocks
  package func record(nanoseconds: UInt64, frameCount: Int, sampleRateHz: Double) {
    let sound = Double(frameCount) / sampleRateHz * 1e9
    busyNanoseconds.add(nanoseconds, ordering: .relaxed)
    audioNanoseconds.add(UInt64(sound), ordering: .relaxed)
    let load = (Double(nanoseconds) / sound).bitPattern
    if load > worstBits.load(ordering: .relaxed) { worstBits.store(load, ordering: .relaxed) }
  }

  /// Returns the measurement since the last call. [any one thread]
  package func take() -> Reading {
    let busy = Double(busyNanoseconds.exchange(0, ordering: .relaxed))
    let sound = Double(audioNanoseconds.exchange(0, ordering: .relaxed))
    let maximum = Double(bitPattern: worstBits.exchange(0, ordering: .relaxed))
    return Reading(mean: sound > 0 ? busy / sound : 0, maximum: maximum)
  }
}
