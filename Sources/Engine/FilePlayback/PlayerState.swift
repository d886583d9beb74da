// PlayerState.swift: the render thread's state of a player, and its steps. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. Only the step for offline
// rendering waits.

import CRealtime
import RealtimeKit
import Synchronization

/// A player for its step: the ring that its thread fills, and the requested state.
struct PlayerState: ~Copyable {
  /// Frames to come.
  let ring: FrameRing
  /// The length of a gain ramp and of a fade-out, in frames.
  let rampFrames: Int
  let fadeFrames: Int

  /// Whether the player must be audible. [main]
  let isWanted = Atomic<Bool>(false)
  /// The gain that is wanted, a float's bit pattern. [main]
  let targetGain = Atomic<UInt32>(Float(1).bitPattern)
  /// Audio before this ring position is not played any more. [reader]
  let cut = Atomic<Int>(0)
  /// A ring position at which audio starts without a fade-in. [reader]
  let plainStart = Atomic<Int>(-1)
  /// The ring position of the end; `Int.max` while more audio follows. [reader]
  let end = Atomic<Int>(.max)
  /// Frames that were due and not there. [render]
  let starved = Atomic<Int>(0)

  /// The remaining frames of silence before the start. [render]
  var delayFrames: Int
  /// The current value of the fade, from 0 to 1. [render]
  var fade: Float = 0
  /// The current gain, linear. [render]
  var gain: Float = 1
  /// The target gain, the change per frame, and the remaining frames. [render]
  var target: Float = 1
  /// By how much it moves in each frame. [render]
  var gainStep: Float = 0
  /// For how many frames yet. [render]
  var gainFrames = 0
}

/// Plays the available frames; there are no inputs. [render]
@_noLocks @c(outboard_player_step)
func playerStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  play(context.assumingMemoryBound(to: PlayerState.self), buffers, Int(frameCount))
}

/// Plays without a device that waits for the block: waits for the disk instead. [render]
@_noLocks @c(outboard_player_offline_step)
func playerOfflineStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: PlayerState.self)
  // The reader always continues, because it skips files that it cannot read.
  while state.pointee.ring.heldFrameCount < Int(frameCount),
    state.pointee.end.load(ordering: .acquiring) == .max
  {
    crealtime_sleep_for(200_000)
  }
  play(state, buffers, Int(frameCount))
}

@_noLocks
private func play(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  setGainTarget(state)
  var done = 0
  if state.pointee.delayFrames > 0 {
    done = min(frameCount, state.pointee.delayFrames)
    state.pointee.delayFrames &-= done
    silence(state, buffers, from: 0, to: done)
  }
  while done < frameCount {
    let count = renderFrames(state, buffers, from: done, to: frameCount)
    if count == 0 { break }
    done &+= count
  }
  silence(state, buffers, from: done, to: frameCount)
}

/// Plays some frames, and returns how many; 0 if the rest is silent.
@_noLocks
private func renderFrames(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from done: Int, to frameCount: Int
) -> Int {
  // Pairs with the releasing store of the reader: the audio after the cut is in the ring.
  let cut = state.pointee.cut.load(ordering: .acquiring)
  var position = state.pointee.ring.consumedFrameCount
  let isWanted = state.pointee.isWanted.load(ordering: .relaxed)
  if cut > position, state.pointee.fade == 0 {
    state.pointee.ring.drop(before: cut)
    state.pointee.fade = 0
    position = cut
  }
  let isCutting = cut > position
  if state.pointee.fade == 0 {
    guard isWanted, !isCutting else { return 0 }
    if state.pointee.plainStart.load(ordering: .relaxed) == position { state.pointee.fade = 1 }
  }
  let limit = isCutting ? min(frameCount &- done, cut &- position) : frameCount &- done
  guard let piece = state.pointee.ring.next(atMost: limit),
    case .frames(let start, let count) = piece
  else {
    if position < state.pointee.end.load(ordering: .acquiring), isWanted {
      state.pointee.starved.store(
        state.pointee.starved.load(ordering: .relaxed) &+ (frameCount &- done), ordering: .relaxed)
    }
    state.pointee.fade = 0
    return 0
  }
  let isAudible = isWanted && !isCutting
  var length = count
  if isAudible, state.pointee.fade == 1, state.pointee.gainFrames == 0 {
    copy(state, buffers, done, start, count)
  } else {
    length = renderRamp(state, buffers, done, start, count, isAudible: isAudible)
  }
  state.pointee.ring.drop(.frames(start: start, count: length))
  return length
}

/// Copies frames, all with the same gain.
@_noLocks
private func copy(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ done: Int, _ start: Int, _ count: Int
) {
  let gain = state.pointee.gain
  for channel in 0 ..< state.pointee.ring.channelCount {
    let (source, target) = (state.pointee.ring.buffers[channel] + start, buffers[channel] + done)
    if gain == 1 {
      crealtime_copy(target, source, UInt32(truncatingIfNeeded: count))
    } else {
      for frame in 0 ..< count { target[frame] = source[frame] * gain }
    }
  }
}

/// Plays frames during a gain ramp or fade; returns how many, fewer if the fade ends in silence.
@_noLocks
private func renderRamp(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ done: Int, _ start: Int, _ count: Int,
  isAudible: Bool
) -> Int {
  let step = 1 / Float(state.pointee.fadeFrames)
  var frame = 0
  while frame < count {
    let fade = isAudible ? min(1, state.pointee.fade + step) : max(0, state.pointee.fade - step)
    state.pointee.fade = fade
    if state.pointee.gainFrames > 0 {
      state.pointee.gainFrames &-= 1
      state.pointee.gain =
        state.pointee.gainFrames == 0
        ? state.pointee.target : state.pointee.gain + state.pointee.gainStep
    }
    let gain = state.pointee.gain * fade
    for channel in 0 ..< state.pointee.ring.channelCount {
      buffers[channel][done &+ frame] = state.pointee.ring.buffers[channel][start &+ frame] * gain
    }
    frame &+= 1
    if fade == 0 { break }
  }
  return frame
}

@_noLocks
private func setGainTarget(_ state: UnsafeMutablePointer<PlayerState>) {
  let target = Float(bitPattern: state.pointee.targetGain.load(ordering: .relaxed))
  guard target != state.pointee.target else { return }
  state.pointee.target = target
  state.pointee.gainFrames = state.pointee.rampFrames
  state.pointee.gainStep = (target - state.pointee.gain) / Float(state.pointee.rampFrames)
}

@_noLocks
private func silence(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, to end: Int
) {
  guard start < end else { return }
  for channel in 0 ..< state.pointee.ring.channelCount {
    crealtime_zero(buffers[channel] + start, UInt32(truncatingIfNeeded: end &- start))
  }
}
