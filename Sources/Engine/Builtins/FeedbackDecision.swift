// FeedbackDecision.swift: decides how to treat a growing tone. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.
//
// The captured audio alone cannot separate acoustic feedback from a flute. A test can: remove the
// tone from the loudspeaker. Feedback then falls by a fixed amount in every loop, but the flute
// continues.

import CRealtime

/// The depth of a notch while feedback is being ended, in dB.
private var depthDecibels: Float { @_noLocks get { 36 } }
/// How far the captured tone must fall to count as feedback, in dB.
///
/// A loop that amplifies a tone but is stable falls less.
private var fallDecibels: Float { @_noLocks get { 9 } }
/// Gain that a loop is not expected to have, in dB: with the slope, it bounds the loop's delay.
private var maximumLoopDecibels: Float { @_noLocks get { 12 } }
/// The longest delay of a loop that is reckoned with, in seconds.
private var longestDelaySeconds: Float { @_noLocks get { 0.35 } }
/// For how long a tone must be as loud as before, though its notch is in, not to be the loop's.
private var loudSeconds: Float { @_noLocks get { 0.06 } }
private var firstHoldSeconds: Float { @_noLocks get { 4 } }
private var longestHoldSeconds: Float { @_noLocks get { 120 } }
/// The duration of the removal of a notch, in seconds.
private var releaseSeconds: Float { @_noLocks get { 6 } }

// MARK: - Strangers

/// Whether a tone is in the list of tones to ignore.
@_noLocks
func isIgnoredTone(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate
) -> Bool {
  let range = max(60, candidate.frequencyHz * 0.03)
  for index in 0 ..< FeedbackSuppressorState.ignoredToneCount {
    let ignoredTone = state.pointee.ignoredTones[index]
    if ignoredTone.hopsLeft > 0, abs(ignoredTone.frequencyHz - candidate.frequencyHz) < range,
      candidate.decibels < ignoredTone.decibels + 12
    {
      return true
    }
  }
  return false
}

@_noLocks
private func ignoreTone(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ frequencyHz: Float, _ decibels: Float,
  seconds: Float
) {
  var oldest = 0
  for index in 0 ..< FeedbackSuppressorState.ignoredToneCount
  where state.pointee.ignoredTones[index].hopsLeft < state.pointee.ignoredTones[oldest].hopsLeft {
    oldest = index
  }
  state.pointee.ignoredTones[oldest].frequencyHz = frequencyHz
  state.pointee.ignoredTones[oldest].decibels = decibels
  state.pointee.ignoredTones[oldest].hopsLeft = state.pointee.hops(seconds)
}

// MARK: - Notches

/// Returns the active notch whose band contains a frequency; -1 for none.
@_noLocks
func notch(_ state: UnsafeMutablePointer<FeedbackSuppressorState>, near frequencyHz: Float) -> Int {
  for index in 0 ..< FeedbackSuppressorState.notchCount
  where state.pointee.notches[index].stage != .idle {
    let notch = state.pointee.notches[index]
    if abs(notch.frequencyHz - frequencyHz) < notch.bandwidthHz { return index }
  }
  return -1
}

/// Responds to a tone that grows like feedback.
@_noLocks
func applyNotch(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate
) {
  state.pointee.detectionRate += 1
  if state.pointee.detectionRate > 5 { increaseDucking(state, candidate) }
  let near = notch(state, near: candidate.frequencyHz)
  if near >= 0 {
    increaseDepth(state, near, candidate)
    return
  }
  let slot = freeSlot(state, candidate.frequencyHz)
  guard slot >= 0 else {
    increaseDucking(state, candidate)
    return
  }
  let notch = state.pointee.notches + slot
  let isReturn =
    notch.pointee.hopsLeft > 0
    && abs(notch.pointee.frequencyHz - candidate.frequencyHz) < notch.pointee.bandwidthHz
  let lastHold = isReturn ? notch.pointee.holdHops : 0
  notch.pointee = NotchFilter()
  // About a tenth of an octave; more for feedback that grows so fast that its line is broad.
  notch.pointee.bandwidthHz = max(30, max(candidate.frequencyHz / 10, candidate.slope * 0.12))
  notch.pointee.bandwidthHz = min(notch.pointee.bandwidthHz, candidate.frequencyHz)
  notch.pointee.holdHops = min(
    state.pointee.hops(longestHoldSeconds),
    max(state.pointee.hops(firstHoldSeconds), 2 &* lastHold))
  for channel in 0 ..< state.pointee.outputCount {
    state.pointee.memories[slot &* state.pointee.outputCount &+ channel] = SIMD2(0, 0)
  }
  begin(state, notch, candidate)
}

