// Vocoder.swift: a channel vocoder with an internal carrier. SPDX-License-Identifier: MIT
//
// The voice is split into bands (BandDesign.swift), and the level of each is applied to the same band of a
// carrier (Bank.swift): the side chain, noise, or saws that are played by MIDI (Carrier.swift).

import ModuleABI
import ModuleKit

typealias Exported = Vocoder

// MARK: - Constants

private let smoothingSeconds: Float = 0.02
// New bands settle before they are faded in.
private let settlingSeconds = 0.02
private let fadeSeconds = 0.04

// MARK: - State

/// The state of an instance.
struct Vocoder: AudioModule {
  // Parameters with their ramps; the first group advances every frame, the other every stretch.
  var inside: Smoother  // how much of the saws, 0 to 1
  var noise: Smoother  // how much of the noise, 0 to 1
  var outside: Smoother  // how much of the side chain, 0 to 1
  var drone: Smoother  // how much of the chord, 0 to 1
  var hiss: Smoother  // 0 to 1
  var highs: Smoother  // 0 to 1
  var mix: MixControl
  var level: Smoother  // ratio
  var pitch: Smoother  // octaves above 1 Hz
  var low: Float = 0  // octaves above 1 Hz
  var high: Float = 0  // octaves above 1 Hz
  var shift: Float = 0  // octaves
  var tilt: Smoother  // dB for each octave
  var envelopeCoefficients = EnvelopeCoefficients()
  var chord = Chord.major
  var bandCount = 16
  // Running state.
  var layout = Layout()
  var bank = Bank()
  var oldBank = Bank()  // sounds while the bands change
  var change = 0  // frames until the end of the crossfade to new bands
  var sibilance: SibilanceDetector
  var keyboard = VoiceAllocator<CarrierVoice>(voiceCount: 8)
  var tuning: Tuning
  let chordSaws: UnsafeMutablePointer<Saws>
  var hissSource: Hiss
  let run = Run()
  let oldOutput: UnsafeMutablePointer<SIMD2<Float>>  // of the old bands, a run
  var frame = 0  // within the stretch
  var hasSaws = false  // whether saws are audible in this stretch
  var needsReset = true  // no block since create or reset
  let fadeLength: Int  // frames
  let changeLength: Int  // frames
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    func smoother(_ rateHz: Double, _ seconds: Float) -> Smoother {
      Smoother(0, timeConstantSeconds: seconds, sampleRateHz: Float(rateHz))
    }
    inside = smoother(sampleRateHz, smoothingSeconds)
    noise = inside
    outside = inside
    drone = inside
    hiss = inside
    highs = inside
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    level = inside
    pitch = smoother(sampleRateHz / Double(stretch), smoothingSeconds)
    tilt = pitch
    sibilance = SibilanceDetector(sampleRateHz: sampleRateHz)
    tuning = Tuning(sampleRateHz: sampleRateHz)
    chordSaws = .allocate(capacity: Chord.maximumNoteCount)
    chordSaws.initialize(repeating: Saws(), count: Chord.maximumNoteCount)
    hissSource = Hiss(sampleRateHz: sampleRateHz)
    oldOutput = .allocate(capacity: stretch)
    fadeLength = max(1, Int(fadeSeconds * sampleRateHz))
    changeLength = fadeLength + Int(settlingSeconds * sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Vocoder {
  /// Frees the memory. [main]
  func free() {
    bank.free()
    oldBank.free()
    oldOutput.deallocate()
    keyboard.free()
    run.free()
    chordSaws.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    bank.clear()
    oldBank.clear()
    change = 0
    keyboard.clear()
    sibilance.clear()
    hissSource.clear()
    for note in 0 ..< Chord.maximumNoteCount { chordSaws[note] = Saws() }
    frame = 0
    needsReset = true
  }

  /// Takes a message for the next block. [render]
  @_noLocks
  mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    keyboard.take(frame: frame, bytes, byteCount: byteCount)
  }
}

// MARK: - Each stretch

/// Sets the values that are constant for a stretch: filters, and the pitches of the saws.
@_noLocks
private func startStretch(_ state: inout Vocoder) {
  state.bank.rest()
  if state.change > 0 { state.oldBank.rest() }
  state.sibilance.rest()
  let wasTilt = state.tilt.value
  let wanted = Layout(
    lowOctaves: state.low, highOctaves: state.high, shift: state.shift, count: state.bandCount)
  let tilt = state.tilt.next()
  let isNew = state.needsReset || (wanted != state.layout && state.change == 0)
  if isNew { changeBands(&state, to: wanted) }
  if isNew || tilt != wasTilt {
    state.bank.design(state.layout, tilt: tilt, sampleRateHz: state.sampleRateHz)
  }
  state.needsReset = false
  state.hasSaws = state.inside.value != 0 || state.inside.isMoving
  let root = realtime_pow(2, Double(state.pitch.next()))
  for note in 0 ..< Chord.maximumNoteCount {
    let semitones = Double(state.chord.semitones(note) ?? 0)
    state.chordSaws[note].set(
      root * realtime_pow(2, semitones / 12), detune: state.tuning.detune,
      sampleRateHz: state.sampleRateHz)
  }
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].rest()
    state.keyboard.voices[index].prepare(state.tuning, state.keyboard.controller(of: index))
  }
}

