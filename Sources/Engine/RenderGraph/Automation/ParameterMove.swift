// ParameterMove.swift: the movements of a control, from its thread to the audio thread.
// SPDX-License-Identifier: MIT

import Synchronization

/// The last movement of a control, at a fixed address.
///
/// The writer makes the count odd while it writes. A reader that meets an odd or changed count has no movement yet.
struct MoveSlot: ~Copyable {
  /// Counts the movements, twice each.
  private let count = Atomic<UInt32>(0)
  private let bits = Atomic<UInt32>(0)
  private let time = Atomic<UInt64>(0)

  /// Stores a movement. [one thread at a time]
  func store(_ value: Float, at nanoseconds: UInt64) {
    let next = count.load(ordering: .relaxed) &+ 1
    count.store(next, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    bits.store(value.bitPattern, ordering: .relaxed)
    time.store(nanoseconds, ordering: .relaxed)
    // Pairs with the acquiring load in `take`.
    count.store(next &+ 1, ordering: .releasing)
  }

  /// Returns the movement if `taken` is not its count, and sets `taken`. [render]
  @_noLocks
  func take(_ taken: inout UInt32) -> (value: Float, time: UInt64)? {
    let before = count.load(ordering: .acquiring)
    guard before != taken, before & 1 == 0 else { return nil }
    let found = (
      value: Float(bitPattern: bits.load(ordering: .relaxed)),
      time: time.load(ordering: .relaxed)
    )
    atomicMemoryFence(ordering: .acquiring)
    guard count.load(ordering: .relaxed) == before else { return nil }
    taken = before
    return found
  }
}

/// A parameter that a control moves, with ramps between the values.
package struct MovedParameter: Sendable, Equatable {
  /// The index of the parameter.
  package var parameter: Int
  /// Whether a ramp has equal ratios instead of equal differences.
  package var isLogarithmic: Bool

  /// Creates a moved parameter.
  package init(_ parameter: Int, isLogarithmic: Bool = false) {
    (self.parameter, self.isLogarithmic) = (parameter, isLogarithmic)
  }
}

/// Passes the movements of a control to the ramp of a parameter of one node.
package final class ParameterMove: Sendable {
  /// The parameter and its curve.
  package let moved: MovedParameter
  // The slot has atomics only, and lives as long as this object.
  nonisolated(unsafe) let slot: UnsafeMutablePointer<MoveSlot>

  /// Creates a state without a movement. [main]
  init(_ moved: MovedParameter) {
    self.moved = moved
    slot = .allocate(capacity: 1)
    slot.initialize(to: MoveSlot())
  }

  deinit {
    slot.deinitialize(count: 1)
    slot.deallocate()
  }

  /// Starts a ramp to a value that the node's `setParameter` receives next. [any, one thread at a time]
  ///
  /// - Parameters:
  ///   - value: the legal value.
  ///   - nanoseconds: when the control moved, on CLOCK_MONOTONIC.
  package func start(to value: Float, at nanoseconds: UInt64) {
    slot.pointee.store(value, at: nanoseconds)
  }
}
