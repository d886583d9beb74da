// Voice.swift: two oscillators, a filter and two envelopes for one key. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Frames between two updates of pitch and filter; the filter is interpolated linearly.
let stretch = 16

/// The waveforms, numbered as in the manifest.
enum Waveform: Int {
  case saw
  case square
  case triangle
  case sine

  @_noLocks
  @inline(__always)
  func sound(_ phase: Double, _ period: Double, width: Double) -> Double {
    switch self {
    case .saw: BandLimited.saw(phase, period)
    // Without the direct current of an uneven square.
    case .square: BandLimited.square(phase, period, width: width) - (2 * width - 1)
    case .triangle: BandLimited.triangle(phase, period)
    case .sine: Sine.ofTurns(phase)
    }
  }
}

/// The filter's outputs, numbered as in the manifest.
enum FilterMode: Int {
  case low12
  case low24
  case band
  case high
}

/// The values that all voices share, for one stretch.
struct Patch {
  var first = Waveform.saw
  var second = Waveform.saw
  var secondRatio = 1.0  // of the second oscillator's frequency
  var mode = FilterMode.low24
  var cutoffOctaves: Float = 10  // above 1 Hz
  var resonance: Float = 0  // 0 to 1
  var keyFollow: Float = 0  // octaves for each octave
  var filterEnvelope: Float = 0  // octaves
  var filterVelocity: Float = 0  // octaves
  var vibrato: Float = 0  // semitones, now
  var wheelVibrato: Float = 0  // semitones with the wheel up, now
  var filterModulation: Float = 0  // octaves, now
  var bendSemitones: Float = 2
  var glide = 0.0  // the remaining distance of a pitch glide after a stretch
  var spread: Float = 0  // 0 to 1
  var loudness: EnvelopeSettings
  var brightness: EnvelopeSettings
  let peakShare: Float  // of the remaining change of a stolen note's level
  let sampleRateHz: Double
}

/// The values that change within a stretch: levels of both oscillators and of noise, and the square's width.
typealias Blend = SIMD4<Float>

/// One voice.
struct Voice: SynthVoice {
  var note = NoteID()
  private var velocity: Float = 0  // 0 to 1
  private var peak: Float = 0  // of the envelope
  private var semitones = 0.0  // from A4, gliding to the key
  // Running state.
  /// Whether pitch and filter must be set before its next frame.
  private(set) var isNew = false
  private var isFromSilence = false
  private var envelope = Envelope()
  private var brightness = Envelope()
  private var firstPhase = 0.0
  private var secondPhase = 0.0
  private var firstIncrement = 0.01
  private var secondIncrement = 0.01
  private var firstPeriod = 100.0  // frames
  private var secondPeriod = 100.0
  private var noise: RandomGenerator
  private var g = 0.1  // tangent of half the cutoff
  private var gStep = 0.0
  // Reciprocals of the resonances, of the one filter and of the other before it.
  private var k = SIMD2<Double>(1.4, 1.847_8)
  private var s1 = SIMD2<Double>.zero  // of the one filter, and of the other before it
  private var s2 = SIMD2<Double>.zero
  private var amplitude: Float = 0  // follows `peak`, for a stolen voice keeps its own
  private var sides = SIMD2<Float>(1, 1)
  private let pan: Float  // pan position: -1, left, to 1, right

  @_noLocks
  init(index: Int, of count: Int) {
    noise = RandomGenerator(seed: UInt64(index) + 1)
    let sign: Float = index % 2 == 0 ? -1 : 1
    pan = sign * Float(index / 2 + 1) / Float(count / 2)
  }

  /// Starts a note.
  ///
  /// A playing voice continues: neither its waveform nor its level jumps.
  @_noLocks
  mutating func begin(_ stroke: NoteOn) {
    if note.isFree {
      firstPhase = 0
      secondPhase = 0
      s1 = .zero
      s2 = .zero
      envelope.clear()
      brightness.clear()
      amplitude = stroke.level
    }
    isNew = true
    isFromSilence = isFromSilence || note.isFree
    semitones = Double((stroke.previousKey ?? stroke.key) - 69)
    velocity = stroke.velocity
    peak = stroke.level
    envelope.begin()
    brightness.begin()
  }

  /// Begins to end.
  @_noLocks
  mutating func noteOff() {
    envelope.noteOff()
    brightness.noteOff()
  }

