// LaneState.swift: the position and value of a lane at a frame. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. NodeAutomation.swift creates and frees its
// memory.

import CRealtime
import PluginModel
import Synchronization

/// A point of a lane as the render thread reads it.
struct LanePoint: BitwiseCopyable {
  let time: Double
  let value: Float
  let shape: LaneShape
  /// The natural logarithm of this value divided by the previous one; 0 except for exponential
  /// ramps.
  let logarithm: Double
}

/// The shape of the ramp to a point, as a number.
enum LaneShape: UInt8, BitwiseCopyable {
  case linear, exponential, step
}

/// A lane at a fixed address.
///
/// All values depend on the frame of the stream alone, so they are the same for every block length.
/// Points take effect at their nearest frames. A ramp is a staircase: its value changes at the
/// frames of a grid that starts at frame 0.
struct LaneState: ~Copyable {
  /// The length of a stair, in frames: 1,500 stairs a second at 48 kHz.
  static var gridFrames: Int64 { @_noLocks get { 32 } }

  let parameter: UInt32
  let isInBeats: Bool
  let isWhole: Bool
  let points: UnsafeMutablePointer<LanePoint>
  let pointCount: Int
  /// The length of the loop, in the lane's unit; 0 for no loop.
  let loop: Double
  /// Counts manual changes.
  let overrideCount = Atomic<UInt32>(0)

  /// The last value that the parameter received.
  private(set) var value: Float = 0
  /// Whether `value` was a jump, not a stair of a ramp.
  private(set) var isJump = true
  /// Whether the value is that of the lane's first point, which the parameter had before.
  private(set) var isFirstPoint = false
  private var appliedTouchCount: UInt32 = 0
  /// Whether a manual change is in effect, which lasts until the next point.
  private var isOverridden = false
  private var hasValue = false
  /// The last point that was reached; -1 before the first one.
  private var segment = -1
  private var cycle: Int64 = 0
  /// The segment's first frame, and the frame after its last.
  private var first = Int64.max
  private var end = Int64.max
  /// The first time as a fraction of a frame.
  private var exactFirst = 0.0
  private var exactEnd = 0.0
  private var isMoving = false
  private var changeCount: UInt32 = 0

  /// Creates a lane before its first block; it owns the points. [main]
  init(
    _ lane: AutomationLane, _ points: UnsafeMutablePointer<LanePoint>
  ) {
    parameter = UInt32(lane.parameter)
    isInBeats = lane.clock == .beats
    isWhole = lane.isWhole
    self.points = points
    pointCount = lane.points.count
    loop = lane.loop ?? 0
  }

  deinit { points.deallocate() }

  /// Returns whether the parameter must receive `value` at a frame. [render]
  @_noLocks
  mutating func needsUpdate(
    at frame: Int64, _ transport: UnsafeMutablePointer<TransportState>
  ) -> Bool {
    takeOverrides()
    if frame < first || frame >= end || changeCount != transport.pointee.position.changeCount {
      enter(frame, transport)
    }
    guard !isOverridden else { return false }
    let next = value(at: frame)
    guard !hasValue || next != value else { return false }
    (value, hasValue) = (next, true)
    return true
  }

  /// Records that `value` was delivered, so that the rest of the segment continues from it.
  /// [render]
  @_noLocks
  mutating func markSent() { isJump = false }

  /// Returns for how many frames, at least 1, the value of a frame stays the same. [render]
  @_noLocks
  func frames(from frame: Int64) -> Int64 {
    guard isMoving else { return end == Int64.max ? end : end &- frame }
    let stretch = (frame & (0 &- Self.gridFrames)) &+ Self.gridFrames
    return min(stretch, end) &- frame
  }

  @_noLocks
  private mutating func takeOverrides() {
    // Pairs with the releasing addition of the thread that sets a gain.
    let touches = overrideCount.load(ordering: .acquiring)
    guard touches != appliedTouchCount else { return }
    appliedTouchCount = touches
    // Before the first block, a change is the start value that was set.
    isOverridden = hasValue
    hasValue = false
  }
}

// MARK: - Segments

extension LaneState {
  /// Finds the segment that contains a frame.
  @_noLocks
  private mutating func enter(
    _ frame: Int64, _ transport: UnsafeMutablePointer<TransportState>
  ) {
    let (lastSegment, lastCycle) = (segment, cycle)
    let goesOn = changeCount == transport.pointee.position.changeCount && hasValue
    changeCount = transport.pointee.position.changeCount
    cycle = cycle(of: frame, transport)
    var above = pointCount
    segment = -1
    while above &- segment > 1 {
      let middle = (segment &+ above) / 2
      if Self.nearest(exactFrame(points[middle].time, transport)) <= frame {
        segment = middle
      } else {
        above = middle
      }
    }
    findEnds(transport)
    let isNext = cycle == lastCycle && segment == lastSegment &+ 1
    isJump = !(goesOn && isNext && segment > 0 && points[segment].shape != .step)
    isFirstPoint = goesOn && isNext && segment == 0
    if segment != lastSegment || cycle != lastCycle { isOverridden = false }
  }

