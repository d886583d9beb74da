// LevelConventionTests.swift: the levels in docs/reference/modules.md, for all modules and presets. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

/// The loudness of test signals for effects, and of a triad on an instrument, in LUFS.
private let nominalLoudness = -23.0

/// Presets, or whole modules, whose purpose is another level, with the reason.
private let levelChanging = [
  "parametric-eq/Telephone": "takes away what lies outside a telephone's band",
  "gain/Quieter by half": "says so",
  "gate/Keyed": "is closed while its side chain is silent",
  "graphic-eq/Telephone": "takes away what lies outside a telephone's band",
  "limiter/Broadcast": "raises the input by 4 dB, which is its purpose",
  "limiter/Loud": "raises the input by 9 dB, which is its purpose",
  "looper/Loop alone": "mutes the input",
  "mixer": "adds its channels up",
  "tuner/Silent": "mutes the input",
  "vocoder/Beside a synthesiser": "is as loud as its side chain",
  "voice-processor": "levels the voice to its target",
]

/// Effects that treat low and high frequencies differently, so that bright or deep music becomes louder
/// or softer, with the reason.
private let filtering = [
  "amplifier": "has a tone stack and a loudspeaker",
  "convolver": "has the response of a room",
  "de-esser": "takes cymbals for sibilants",
  "flanger": "adds low frequencies up in phase",
  "graphic-eq": "changes the spectrum",
  "overdrive": "cuts the bass before it distorts",
  "parametric-eq": "changes the spectrum",
  "phaser": "has notches",
  "pitch-shifter": "moves frequencies",
  "ring-modulator": "moves frequencies",
  "vocoder": "has the carrier's spectrum",
]

/// Presets for one kind of signal, with the kind that they are not measured with, and the reason.
private let exceptions = [
  "pitch-shifter/Deeper voice": (
    Programme.pads, "keeps the formants, which single sines do not have"
  )
]

/// Presets that play a file at the file's level, without a key.
private let playingFiles: Set = [
  "sampler/Backing track", "sampler/Rhythm loop", "sampler/Half speed",
]

private let presets = ModulePreset.shipped

@Suite struct EffectLevelTests {
  private static let sources = Dictionary(
    uniqueKeysWithValues: Programme.allCases.map { programme in
      let channels = Loudness.scaled(programme.channels, to: nominalLoudness)
      return (programme, (channels, loudness: Loudness.integrated(channels)))
    })
  /// Signals with low and high frequencies.
  private static let whole: [Programme] = [.speech, .music, .dense, .pads]

  private static let effects = presets.filter { preset in
    (try? ModuleManifest(module: preset.module))?.inputCount ?? 0 > 0
  }

  /// Returns the gain of each programme by a preset.
  private static func gains(
    _ preset: ModulePreset, _ programmes: [Programme] = whole, _ values: [(String, Float)] = []
  ) throws -> [Double] {
    let library = try ModuleLibrary(preset.module)
    return try programmes.map { programme in
      let (source, loudness) = try #require(sources[programme])
      let silence = Signals.silence(source[0].count)
      // Side chains get silence.
      let inputs = (0 ..< library.manifest.inputCount).map { $0 < 2 ? source[$0] : silence }
      let output = try ModuleInstance(library, preset.values + values)
        .render(inputs, blocks: [1_024])
      return Loudness.integrated(output) - loudness
    }
  }

  /// Whether the preset changes the loudness of one of the programmes.
  private static func changesLevel(_ preset: ModulePreset, _ programmes: [Programme]) throws
    -> Bool
  {
    try programmes.contains { try !(abs(gains(preset, [$0])[0]) <= 1.5) }
  }

  private static func isExempt(_ preset: ModulePreset) -> Bool {
    levelChanging[preset.description] != nil || levelChanging[preset.module] != nil
  }

  @Test(arguments: effects.filter { !isExempt($0) })
  func `speech and music stay as loud as they are`(preset: ModulePreset) throws {
    let exception = exceptions[preset.description]?.0
    let gains = try Self.gains(preset, Self.whole.filter { $0 != exception })
    #expect(gains.allSatisfy { abs($0) <= 1.5 }, "\(preset): \(gains) dB")
  }

