// Carrier.swift: the internal carrier. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The pitch of a saw at full level.
private let referenceHz = 110.0

/// The chords that play until a key is pressed, numbered as in the manifest.
enum Chord: Int {
  case one
  case octaves
  case fifths
  case major
  case minor
  case suspended

  static let maximumNoteCount = 4

  /// Semitones above the root.
  @_noLocks
  func semitones(_ note: Int) -> Int? {
    let notes: SIMD4<Int>
    switch self {
    case .one: return note == 0 ? 0 : nil
    case .octaves: notes = SIMD4(0, 12, 24, -1)
    case .fifths: notes = SIMD4(0, 7, 12, 19)
    case .major: notes = SIMD4(0, 7, 12, 16)
    case .minor: notes = SIMD4(0, 7, 12, 15)
    case .suspended: notes = SIMD4(0, 7, 12, 17)
    }
    return notes[note] < 0 ? nil : notes[note]
  }

  /// The number of notes.
  @_noLocks
  func noteCount() -> Int {
    switch self {
    case .one: 1
    case .octaves: 3
    default: 4
    }
  }
}

/// A saw for each side, a little apart.
struct Saws {
  private var phases = SIMD2<Double>(0, 0.5)
  private var increments = SIMD2<Double>(repeating: 0.001)
  private var periods = SIMD2<Double>(repeating: 1_000)  // frames
  private var level: Float = 1

  /// Returns the gain of a note: a high note has its power in fewer harmonics, so it is played softer for the
  /// same power in each band.
  ///
  /// - Parameters:
  ///   - hertz: the mean of both saws.
  ///   - detune: the ratio of the right saw's pitch to the mean.
  ///   - sampleRateHz: above 0.
  @_noLocks
  mutating func set(_ hertz: Double, detune: Double, sampleRateHz: Double) {
    let turns = hertz / sampleRateHz
    increments = SIMD2(min(turns / detune, 0.45), min(turns * detune, 0.45))
    periods = 1 / increments
    level = Float(realtime_sqrt(referenceHz / hertz))
  }

  @_noLocks
  @inline(__always)
  mutating func next() -> SIMD2<Float> {
    let sound = SIMD2(
      Float(BandLimited.saw(phases.x, periods.x)), Float(BandLimited.saw(phases.y, periods.y)))
    phases += increments
    phases.replace(with: phases - 1, where: phases .>= 1)
    return sound * level
  }
}

/// The tuning of the keys' saws, for a stretch.
struct Tuning {
  var detune = 1.0  // ratio of the right saw to the mean
  var bendSemitones: Float = 2
  var envelope: EnvelopeSettings
  let sampleRateHz: Double

  init(sampleRateHz: Double) {
    envelope = EnvelopeSettings(
      attack: 8, decay: 1, sustain: 1, release: 60, sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

/// A key's two saws.
struct CarrierVoice: SynthVoice {
  var note = NoteID()
  private(set) var isNew = false
  private var envelope = Envelope()
  private var saws = Saws()

  @_noLocks
  init(index: Int, of count: Int) {}

  @_noLocks
  func isReleased() -> Bool { envelope.isReleased }

  @_noLocks
  func loudness() -> Double { envelope.level }

  @_noLocks
  mutating func begin(_ stroke: NoteOn) {
    isNew = true
    if note.isFree { envelope.clear() }
    envelope.begin()
  }

  @_noLocks
  mutating func noteOff() { envelope.noteOff() }

  /// Sets the pitch for the stretch to come.
  @_noLocks
  mutating func prepare(_ tuning: Tuning, _ controller: ChannelControllers) {
    isNew = false
    let semitones = Double(note.key - 69) + Double(controller.bend * tuning.bendSemitones)
    let hertz = 440 * realtime_pow(2, semitones / 12)
    saws.set(hertz, detune: tuning.detune, sampleRateHz: tuning.sampleRateHz)
  }

  /// Becomes free when it is inaudible.
  @_noLocks
  mutating func rest() { if envelope.level == 0, isReleased() { note.isFree = true } }

  @_noLocks
  mutating func render(
    _ tuning: Tuning, to sum: UnsafeMutablePointer<SIMD2<Float>>, frameCount: Int
  ) {
    var voice = self
    for frame in 0 ..< frameCount {
      sum[frame] += voice.saws.next() * Float(voice.envelope.next(tuning.envelope))
    }
    self = voice
  }
}

/// Noise whose spectrum falls as that of a saw of full level at 110 Hz, so that it can replace the saw.
struct Hiss {
  private static let cutoffHz = 50.0
  private var generator = RandomGenerator(seed: 7)
  private var memory = SIMD2<Float>.zero
  private let coefficient: Float
  private let gain: Float

  init(sampleRateHz: Double) {
    coefficient = OnePole.coefficient(cutoffHz: Self.cutoffHz, sampleRateHz: sampleRateHz)
    // A saw's power at f is 2 * 110 / (pi f)² for each Hz, the noise's 2 / (3 rate) * (cutoff / f)².
    gain = Float(realtime_sqrt(3 * referenceHz * sampleRateHz) / (Double.pi * Self.cutoffHz))
  }

  @_noLocks
  mutating func clear() {
    generator = RandomGenerator(seed: 7)
    memory = .zero
  }

  @_noLocks
  @inline(__always)
  mutating func next() -> SIMD2<Float> {
    let white = SIMD2(generator.next(), generator.next())
    memory += coefficient * (white - memory)
    return memory * gain
  }
}