  @_noLocks
  private mutating func findEnds(_ transport: UnsafeMutablePointer<TransportState>) {
    exactFirst =
      segment < 0 ? exactFrame(0, transport) : exactFrame(points[segment].time, transport)
    let isLast = segment &+ 1 == pointCount
    exactEnd =
      isLast ? exactFrame(loop, transport) : exactFrame(points[segment &+ 1].time, transport)
    first = segment < 0 && cycle == 0 ? Int64.min : Self.nearest(exactFirst)
    end = isLast && loop == 0 ? Int64.max : Self.nearest(exactEnd)
    isMoving =
      segment >= 0 && !isLast && points[segment &+ 1].shape != .step
      && points[segment].value != points[segment &+ 1].value
  }

  /// Returns how many loops are complete before a frame.
  @_noLocks
  private func cycle(
    of frame: Int64, _ transport: UnsafeMutablePointer<TransportState>
  ) -> Int64 {
    guard loop > 0, frame > 0 else { return 0 }
    let time =
      isInBeats
      ? transport.pointee.beat(ofFrame: frame)
      : Double(frame) / transport.pointee.position.framesPerSecond
    var cycle = max(0, Int64(time / loop))
    while cycle > 0, Self.nearest(exactFrame(0, transport, cycle)) > frame { cycle &-= 1 }
    while Self.nearest(exactFrame(loop, transport, cycle)) <= frame { cycle &+= 1 }
    return cycle
  }

  @_noLocks
  private func exactFrame(
    _ time: Double, _ transport: UnsafeMutablePointer<TransportState>
  ) -> Double { exactFrame(time, transport, cycle) }

  /// Returns the frame of a time within a loop, as a fraction.
  @_noLocks
  private func exactFrame(
    _ time: Double, _ transport: UnsafeMutablePointer<TransportState>, _ cycle: Int64
  ) -> Double {
    let time = time + Double(cycle) * loop
    return isInBeats
      ? transport.pointee.frame(ofBeat: time) : time * transport.pointee.position.framesPerSecond
  }

  /// Returns the nearest whole number.
  @_noLocks
  private static func nearest(_ number: Double) -> Int64 {
    let whole = Int64(number)
    let rest = number - Double(whole)
    return rest >= 0.5 ? whole &+ 1 : rest < -0.5 ? whole &- 1 : whole
  }

  // MARK: - Values

  @_noLocks
  private func value(at frame: Int64) -> Float {
    guard segment >= 0 else { return points[0].value }
    guard isMoving else { return points[segment].value }
    return value(movingValue: max(frame & (0 &- Self.gridFrames), first))
  }

  /// Returns the value of a ramp at a frame.
  @_noLocks
  private func value(movingValue frame: Int64) -> Float {
    let (start, target) = (points[segment].value, points[segment &+ 1])
    let fraction = (Double(frame) - exactFirst) / (exactEnd - exactFirst)
    let done = min(1, max(0, fraction))
    let value =
      target.shape == .exponential
      ? Float(Double(start) * crealtime_exp(done * target.logarithm))
      : Float(Double(start) + (Double(target.value) - Double(start)) * done)
    // Rounding must not exceed the range between both points.
    let inside = min(max(value, min(start, target.value)), max(start, target.value))
    return isWhole ? Float(Self.nearest(Double(inside))) : inside
  }
}

// MARK: - Ramps

/// The line that a value follows for a range of frames.
struct LaneSegment: BitwiseCopyable {
  /// The first frame, and the value there.
  let first: Int64
  let start: Float
  /// The frame after the last one, and the value that is reached there; Int64.max for a constant
  /// value.
  let end: Int64
  let target: Float

  @_noLocks
  init(first: Int64, start: Float, end: Int64, target: Float) {
    (self.first, self.start, self.end, self.target) = (first, start, end, target)
  }
}

extension LaneState {
  /// Returns the line of the value at a frame, or nil during a manual change, which lasts until the
  /// next point. [render]
  @_noLocks
  mutating func segment(
    at frame: Int64, _ transport: UnsafeMutablePointer<TransportState>
  ) -> LaneSegment? {
    takeOverrides()
    if frame < first || frame >= end || changeCount != transport.pointee.position.changeCount {
      enter(frame, transport)
    }
    guard !isOverridden else { return nil }
    hasValue = true
    guard segment >= 0, isMoving else {
      let value = value(at: frame)
      return LaneSegment(first: frame, start: value, end: end, target: value)
    }
    let stretch = frame & (0 &- Self.gridFrames)
    let (from, to) = (max(stretch, first), min(stretch &+ Self.gridFrames, end))
    return LaneSegment(
      first: from, start: value(movingValue: from), end: to, target: value(movingValue: to))
  }
}
