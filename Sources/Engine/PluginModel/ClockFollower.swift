// ClockFollower.swift: a transport that follows an external clock. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import Synchronization

/// The external clock that a transport follows, and how far it has followed.
struct ClockFollower: BitwiseCopyable {
  /// The store in which the clock publishes its readings.
  let store: UnsafePointer<ClockReadingStore>
  /// The time from a reading until the frame at which it takes effect, in ns; the complement of a negative one.
  let delayNanoseconds: UInt64
  /// The reading that the transport follows.
  var reading = ClockReading()
  /// The last tempo that was used, in beats per minute.
  var tempo = 0.0
  /// Whether the transport runs faster or slower to remove a difference of phase.
  var isCorrecting = false
  /// The difference of phase when the tempo was changed last, in seconds.
  var correctedError = 0.0

  /// The tempos of `TransportSettings.temposBPM`.
  static var minimumTempo: Double { @_noLocks get { 1 } }
  static var maximumTempo: Double { @_noLocks get { 999 } }
  /// A larger difference is a jump, in seconds.
  static var jumpSeconds: Double { @_noLocks get { 0.02 } }
  /// A larger difference is corrected, in seconds.
  static var correctedSeconds: Double { @_noLocks get { 0.000_15 } }
  /// A smaller difference ends a correction, in seconds.
  static var alignedSeconds: Double { @_noLocks get { 0.000_02 } }
  /// A larger difference is removed fast, as after a start with an unknown tempo, in seconds.
  static var fastSeconds: Double { @_noLocks get { 0.000_5 } }
  /// The times in which a difference would be removed at the first speed, in seconds.
  static var correctionSeconds: Double { @_noLocks get { 2 } }
  static var fastCorrectionSeconds: Double { @_noLocks get { 0.5 } }
  /// The smallest difference of tempo that is followed, as a fraction.
  static var tempoTolerance: Double { @_noLocks get { 0.000_15 } }
  /// The shortest time between changes of the tempo, in seconds, because plugins get a message for each.
  static var changeSeconds: Double { @_noLocks get { 0.1 } }
}

extension Transport {
  /// Follows an external clock, or none. [main, not rendering]
  ///
  /// - Parameters:
  ///   - clock: the clock, which must live as long as blocks are rendered.
  ///   - delayFrames: the frames from a reading until it takes effect; negative to render ahead of the clock.
  package func follow(_ clock: PublishedClock?, delayFrames: Int) {
    let rate = pointer.pointee.position.framesPerSecond
    pointer.pointee.follower = clock.map {
      ClockFollower(
        store: UnsafePointer($0.pointer),
        delayNanoseconds: UInt64(
          bitPattern: Int64((Double(delayFrames) * 1e9 / rate).rounded())))
    }
  }
}

/// Brings a transport to the position of its clock at the first frame of a block. [render]
///
/// A start takes effect in the block in which it falls: the position is negative until that frame. A stop takes effect in the
/// next block. Otherwise beats are continuous: a difference of phase is removed slowly.
@_noLocks
func followClock(_ state: UnsafeMutablePointer<TransportState>, _ frameCount: Int) {
  guard var follower = state.pointee.follower, let blockTime = state.pointee.blockTime,
    let next = follower.store.pointee.read()
  else { return }
  let start = blockTime.start.pointee &- follower.delayNanoseconds
  let rate = state.pointee.position.framesPerSecond
  var isChanged = false
  if next.changeCount == follower.reading.changeCount {
    follower.reading = next
  } else {
    let offset = Double(Int64(bitPattern: next.changeTime &- start)) * rate / 1e9
    isChanged = next.isRolling ? offset < Double(frameCount) : offset <= 0
    if isChanged { follower.reading = next }
  }
  let beatsPerQuarter = Double(state.pointee.position.beatUnit) / 4
  let tempo = follower.reading.quartersPerMinute * beatsPerQuarter
  if tempo >= ClockFollower.minimumTempo, tempo <= ClockFollower.maximumTempo {
    let quarters =
      follower.reading.isRolling ? follower.reading.quarters(at: start) : follower.reading.quarters
    if isChanged {
      jump(state, &follower, to: quarters * beatsPerQuarter, tempo)
    } else {
      steer(state, &follower, to: quarters * beatsPerQuarter, tempo)
    }
  }
  state.pointee.follower = follower
}

/// Starts, stops or jumps.
@_noLocks
private func jump(
  _ state: UnsafeMutablePointer<TransportState>, _ follower: inout ClockFollower, to beat: Double,
  _ tempo: Double
) {
  let isRolling = follower.reading.isRolling
  let frame = beat * 60 * state.pointee.position.framesPerSecond / tempo
  state.pointee.position.frame = Int64(frame < 0 ? frame - 0.5 : frame + 0.5)
  state.pointee.position.speed = isRolling ? 1 : 0
  state.pointee.isRolling.store(isRolling, ordering: .relaxed)
  follower.isCorrecting = false
  setTempo(state, &follower, tempo, rate: tempo, at: beat)
}

/// Takes over the tempo, and removes the difference to a beat.
@_noLocks
private func steer(
  _ state: UnsafeMutablePointer<TransportState>, _ follower: inout ClockFollower, to target: Double,
  _ tempo: Double
) {
  let position = state.pointee.position
  let beat = state.pointee.beat(ofFrame: position.frame)
  // Before the first start the position of the clock is unknown, and only its tempo counts.
  let isAligned = position.speed > 0 && follower.reading.isRolling
  let error = isAligned ? (target - beat) * 60 / tempo : 0
  if abs(error) > ClockFollower.jumpSeconds {
    jump(state, &follower, to: target, tempo)
    return
  }
  let sinceChange = Double(position.frame &- state.pointee.anchorFrame) / position.framesPerSecond
  guard position.speed == 0 || sinceChange >= ClockFollower.changeSeconds || follower.tempo == 0
  else { return }
  let isNew = abs(tempo - follower.tempo) > ClockFollower.tempoTolerance * tempo
  guard isNew || needsCorrection(follower, error) else { return }
  follower.isCorrecting = abs(error) >= ClockFollower.alignedSeconds
  follower.correctedError = error
  let seconds =
    abs(error) > ClockFollower.fastSeconds
    ? ClockFollower.fastCorrectionSeconds : ClockFollower.correctionSeconds
  let correction = follower.isCorrecting ? error / seconds : 0
  setTempo(state, &follower, tempo, rate: tempo * (1 + correction), at: beat)
}

/// Whether a correction begins, or must be computed again: each time that the difference is halved, it becomes slower.
@_noLocks
private func needsCorrection(_ follower: ClockFollower, _ error: Double) -> Bool {
  guard follower.isCorrecting else { return abs(error) > ClockFollower.correctedSeconds }
  let before = follower.correctedError
  return error * before <= 0 || abs(error) < abs(before) / 2 || abs(error) > abs(before) * 2
}

@_noLocks
private func setTempo(
  _ state: UnsafeMutablePointer<TransportState>, _ follower: inout ClockFollower, _ tempo: Double,
  rate: Double, at beat: Double
) {
  follower.tempo = tempo
  state.pointee.tempoBits.store(tempo.bitPattern, ordering: .relaxed)
  state.pointee.position.beatsPerMinute = rate
  state.pointee.anchorFrame = state.pointee.position.frame
  state.pointee.anchorBeat = beat
  state.pointee.position.changeCount &+= 1
}