/// Returns a free slot for a notch, if possible the one that was at this frequency; -1 if all are in use.
@_noLocks
private func freeSlot(_ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ frequencyHz: Float)
  -> Int
{
  var free = -1
  for index in 0 ..< FeedbackSuppressorState.notchCount where !state.pointee.notches[index].isActive
  {
    let notch = state.pointee.notches[index]
    if abs(notch.frequencyHz - frequencyHz) < notch.bandwidthHz { return index }
    if free < 0 || notch.hopsLeft < state.pointee.notches[free].hopsLeft { free = index }
  }
  return free
}

/// Responds to feedback within the band of a notch: the notch returns to its depth, or gets wider.
@_noLocks
private func increaseDepth(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ index: Int,
  _ candidate: FeedbackCandidate
) {
  let notch = state.pointee.notches + index
  let before = notch.pointee
  guard before.stage != .probing else { return }
  if before.stage == .holding {
    notch.pointee.bandwidthHz = min(before.frequencyHz * 0.7, before.bandwidthHz * 2)
  }
  notch.pointee.isKnown = true
  notch.pointee.holdHops = min(
    state.pointee.hops(longestHoldSeconds), 2 &* before.holdHops)
  var found = candidate
  if before.stage == .holding { found.frequencyHz = (found.frequencyHz + before.frequencyHz) / 2 }
  begin(state, notch, found)
}

@_noLocks
private func begin(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ notch: UnsafeMutablePointer<NotchFilter>,
  _ candidate: FeedbackCandidate
) {
  notch.pointee.stage = .probing
  notch.pointee.frequencyHz = candidate.frequencyHz
  notch.pointee.line = candidate.line
  notch.pointee.referenceDecibels = candidate.decibels
  notch.pointee.tune(tangent: state.pointee.tangent(candidate.frequencyHz))
  // No deeper than necessary to reverse the growth at any delay. Slow growth needs little depth,
  // which is hardly audible for a player.
  let need = 3 + longestDelaySeconds * candidate.slope
  setDepth(state, notch, to: notch.pointee.isKnown ? depthDecibels : min(depthDecibels, need))
  // The slope gives the longest possible delay of the loop. After it, the tone has fallen or will
  // not fall. The reverberation of the room and the window add some time.
  let delay = min(longestDelaySeconds, maximumLoopDecibels / max(1, candidate.slope))
  notch.pointee.hopsLeft = state.pointee.hops(0.08 + delay)
}

/// Takes a notch to a depth at once, or as near to that as does not click.
@_noLocks
private func setDepth(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ notch: UnsafeMutablePointer<NotchFilter>,
  to decibels: Float
) {
  notch.pointee.decibels = decibels
  let depth = 1 - FastMath.gain(decibels: -decibels)
  notch.pointee.move(to: depth, frames: 0.002 * state.pointee.sampleRateHz)
}

// MARK: - Results