/// Changes the bands: both sets run until the new ones have faded in.
///
/// Filters this steep cannot be modulated: their state would cause bursts, up to 100 dB above the signal.
@_noLocks
private func changeBands(_ state: inout Vocoder, to wanted: Layout) {
  state.layout = wanted
  guard !state.needsReset else { return }
  (state.bank, state.oldBank) = (state.oldBank, state.bank)
  state.bank.clear()
  state.change = state.changeLength
}

/// Renders the bands for some frames, into the run's output.
@_noLocks
private func renderBands(_ state: inout Vocoder, frameCount: Int) {
  guard state.change > 0 else {
    return state.bank.render(state.run, state.envelopeCoefficients, frameCount: frameCount)
  }
  let (output, old) = (state.run.output, state.oldOutput)
  state.oldBank.render(state.run, state.envelopeCoefficients, frameCount: frameCount)
  for frame in 0 ..< frameCount { old[frame] = output[frame] }
  state.bank.render(state.run, state.envelopeCoefficients, frameCount: frameCount)
  for frame in 0 ..< frameCount {
    // The old bands' share, along half a cosine.
    let progress = min(Double(state.change) / Double(state.fadeLength), 1)
    let fraction = Float(0.5 - 0.5 * Sine.ofTurns(0.25 + 0.5 * progress))
    output[frame] += (old[frame] - output[frame]) * fraction
    state.change = max(0, state.change - 1)
  }
}

// MARK: - Rendering

/// Sets the pitches of the keys that have just been struck.
@_noLocks
private func startNew(_ state: borrowing Vocoder) {
  for index in 0 ..< state.keyboard.voiceCount where state.keyboard.voices[index].isNew {
    state.keyboard.voices[index].prepare(state.tuning, state.keyboard.controller(of: index))
  }
}

/// The saws of some frames, into the run's carrier.
@_noLocks
private func renderSaws(_ state: inout Vocoder, frameCount: Int) {
  let carrier = state.run.carrier
  for frame in 0 ..< frameCount { carrier[frame] = .zero }
  guard state.hasSaws else { return }
  state.drone.move(to: state.keyboard.noteCount == 0 ? 1 : 0)
  if state.drone.value > 0 {
    let noteCount = state.chord.noteCount()
    // As loud as one note, for any chord.
    let fraction = 1 / Float(realtime_sqrt(Double(noteCount)))
    for frame in 0 ..< frameCount {
      var sum = SIMD2<Float>.zero
      for note in 0 ..< noteCount { sum += state.chordSaws[note].next() }
      carrier[frame] = sum * (state.drone.next() * fraction)
    }
  }
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].render(state.tuning, to: carrier, frameCount: frameCount)
  }
}

/// Prepares the voice and the carrier.
@_noLocks
private func gather(
  _ state: inout Vocoder, _ inputs: UnsafePointer<UnsafePointer<Float>>, from first: Int,
  frameCount: Int
) {
  let run = state.run
  for frame in 0 ..< frameCount {
    let voice = SIMD2(
      SampleGuard.sanitizedInput(inputs[0][first + frame]),
      SampleGuard.sanitizedInput(inputs[1][first + frame])
    )
    let sidechain = SIMD2(
      SampleGuard.sanitizedInput(inputs[2][first + frame]),
      SampleGuard.sanitizedInput(inputs[3][first + frame])
    )
    let noise = state.hissSource.next()
    var carrier = run.carrier[frame] * state.inside.next()
    carrier += noise * state.noise.next()
    carrier += sidechain * state.outside.next()
    // An s has no pitch: it is spoken by the noise.
    let buzz = state.sibilance.next(voice) * state.hiss.next()
    run.carrier[frame] = carrier + (noise - carrier) * buzz
    run.voice[frame] = voice
    run.highs[frame] = state.sibilance.highs
  }
}

extension Vocoder {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    let end = block.frameCount
    var done = 0
    while done < end {
      let next = state.keyboard.processMessages(upTo: done, end: end)
      if state.frame == 0 { startStretch(&state) }
      startNew(state)
      let count = min(stretch - state.frame, next - done)
      renderSaws(&state, frameCount: count)
      gather(&state, block.inputs, from: done, frameCount: count)
      renderBands(&state, frameCount: count)
      for frame in 0 ..< count {
        let dry = stereo.input(at: done + frame)
        var wet = state.run.output[frame]
        wet += state.run.highs[frame] * state.highs.next()
        let mix = state.mix.next()
        let loud = wet * state.level.next()
        stereo.output(dry: dry, wet: loud, gains: mix, at: done + frame)
      }
      done += count
      state.frame = (state.frame + count) % stretch
    }
    state.keyboard.endBlock()
    self = state
  }
}
