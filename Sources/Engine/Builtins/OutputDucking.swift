// OutputDucking.swift: attenuates the whole output if notches do not help. SPDX-License-Identifier:
// MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// The attenuation that tests whether the loop clips, in dB.
private var duckDecibels: Float { @_noLocks get { -18 } }
/// How far the captured audio must fall during the test, in dB.
private var fallDecibels: Float { @_noLocks get { 8 } }
private var deepestDecibels: Float { @_noLocks get { -36 } }
private var firstHoldSeconds: Float { @_noLocks get { 4 } }
private var longestHoldSeconds: Float { @_noLocks get { 60 } }
private var releaseSeconds: Float { @_noLocks get { 6 } }
/// For how long clipping without feedback is ignored, in seconds.
private var ignoreSeconds: Float { @_noLocks get { 30 } }

/// Attenuates the output if the input clips for a tenth of a second and no single tone explains it.
@_noLocks
func watchForClipping(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let isClipped = state.pointee.capturePeak >= 0.99 || state.pointee.outputPeak >= 1
  let hops = state.pointee.duck.clippedHops &+ (isClipped ? 1 : -1)
  let enough = state.pointee.hops(0.1)
  state.pointee.duck.clippedHops = min(enough, max(0, hops))
  guard hops >= enough, isClipped, state.pointee.duck.ignoreHops == 0,
    state.pointee.duck.stage != .probing, !isAnyNotchProbing(state)
  else { return }
  state.pointee.duck.clippedHops = 0
  let row = state.pointee.spectrum.fineSpectrum(0)
  let tone = describe(state, row, strongestLine(row))
  if mainLobePower(row, tone.line) > 0.5 * state.pointee.spectrum.total, tone.prominence > 100,
    isSustained(state, tone), !isIgnoredTone(state, tone), notch(state, near: tone.frequencyHz) < 0
  {
    applyNotch(state, tone)
    return
  }
  let total = FastMath.decibels(power: state.pointee.spectrum.total)
  guard total > -60 else { return }
  state.pointee.duck.stage = .probing
  state.pointee.duck.lowHops = 0
  state.pointee.duck.referenceDecibels = total
  state.pointee.duck.hopsLeft = state.pointee.hops(0.75)
  turn(state, to: max(deepestDecibels, state.pointee.duck.decibels + duckDecibels), seconds: 0.005)
}

@_noLocks
private func isAnyNotchProbing(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) -> Bool {
  for index in 0 ..< FeedbackSuppressorState.notchCount
  where state.pointee.notches[index].stage == .probing {
    return true
  }
  return false
}

@_noLocks
private func strongestLine(_ row: UnsafeMutablePointer<Float>) -> Int {
  var best = 2
  for line in 2 ..< FeedbackSpectrum.lineCount &- 14 where row[line] > row[best] { best = line }
  return best
}

/// Too much feedback at once: 6 dB less gain reduces it.
@_noLocks
func increaseDucking(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate
) {
  state.pointee.detectionRate = 3
  state.pointee.duck.referenceDecibels = candidate.decibels
  turn(state, to: max(deepestDecibels, state.pointee.duck.decibels - 6), seconds: 0.01)
  hold(state)
}

@_noLocks
private func hold(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let before = state.pointee.duck
  let isReturn = before.stage == .releasing || before.stage == .holding
  state.pointee.duck.holdHops = min(
    state.pointee.hops(longestHoldSeconds),
    isReturn ? max(1, before.holdHops) &* 2 : state.pointee.hops(firstHoldSeconds))
  state.pointee.duck.stage = .holding
  state.pointee.duck.hopsLeft = state.pointee.duck.holdHops
  state.pointee.report(
    FeedbackEvent(
      action: .ducked, frequencyHz: 0, levelDecibels: before.referenceDecibels - 1.76,
      depthDecibels: -before.decibels, frame: state.pointee.frame))
}

/// Follows the duck through its stages.
@_noLocks
func updateDucking(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  if state.pointee.duck.ignoreHops > 0 { state.pointee.duck.ignoreHops &-= 1 }
  if state.pointee.duck.hopsLeft > 0 { state.pointee.duck.hopsLeft &-= 1 }
  switch state.pointee.duck.stage {
  case .idle: break
  case .probing: evaluateDucking(state)
  case .holding: if state.pointee.duck.hopsLeft == 0 { state.pointee.duck.stage = .releasing }
  case .releasing:
    let hopSeconds = 1 / state.pointee.hopsPerSecond
    let decibels = state.pointee.duck.decibels - duckDecibels / releaseSeconds * hopSeconds
    turn(state, to: min(0, decibels), seconds: hopSeconds)
    if decibels >= 0 { state.pointee.duck.stage = .idle }
  }
}

@_noLocks
private func evaluateDucking(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let total = FastMath.decibels(power: state.pointee.spectrum.total)
  // A pause of a speaker is a fall as well, but the speech continues.
  let isLow = total < state.pointee.duck.referenceDecibels - fallDecibels
  state.pointee.duck.lowHops = isLow ? state.pointee.duck.lowHops &+ 1 : 0
  if state.pointee.duck.lowHops >= state.pointee.hops(0.3) {
    hold(state)
  } else if state.pointee.duck.hopsLeft == 0 {
    state.pointee.duck.stage = .idle
    state.pointee.duck.ignoreHops = state.pointee.hops(ignoreSeconds)
    turn(state, to: 0, seconds: 0.05)
    state.pointee.report(
      FeedbackEvent(
        action: .ignored, frequencyHz: 0,
        levelDecibels: state.pointee.duck.referenceDecibels - 1.76,
        depthDecibels: -duckDecibels, frame: state.pointee.frame))
  }
}

/// Ramps the output's gain linearly.
@_noLocks
private func turn(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, to decibels: Float, seconds: Float
) {
  state.pointee.duck.decibels = decibels
  let target = decibels == 0 ? 1 : FastMath.gain(decibels: decibels)
  state.pointee.duck.target = target
  state.pointee.duck.step =
    (target - state.pointee.duck.gain) / max(1, seconds * state.pointee.sampleRateHz)
}
