// ClockOutput.swift: MIDI clock from the engine. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import PluginModel
import RealtimeKit
import Synchronization

/// The MIDI clock that an engine sends, at a fixed address.
///
/// 24 ticks per quarter note are sent whether the transport rolls or not, because receivers need the tempo before a start. After
/// a jump, receivers are stopped, located and continued at the next sixteenth note, the unit of song positions.
struct ClockOutput: ~Copyable {
  /// To one other thread: messages with the time at which they must be sent.
  let ring: UnsafeMutablePointer<MessageRing>
  /// Whether receivers were started, or will be at `startTick`.
  var isRolling = false
  /// The position at the end of the last block, in ticks.
  var position = 0.0
  /// The next tick.
  var nextTick = 0.0
  /// The tick at which receivers are started; nil if they are.
  var startTick: Double?

  /// The capacity of the ring: several seconds of ticks.
  private static let ringBytes = 32_768
  /// The highest song position, in sixteenth notes.
  static var maximumSongPosition: Double { @_noLocks get { 16_383 } }
  /// Ticks in a sixteenth note.
  static var sixteenthTicks: Double { @_noLocks get { 6 } }
  /// A smaller difference is rounding, in ticks.
  static var tolerance: Double { @_noLocks get { 0.001 } }

  /// Creates an empty ring. [main]
  init() {
    ring = .allocate(capacity: 1)
    ring.initialize(to: MessageRing(capacityBytes: Self.ringBytes))
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }
}

/// Sends the clock of a block, whose transport is at `position`. [render]
@_noLocks
func sendClock(
  _ output: UnsafeMutablePointer<ClockOutput>, _ events: UnsafeMutablePointer<EngineEvents>,
  _ position: TransportPosition, _ frameCount: Int
) {
  let beatTicks = 96 / Double(position.beatUnit)
  let frameTicks = position.beatsPerMinute * beatTicks / (60 * position.framesPerSecond)
  var first = output.pointee.position
  if position.speed > 0 {
    first = position.beat * beatTicks
    if !output.pointee.isRolling || abs(first - output.pointee.position) > ClockOutput.tolerance {
      locate(output, events, first)
    }
  } else if output.pointee.isRolling {
    if output.pointee.startTick == nil { send(output, events, 0xfc, 0) }
    (output.pointee.isRolling, output.pointee.startTick) = (false, nil)
  }
  let end = first + frameTicks * Double(frameCount)
  while output.pointee.nextTick < end {
    let tick = output.pointee.nextTick
    let frame = min(Int(max(0, (tick - first) / frameTicks) + 0.5), max(0, frameCount &- 1))
    if let start = output.pointee.startTick, tick >= start {
      output.pointee.startTick = nil
      send(output, events, start == 0 ? 0xfa : 0xfb, frame)
    }
    send(output, events, 0xf8, frame)
    output.pointee.nextTick = tick + 1
  }
  output.pointee.position = end
}

/// Prepares receivers to start at the first sixteenth note from a position on, in ticks.
@_noLocks
private func locate(
  _ output: UnsafeMutablePointer<ClockOutput>, _ events: UnsafeMutablePointer<EngineEvents>,
  _ first: Double
) {
  if output.pointee.isRolling, output.pointee.startTick == nil { send(output, events, 0xfc, 0) }
  output.pointee.isRolling = true
  output.pointee.nextTick = roundedUp(first - ClockOutput.tolerance)
  let sixteenth = max(
    0, roundedUp((first - ClockOutput.tolerance) / ClockOutput.sixteenthTicks))
  output.pointee.startTick = sixteenth * ClockOutput.sixteenthTicks
  guard sixteenth > 0, sixteenth <= ClockOutput.maximumSongPosition else { return }
  let position = Int(sixteenth)
  send(
    output, events, 0xf2, UInt8(truncatingIfNeeded: position & 0x7f),
    UInt8(truncatingIfNeeded: position >> 7))
}

@_noLocks
private func roundedUp(_ value: Double) -> Double {
  let whole = Double(Int64(value))
  return whole < value ? whole + 1 : whole
}

@_noLocks
private func send(
  _ output: UnsafeMutablePointer<ClockOutput>, _ events: UnsafeMutablePointer<EngineEvents>,
  _ status: UInt8, _ frame: Int
) {
  withUnsafePointer(to: status) { write(output, events, $0, 1, frame) }
}

/// Sends a message of three bytes at the first frame.
@_noLocks
private func send(
  _ output: UnsafeMutablePointer<ClockOutput>, _ events: UnsafeMutablePointer<EngineEvents>,
  _ status: UInt8, _ low: UInt8, _ high: UInt8
) {
  var bytes = (status, low, high)
  withUnsafeBytes(of: &bytes) { buffer in
    guard let base = buffer.baseAddress else { return }
    write(output, events, base.assumingMemoryBound(to: UInt8.self), 3, 0)
  }
}

@_noLocks
private func write(
  _ output: UnsafeMutablePointer<ClockOutput>, _ events: UnsafeMutablePointer<EngineEvents>,
  _ bytes: UnsafePointer<UInt8>, _ count: Int, _ frame: Int
) {
  let delay = events.pointee.outputDelayFrames.load(ordering: .relaxed)
  let time = events.pointee.clock.time(ofFrame: frame &+ delay)
  if !output.pointee.ring.pointee.write(time: time, bytes, count) {
    events.pointee.dropped.add(1, ordering: .relaxed)
  }
}