  @_noLocks
  func isReleased() -> Bool { envelope.isReleased }

  @_noLocks
  func loudness() -> Double { envelope.level }

  /// Sets pitch and filter for the stretch to come. [render]
  @_noLocks
  mutating func prepare(_ patch: Patch, _ controller: ChannelControllers) {
    let wanted = Double(note.key - 69)
    semitones = wanted + (semitones - wanted) * patch.glide
    let sway = Double(
      controller.bend * patch.bendSemitones + patch.vibrato
        + controller.wheel * patch.wheelVibrato)
    let hertz = 440 * realtime_pow(2, (semitones + sway) / 12)
    firstIncrement = min(hertz / patch.sampleRateHz, 0.45)
    secondIncrement = min(hertz * patch.secondRatio / patch.sampleRateHz, 0.45)
    firstPeriod = 1 / firstIncrement
    secondPeriod = 1 / secondIncrement

    let octaves =
      patch.cutoffOctaves + patch.keyFollow * Float(semitones + 9) / 12
      + patch.filterEnvelope * Float(brightness.level) + patch.filterVelocity * (velocity - 1)
      + patch.filterModulation
    let turn = min(realtime_pow(2, Double(octaves)) / patch.sampleRateHz, 0.45)
    let target = realtime_tan(Double.pi * max(turn, 1e-5))
    if isFromSilence { g = target }
    isFromSilence = false
    isNew = false
    gStep = (target - g) / Double(stretch)
    // Butterworth's, of the second or the fourth order, down to a resonance of 26 dB.
    let open: Double = if case .low24 = patch.mode { 0.765_4 } else { 1.414_2 }
    k.x = open + (0.05 - open) * Double(patch.resonance)
    let side = pan * patch.spread
    sides = SIMD2(1 - max(side, 0), 1 + min(side, 0))
  }

  /// Adds some frames of one stretch. [render]
  @_noLocks
  mutating func render(
    _ patch: Patch, _ blends: UnsafePointer<Blend>, to sum: UnsafeMutablePointer<SIMD2<Float>>,
    frameCount: Int
  ) {
    var voice = self
    for frame in 0 ..< frameCount {
      let blend = blends[frame]
      let width = Double(blend.w)
      var sound =
        patch.first.sound(voice.firstPhase, voice.firstPeriod, width: width) * Double(blend.x)
      sound +=
        patch.second.sound(voice.secondPhase, voice.secondPeriod, width: width)
        * Double(blend.y)
      if blend.z > 0 { sound += Double(voice.noise.next() * blend.z) }
      voice.advance()
      let filtered = voice.filter(sound, patch.mode)
      voice.amplitude += (voice.peak - voice.amplitude) * patch.peakShare
      _ = voice.brightness.next(patch.brightness)
      let level = voice.envelope.next(patch.loudness) * Double(voice.amplitude)
      sum[frame] += voice.sides * Float(filtered * level)
    }
    self = voice
  }

  /// Becomes free when it is inaudible. [render]
  @_noLocks
  mutating func rest() {
    if envelope.level == 0, isReleased() { note.isFree = true }
  }

  @_noLocks
  @inline(__always)
  private mutating func advance() {
    firstPhase += firstIncrement
    if firstPhase >= 1 { firstPhase -= 1 }
    secondPhase += secondIncrement
    if secondPhase >= 1 { secondPhase -= 1 }
  }

  /// Trapezoidal state-variable filters (Zavalishin, 2012), stable under any modulation.
  @_noLocks
  @inline(__always)
  private mutating func filter(_ x: Double, _ mode: FilterMode) -> Double {
    g += gStep
    let damping = k + g
    let a1 = 1 / (1 + damping * g)
    var sound = x
    if case .low24 = mode {
      let high = (x - s1.y * damping.y - s2.y) * a1.y
      let band = high * g + s1.y
      sound = band * g + s2.y
      s1.y = band + high * g
      s2.y = sound + band * g
    }
    let high = (sound - s1.x * damping.x - s2.x) * a1.x
    let band = high * g + s1.x
    let low = band * g + s2.x
    s1.x = band + high * g
    s2.x = low + band * g
    switch mode {
    case .low12, .low24: return low
    case .band: return band * k.x
    case .high: return high
    }
  }
}
