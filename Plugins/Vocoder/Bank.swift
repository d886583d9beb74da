// Bank.swift: the voice's bands on the carrier's. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Frames between two updates of slow values, and the longest run.
let stretch = 16

/// The speed of envelopes: the fraction of the remaining change per frame.
struct EnvelopeCoefficients {
  var attack: Float = 1
  var release: Float = 1
}

/// The audio of a stretch, two channels each.
struct Run {
  let voice: UnsafeMutablePointer<SIMD2<Float>>
  let carrier: UnsafeMutablePointer<SIMD2<Float>>
  let highs: UnsafeMutablePointer<SIMD2<Float>>  // of the voice
  let output: UnsafeMutablePointer<SIMD2<Float>>
  // While the bank is at work: the envelopes of four bands, and the sums of every fourth band.
  fileprivate let envelopes: UnsafeMutablePointer<Pair>
  fileprivate let sums: UnsafeMutablePointer<Pair>

  /// Allocates all memory. [main]
  init() {
    voice = .allocate(capacity: stretch)
    carrier = .allocate(capacity: stretch)
    highs = .allocate(capacity: stretch)
    output = .allocate(capacity: stretch)
    envelopes = .allocate(capacity: stretch)
    sums = .allocate(capacity: stretch)
  }

  /// Frees the memory. [main]
  func free() {
    voice.deallocate()
    carrier.deallocate()
    highs.deallocate()
    output.deallocate()
    envelopes.deallocate()
    sums.deallocate()
  }
}

/// Four numbers for each side.
private struct Pair {
  var left = SIMD4<Float>.zero
  var right = SIMD4<Float>.zero
}

/// All bands, in groups of four.
struct Bank {
  static let maximumBandCount = 40
  private let groups: UnsafeMutablePointer<Group>
  private var groupCount = 1

  /// Allocates all memory. [main]
  init() {
    groups = .allocate(capacity: Self.maximumBandCount / 4)
    groups.initialize(repeating: Group(), count: Self.maximumBandCount / 4)
  }

  /// Frees the memory. [main]
  func free() { groups.deallocate() }

  /// Clears the signal state. [render]
  @_noLocks
  func clear() { for index in 0 ..< Self.maximumBandCount / 4 { groups[index].clear() } }

  /// Redesigns all filters; their state is kept. [render]
  ///
  /// - Parameters:
  ///   - layout: the frequencies of the bands.
  ///   - tilt: dB per octave, around 500 Hz.
  ///   - sampleRateHz: above 0.
  @_noLocks
  mutating func design(_ layout: Layout, tilt: Float, sampleRateHz: Double) {
    groupCount = (layout.count + 3) / 4
    for band in 0 ..< 4 * groupCount {
      let (index, lane) = (band / 4, band % 4)
      guard band < layout.count else {
        groups[index].gain[lane] = 0
        continue
      }
      let voice = BandDesign(
        fromHz: layout.edgeHz(band, shift: 0), toHz: layout.edgeHz(band + 1, shift: 0),
        sampleRateHz: sampleRateHz)
      let carrier = BandDesign(
        fromHz: layout.edgeHz(band, shift: layout.shift),
        toHz: layout.edgeHz(band + 1, shift: layout.shift), sampleRateHz: sampleRateHz)
      for section in 0 ..< sectionCount {
        groups[index].set(section, lane, voice: voice, carrier: carrier)
      }
      // 500 Hz is 8.966 octaves above 1 Hz.
      let octaves = layout.lowOctaves + layout.octaves * (Float(band) + 0.5) - 8.966
      let tilted = Decibels.amplitude(tilt * octaves)
      groups[index].gain[lane] = voice.gain * carrier.gain * tilted * Self.makeUp(layout.octaves)
    }
  }

  /// Returns the gain that makes a voice on a full-level saw at 110 Hz as loud as before.
  ///
  /// The saw's power in a band at 500 Hz is 0.0309 per octave, and should be one half; but the voice has
  /// beating harmonics, whose peaks the envelopes follow.
  @_noLocks
  private static func makeUp(_ octaves: Float) -> Float {
    Float(realtime_sqrt(0.25 / (0.0309 * Double(octaves))))
  }

  /// Puts the envelopes of `run.voice` on `run.carrier`. [render]
  @_noLocks
  func render(_ run: Run, _ coefficients: EnvelopeCoefficients, frameCount: Int) {
    for frame in 0 ..< frameCount { run.sums[frame] = Pair() }
    for index in 0 ..< groupCount {
      groups[index].follow(run, coefficients, frameCount: frameCount)
      groups[index].play(run, frameCount: frameCount)
    }
    for frame in 0 ..< frameCount {
      let sum = run.sums[frame]
      run.output[frame] = SIMD2(UnalignedSIMD.sum(sum.left), UnalignedSIMD.sum(sum.right))
    }
  }

