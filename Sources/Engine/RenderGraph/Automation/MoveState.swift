// MoveState.swift: the ramp of a parameter that a control moves. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. NodeAutomation.swift creates and frees its
// memory.

import CRealtime
import Synchronization

/// The ramp of a parameter, at a fixed address.
///
/// The node stores the value that was set last. While the ramp moves, the node is held at another value. So everything
/// that reads or sets the stored value is independent of the ramp.
struct MoveState: ~Copyable {
  /// The length of a ramp, in ns; a longer block is the length instead.
  ///
  /// With a constant length, the value never moves faster than the control, however its messages are spaced.
  static var rampNanoseconds: Double { @_noLocks get { 10_000_000 } }

  let parameter: UInt32
  let isLogarithmic: Bool
  /// Belongs to a `ParameterMove`.
  let slot: UnsafeMutablePointer<MoveSlot>

  /// Whether the node is held in this block.
  private(set) var isHeld = false
  private var hasValue = false
  private var takenCount: UInt32 = 0
  /// The value at the first frame of the ramp, and the value that it reaches.
  private var start: Float = 0
  private var target: Float = 0
  /// The first frame of the ramp, and the frame at which it has reached its goal.
  private var first = Int64.min
  private var end = Int64.min
  /// The goal divided by the start; 0 for a linear ramp.
  private var ratio: Float = 0
  /// The first frame of the next ramp, and its goal and length; `Int64.max` if there is none.
  private var nextFirst = Int64.max
  private var nextTarget: Float = 0
  private var nextLength: Int64 = 0
  /// The stored value when the last movement was taken, until the value of that is stored.
  private var before: Float = 0

  init(_ move: ParameterMove) {
    parameter = UInt32(move.moved.parameter)
    isLogarithmic = move.moved.isLogarithmic
    slot = move.slot
  }

  /// Begins a block: takes a movement, and compares with the value that the node stores. [render]
  @_noLocks
  mutating func begin(stored: Float, _ events: UnsafeMutablePointer<EngineEvents>) {
    if !hasValue { rest(at: stored) }
    hasValue = true
    isHeld = true
    let movement = slot.pointee.take(&takenCount)
    if let movement { aim(at: movement.value, movement.time, events) }
    let hasNext = nextFirst != Int64.max
    if stored == (hasNext ? nextTarget : target) {
      before = stored
    } else if movement == nil,
      stored != before || !hasNext && Int64(bitPattern: events.pointee.clock.position) >= end
    {
      // Somebody else has set the value; the node takes it over.
      rest(at: stored)
      isHeld = false
    }
  }

  @_noLocks
  private mutating func rest(at value: Float) {
    (start, target, before) = (value, value, value)
    (first, end, nextFirst) = (Int64.min, Int64.min, Int64.max)
  }

  /// Schedules a ramp from the value at its first frame.
  @_noLocks
  private mutating func aim(
    at value: Float, _ time: UInt64, _ events: UnsafeMutablePointer<EngineEvents>
  ) {
    nextTarget = value
    // A ramp that has not begun gets another goal.
    guard nextFirst == Int64.max else { return }
    let delay = events.pointee.inputDelayFrames
    let arrival = events.pointee.clock.frames(until: time) + Double(delay)
    // Compared as a fraction, because a distant time exceeds the range of an integer.
    let offset = arrival <= 0 ? 0 : arrival >= Double(delay) ? delay : Int(arrival)
    nextFirst = Int64(bitPattern: events.pointee.clock.position) &+ Int64(offset)
    nextLength = max(
      Int64(Self.rampNanoseconds / events.pointee.clock.frameNanoseconds),
      Int64(events.pointee.frameCount))
  }

  /// Returns the value at a frame, which is not before that of the last call. [render]
  @_noLocks
  mutating func value(at frame: Int64) -> Float {
    if frame >= nextFirst {
      start = line(at: nextFirst)
      (first, target, end) = (nextFirst, nextTarget, nextFirst &+ nextLength)
      nextFirst = Int64.max
      ratio = isLogarithmic && start > 0 && target > 0 ? target / start : 0
    }
    return frame >= end ? target : line(at: max(frame & (0 &- LaneState.gridFrames), first))
  }

  @_noLocks
  private func line(at frame: Int64) -> Float {
    if frame >= end { return target }
    if frame <= first { return start }
    let done = Double(frame &- first) / Double(end &- first)
    let value =
      ratio != 0
      ? start * crealtime_pow(ratio, Float(done))
      : Float(Double(start) + (Double(target) - Double(start)) * done)
    // Rounding must not exceed the range between both ends.
    return min(max(value, min(start, target)), max(start, target))
  }

  /// Returns for how many frames, at least 1, the value of a frame stays the same. [render]
  @_noLocks
  func frames(from frame: Int64) -> Int64 {
    let next = nextFirst == Int64.max ? nextFirst : max(1, nextFirst &- frame)
    guard frame < end, start != target else { return next }
    let stair = (frame & (0 &- LaneState.gridFrames)) &+ LaneState.gridFrames
    return min(min(stair, end) &- frame, next)
  }
}