/// Follows each notch, and the duck, through its stages.
@_noLocks
func updateNotches(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let row = state.pointee.spectrum.fineSpectrum(0)
  state.pointee.detectionRate -= state.pointee.detectionRate / state.pointee.hopsPerSecond
  for index in 0 ..< FeedbackSuppressorState.ignoredToneCount
  where state.pointee.ignoredTones[index].hopsLeft > 0 {
    state.pointee.ignoredTones[index].hopsLeft &-= 1
  }
  for index in 0 ..< FeedbackSuppressorState.notchCount {
    let notch = state.pointee.notches + index
    if notch.pointee.hopsLeft > 0 { notch.pointee.hopsLeft &-= 1 }
    switch notch.pointee.stage {
    case .idle: break
    case .probing:
      evaluateTone(state, notch, FastMath.decibels(power: mainLobePower(row, notch.pointee.line)))
    case .holding:
      watchHeld(state, notch, FastMath.decibels(power: mainLobePower(row, notch.pointee.line)))
    case .releasing: release(state, notch)
    }
  }
  updateDucking(state)
}

/// Takes a held notch away if the captured tone is as loud as before: it does not come through the notch.
@_noLocks
private func watchHeld(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ notch: UnsafeMutablePointer<NotchFilter>,
  _ decibels: Float
) {
  // The audio from before the notch must have passed through the loop.
  let isSettled =
    notch.pointee.holdHops &- notch.pointee.hopsLeft > state.pointee.hops(longestDelaySeconds)
  let isLoud = isSettled && decibels > notch.pointee.referenceDecibels - 3
  notch.pointee.loudHops = isLoud ? notch.pointee.loudHops &+ 1 : 0
  if notch.pointee.loudHops > state.pointee.hops(loudSeconds) {
    dismiss(state, notch)
  } else if notch.pointee.hopsLeft == 0 {
    notch.pointee.stage = .releasing
  }
}

/// Takes a notch away at once, as the tone is not the loop's.
@_noLocks
private func dismiss(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ notch: UnsafeMutablePointer<NotchFilter>
) {
  notch.pointee.stage = .idle
  notch.pointee.hopsLeft = 0
  notch.pointee.move(to: 0, frames: 0.005 * state.pointee.sampleRateHz)
  ignoreTone(state, notch.pointee.frequencyHz, notch.pointee.referenceDecibels, seconds: 10)
  report(state, .ignored, notch.pointee)
}

@_noLocks
private func evaluateTone(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>,
  _ notch: UnsafeMutablePointer<NotchFilter>,
  _ decibels: Float
) {
  let reference = max(notch.pointee.referenceDecibels, decibels)
  notch.pointee.referenceDecibels = reference
  if decibels < reference - min(fallDecibels, 0.65 * notch.pointee.decibels) {
    hold(state, notch)
  } else if notch.pointee.hopsLeft == 0 {
    dismiss(state, notch)
  }
}

@_noLocks
private func hold(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ notch: UnsafeMutablePointer<NotchFilter>
) {
  notch.pointee.stage = .holding
  notch.pointee.loudHops = 0
  notch.pointee.hopsLeft = notch.pointee.holdHops
  setDepth(state, notch, to: depthDecibels)
  report(state, .notched, notch.pointee)
}

/// Removes a notch gradually: if feedback returns, it grows slowly.
@_noLocks
private func release(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ notch: UnsafeMutablePointer<NotchFilter>
) {
  notch.pointee.decibels -= depthDecibels / (releaseSeconds * state.pointee.hopsPerSecond)
  let decibels = max(0, notch.pointee.decibels)
  let depth = decibels > 0 ? 1 - FastMath.gain(decibels: -decibels) : 0
  let hopFrames = Float(FeedbackSpectrum.hop &* state.pointee.decimation)
  notch.pointee.move(to: depth, frames: hopFrames)
  guard decibels == 0, notch.pointee.depth == 0 else { return }
  notch.pointee.stage = .idle
  // The time for which feedback at this frequency is remembered.
  notch.pointee.hopsLeft = state.pointee.hops(longestHoldSeconds)
  report(state, .released, notch.pointee)
}

@_noLocks
private func report(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ action: FeedbackEvent.Action,
  _ notch: NotchFilter
) {
  state.pointee.report(
    FeedbackEvent(
      action: action, frequencyHz: notch.frequencyHz,
      levelDecibels: notch.referenceDecibels - 1.76, depthDecibels: depthDecibels,
      frame: state.pointee.frame))
}