  /// Clears state that is too small to be audible, so that silence ends in silence. [render]
  @_noLocks
  func rest() { for index in 0 ..< groupCount { groups[index].rest() } }
}

// MARK: - Four bands

/// The sections of one signal, for both sides.
private struct Chain {
  var sections = (Section(), Section(), Section(), Section())
  var left = (SectionState(), SectionState(), SectionState(), SectionState())
  var right = (SectionState(), SectionState(), SectionState(), SectionState())

  @_noLocks
  mutating func clear() {
    left = (SectionState(), SectionState(), SectionState(), SectionState())
    right = left
  }

  @_noLocks
  mutating func rest() {
    Self.rest(&left)
    Self.rest(&right)
  }

  @_noLocks
  private static func rest(
    _ states: inout (SectionState, SectionState, SectionState, SectionState)
  ) {
    rest(&states.0)
    rest(&states.1)
    rest(&states.2)
    rest(&states.3)
  }

  @_noLocks
  private static func rest(_ state: inout SectionState) {
    state.band = SampleGuard.flushed(state.band)
    state.low = SampleGuard.flushed(state.low)
  }

  @_noLocks
  @inline(__always)
  func step(
    _ sample: Float, _ states: inout (SectionState, SectionState, SectionState, SectionState)
  ) -> SIMD4<Float> {
    var sound = sections.0.step(SIMD4(repeating: sample), &states.0)
    sound = sections.1.step(sound, &states.1)
    sound = sections.2.step(sound, &states.2)
    return sections.3.step(sound, &states.3)
  }
}

private struct Group {
  var gain = SIMD4<Float>.zero
  private var voice = Chain()
  private var carrier = Chain()
  private var envelope = Pair()

  @_noLocks
  mutating func clear() {
    voice.clear()
    carrier.clear()
    envelope = Pair()
  }

  @_noLocks
  mutating func rest() {
    voice.rest()
    carrier.rest()
    envelope.left = Self.rested(envelope.left)
    envelope.right = Self.rested(envelope.right)
  }

  /// An envelope ends at -160 dB.
  @_noLocks
  private static func rested(_ envelope: SIMD4<Float>) -> SIMD4<Float> {
    SIMD4<Float>.zero.replacing(with: envelope, where: envelope .> 1e-8)
  }

  @_noLocks
  mutating func set(_ section: Int, _ lane: Int, voice: BandDesign, carrier: BandDesign) {
    Self.set(&self.voice, section, lane, voice)
    Self.set(&self.carrier, section, lane, carrier)
  }

  @_noLocks
  private static func set(_ chain: inout Chain, _ section: Int, _ lane: Int, _ band: BandDesign) {
    @_noLocks
    func set(_ target: inout Section) {
      target.a1[lane] = band.a1[section]
      target.a2[lane] = band.a2[section]
      target.double[lane] = band.double[section]
    }
    switch section {
    case 0: set(&chain.sections.0)
    case 1: set(&chain.sections.1)
    case 2: set(&chain.sections.2)
    default: set(&chain.sections.3)
    }
  }

  /// The envelopes of the voice in four bands.
  @_noLocks
  mutating func follow(_ run: Run, _ coefficients: EnvelopeCoefficients, frameCount: Int) {
    let gain = self.gain
    var (chain, envelope) = (voice, self.envelope)
    var (left, right) = (chain.left, chain.right)
    for frame in 0 ..< frameCount {
      let sample = run.voice[frame]
      let bands = Pair(left: chain.step(sample.x, &left), right: chain.step(sample.y, &right))
      let lefts = chain.sections.3.size(bands.left, left.3)
      let rights = chain.sections.3.size(bands.right, right.3)
      Self.follow(&envelope.left, gain * lefts, coefficients)
      Self.follow(&envelope.right, gain * rights, coefficients)
      run.envelopes[frame] = envelope
    }
    chain.left = left
    chain.right = right
    (voice, self.envelope) = (chain, envelope)
  }

  @_noLocks
  @inline(__always)
  private static func follow(
    _ envelope: inout SIMD4<Float>, _ level: SIMD4<Float>, _ coefficients: EnvelopeCoefficients
  ) {
    let difference = level - envelope
    let coefficient = SIMD4(repeating: coefficients.release)
      .replacing(with: SIMD4(repeating: coefficients.attack), where: difference .> 0)
    envelope += coefficient * difference
  }

  /// Adds the carrier's four bands under those envelopes.
  @_noLocks
  mutating func play(_ run: Run, frameCount: Int) {
    var chain = carrier
    var (left, right) = (chain.left, chain.right)
    for frame in 0 ..< frameCount {
      let sample = run.carrier[frame]
      run.sums[frame].left += chain.step(sample.x, &left) * run.envelopes[frame].left
      run.sums[frame].right += chain.step(sample.y, &right) * run.envelopes[frame].right
    }
    chain.left = left
    chain.right = right
    carrier = chain
  }
}
