// PlayerState.swift: the render thread's state of a player, and its steps. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. Only the step for rendering to
// files waits.

import CRealtime
import RealtimeKit
import Synchronization

/// A player as its step sees it: the ring that its thread fills, and what is wanted of it.
struct PlayerState: ~Copyable {
  /// Frames to come.
  let ring: FrameRing
  /// How long a change of gain takes, and how long it takes to fall silent, in frames.
  let rampFrames: Int
  let fadeFrames: Int

  /// Whether the player is to be audible. [main]
  let isWanted = Atomic<Bool>(false)
  /// The gain that is wanted, a float's bit pattern. [main]
  let wantedGain = Atomic<UInt32>(Float(1).bitPattern)
  /// What lies before this place in the ring is not played any more. [reader]
  let cut = Atomic<Int>(0)
  /// A place in the ring where the sound begins as it is, without being faded in. [reader]
  let plainStart = Atomic<Int>(-1)
  /// The place in the ring where all ends; `Int.max` while more comes. [reader]
  let end = Atomic<Int>(.max)
  /// Frames that were due and not there. [render]
  let starved = Atomic<Int>(0)

  /// Frames of silence that are left before it starts. [render]
  var delayFrames: Int
  /// How much of the fade is open, from 0 to 1. [render]
  var fade: Float = 0
  /// What it is now. [render]
  var gain: Float = 1
  /// The gain that is gone to, by so much in each of the frames that are left. [render]
  var target: Float = 1
  /// By how much it moves in each frame. [render]
  var gainStep: Float = 0
  /// For how many frames yet. [render]
  var gainFrames = 0
}

/// Plays what is there; there are no inputs. [render]
@_noLocks @c(outboard_player_step)
func playerStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  play(context.assumingMemoryBound(to: PlayerState.self), buffers, Int(frameCount))
}

/// The same where no sound card waits for the block: the disk is waited for. [render]
@_noLocks @c(outboard_player_offline_step)
func playerOfflineStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: PlayerState.self)
  // The reader always continues: it skips what it cannot read.
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
  aimGain(state)
  var done = 0
  if state.pointee.delayFrames > 0 {
    done = min(frameCount, state.pointee.delayFrames)
    state.pointee.delayFrames &-= done
    silence(state, buffers, from: 0, to: done)
  }
  while done < frameCount {
    let count = playOn(state, buffers, from: done, to: frameCount)
    if count == 0 { break }
    done &+= count
  }
  silence(state, buffers, from: done, to: frameCount)
}

/// Plays some frames, and returns how many; 0 where the rest is silence.
@_noLocks
private func playOn(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from done: Int, to frameCount: Int
) -> Int {
  // Pairs with the releasing store of the reader: what follows the cut is in the ring.
  let cut = state.pointee.cut.load(ordering: .acquiring)
  var place = state.pointee.ring.consumedFrameCount
  let isWanted = state.pointee.isWanted.load(ordering: .relaxed)
  if cut > place, state.pointee.fade == 0 {
    state.pointee.ring.drop(before: cut)
    state.pointee.fade = 0
    place = cut
  }
  let isCutting = cut > place
  if state.pointee.fade == 0 {
    guard isWanted, !isCutting else { return 0 }
    if state.pointee.plainStart.load(ordering: .relaxed) == place { state.pointee.fade = 1 }
  }
  let limit = isCutting ? min(frameCount &- done, cut &- place) : frameCount &- done
  guard let piece = state.pointee.ring.next(atMost: limit),
    case .frames(let start, let count) = piece
  else {
    if place < state.pointee.end.load(ordering: .acquiring), isWanted {
      state.pointee.starved.store(
        state.pointee.starved.load(ordering: .relaxed) &+ (frameCount &- done), ordering: .relaxed)
    }
    state.pointee.fade = 0
    return 0
  }
  let isHeard = isWanted && !isCutting
  var length = count
  if isHeard, state.pointee.fade == 1, state.pointee.gainFrames == 0 {
    copy(state, buffers, done, start, count)
  } else {
    length = glide(state, buffers, done, start, count, isHeard: isHeard)
  }
  state.pointee.ring.drop(.frames(start: start, count: length))
  return length
}

/// Copies frames as they are, or all with the same gain.
@_noLocks
private func copy(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ done: Int, _ start: Int, _ count: Int
) {
  let gain = state.pointee.gain
  for channel in 0 ..< state.pointee.ring.channelCount {
    let (source, target) = (state.pointee.ring.rows[channel] + start, buffers[channel] + done)
    if gain == 1 {
      crealtime_copy(target, source, UInt32(truncatingIfNeeded: count))
    } else {
      for frame in 0 ..< count { target[frame] = source[frame] * gain }
    }
  }
}

/// Plays frames while the gain moves, or the fade; returns how many, fewer where the fade is closed.
@_noLocks
private func glide(
  _ state: UnsafeMutablePointer<PlayerState>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ done: Int, _ start: Int, _ count: Int,
  isHeard: Bool
) -> Int {
  let step = 1 / Float(state.pointee.fadeFrames)
  var frame = 0
  while frame < count {
    let fade = isHeard ? min(1, state.pointee.fade + step) : max(0, state.pointee.fade - step)
    state.pointee.fade = fade
    if state.pointee.gainFrames > 0 {
      state.pointee.gainFrames &-= 1
      state.pointee.gain =
        state.pointee.gainFrames == 0
        ? state.pointee.target : state.pointee.gain + state.pointee.gainStep
    }
    let gain = state.pointee.gain * fade
    for channel in 0 ..< state.pointee.ring.channelCount {
      buffers[channel][done &+ frame] = state.pointee.ring.rows[channel][start &+ frame] * gain
    }
    frame &+= 1
    if fade == 0 { break }
  }
  return frame
}

@_noLocks
private func aimGain(_ state: UnsafeMutablePointer<PlayerState>) {
  let target = Float(bitPattern: state.pointee.wantedGain.load(ordering: .relaxed))
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