  @Test(arguments: effects.filter { !isExempt($0) && filtering[$0.module] == nil })
  func `bright and deep music stays as loud as it is`(preset: ModulePreset) throws {
    let gains = try Self.gains(preset, [.bright, .deep])
    #expect(gains.allSatisfy { abs($0) <= 1.5 }, "\(preset): \(gains) dB")
  }

  @Test func `every exempt effect needs its exemption`() throws {
    let known = Set(presets.map(\.description))
    for name in levelChanging.keys.sorted() {
      #expect(known.contains(name), "There is no \(name).")
    }
    for preset in Self.effects where levelChanging[preset.description] != nil {
      #expect(try Self.changesLevel(preset, Self.whole), "\(preset)")
    }
    for name in filtering.keys.sorted() {
      let presets = Self.effects.filter { $0.module == name }
      #expect(try presets.contains { try Self.changesLevel($0, [.bright, .deep]) }, "\(name)")
    }
    for (name, (programme, _)) in exceptions {
      let preset = try #require(presets.first { $0.description == name })
      #expect(try abs(Self.gains(preset, [programme])[0]) > 1.5, "\(name)")
    }
  }

  @Test(
    arguments: effects.filter { preset in
      preset.name == nil
        && (try? ModuleManifest(module: preset.module))?.parameters.contains { $0.symbol == "mix" }
          == true
    }, [Float(0), 25, 50, 75, 100])
  func `a mix control keeps the loudness`(preset: ModulePreset, mix: Float) throws {
    let gains = try Self.gains(preset, [.speech, .music], [("mix", mix)])
    #expect(gains.allSatisfy { abs($0) <= 1.5 }, "\(preset) at \(mix) %: \(gains) dB")
  }

  @Test(arguments: ["flanger", "phaser"], [Float(-95), -60, 60, 95])
  func `no resonance raises a half-scale sweep beyond full scale`(
    module: String, feedback: Float
  ) throws {
    let sweep = Signals.sweep(fromHz: 20, toHz: 16_000, 48_000 * 6, peak: 0.5)
    for (depth, mix) in [(Float(0), Float(50)), (100, 50), (0, 100)] {
      let isFlanger = module == "flanger"
      let still = isFlanger ? ("depth", depth) : ("highest", depth == 0 ? 500 : 4_000)
      let values =
        [("feedback", feedback), ("mix", mix), still]
        + (isFlanger ? [] : [("lowest", Float(500))])
      let output = try ModuleInstance(ModuleLibrary(module), values).render([sweep])
      let peak = output.map { Measure.peakDecibels($0) }.max() ?? 0
      #expect(peak < 0, "\(module), \(values): \(peak) dBFS")
    }
  }
}

@Suite struct InstrumentLevelTests {
  private static let instruments = presets.filter { preset in
    guard let manifest = try? ModuleManifest(module: preset.module) else { return false }
    return manifest.acceptsMIDI && manifest.inputCount == 0
      && !playingFiles.contains(preset.description)
  }

  private static func chord(_ keys: [UInt8], velocity: UInt8) -> [ModuleInstance.Message] {
    keys.map { .init(at: 0, [0x90, $0, velocity]) }
      + keys.map { .init(at: 96_000, [0x80, $0, 0]) }
  }

  private static func play(_ preset: ModulePreset, _ keys: [UInt8], velocity: UInt8) throws
    -> [[Float]]
  {
    try ModuleInstance(ModuleLibrary(preset.module), preset.values)
      .render(
        frameCount: 48_000 * 3, blocks: [1_024], messages: chord(keys, velocity: velocity))
  }

  @Test(arguments: instruments)
  func `a triad has the reference loudness`(preset: ModulePreset) throws {
    let output = try Self.play(preset, [60, 64, 67], velocity: 100)
    let loudness = Loudness.highestMomentary(output)
    #expect(abs(loudness - nominalLoudness) <= 3, "\(preset): \(loudness) LUFS")
  }

  @Test(
    arguments: instruments,
    [[60, 64, 67], [48, 55, 60, 64, 71], [36, 43, 48, 52, 55, 60, 64, 67, 72, 76] as [UInt8]])
  func `the level of every chord is well below full scale`(preset: ModulePreset, keys: [UInt8])
    throws
  {
    let output = try Self.play(preset, keys, velocity: 127)
    let peak = output.map { Measure.peakDecibels($0) }.max() ?? 0
    #expect(peak <= -3, "\(preset), \(keys.count) keys: \(peak) dBFS")
  }
}
