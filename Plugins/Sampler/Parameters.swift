// Parameters.swift: applies the parameters of a block. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

// MARK: - In the manifest's order

private enum Parameter {
  static let play = 0, mode = 1, start = 2, loop = 3, loopStart = 4, loopEnd = 5, crossfade = 6
  static let root = 7, keyFollow = 8, tune = 9, bend = 10
  static let attack = 11, decay = 12, sustain = 13, release = 14
  static let velocity = 15, voices = 16, spread = 17, pan = 18, level = 19
}

/// A loop of fewer frames is made longer.
private let shortestLoop = 32.0

extension Sampler {
  /// Sets the targets of all ramps; before the first block the values jump to them.
  @_noLocks
  mutating func prepare(_ parameters: UnsafePointer<Float>) {
    prepareVoices(parameters)
    prepareRegions(parameters)
    setPlay(Play(rawValue: Int(parameters[Parameter.play] + 0.5)) ?? .off)
    pan.move(to: parameters[Parameter.pan] * 0.01)
    level.move(to: Decibels.amplitude(parameters[Parameter.level]))
    guard needsReset else { return }
    needsReset = false
    pan.finish()
    level.finish()
  }

  @_noLocks
  private mutating func prepareVoices(_ parameters: UnsafePointer<Float>) {
    tuning.rootKey = Double(parameters[Parameter.root])
    tuning.semitonesPerKey = Double(parameters[Parameter.keyFollow]) * 0.01
    tuning.octaves = Double(parameters[Parameter.tune]) / 1_200
    tuning.bendSemitones = parameters[Parameter.bend]
    tuning.spread = parameters[Parameter.spread] * 0.01
    patch.envelope = EnvelopeSettings(
      attack: parameters[Parameter.attack], decay: parameters[Parameter.decay],
      sustain: parameters[Parameter.sustain] * 0.01, release: parameters[Parameter.release],
      sampleRateHz: sampleRateHz)
    keyboard.velocitySensitivity = parameters[Parameter.velocity] * 0.01
    keyboard.limit = min(max(Int(parameters[Parameter.voices] + 0.5), 1), keyboard.voiceCount)
    let isOneShot = parameters[Parameter.mode] > 0.5
    for index in 0 ..< keyboard.voiceCount { keyboard.voices[index].isOneShot = isOneShot }
  }

  @_noLocks
  private mutating func prepareRegions(_ parameters: UnsafePointer<Float>) {
    let count = Double(patch.recording.frameCount)
    let rate = sampleRateHz
    @_noLocks
    func frames(_ index: Int) -> Double {
      (Double(parameters[index]) * rate).rounded()
    }
    patch.start = min(frames(Parameter.start), count - 1)
    playerPatch.start = patch.start
    var region = Region()
    region.start = min(frames(Parameter.loopStart), max(count - shortestLoop, 0))
    region.end = max(min(frames(Parameter.loopEnd), count), region.start + shortestLoop)
    let fade = Double(parameters[Parameter.crossfade]) * 0.001 * rate
    region.fade = min(fade, min(region.start, region.length))
    region.isOn = parameters[Parameter.loop] > 0.5 && parameters[Parameter.mode] < 0.5
    patch.region = region
    region.isOn = parameters[Parameter.play] < 1.5
    playerPatch.region = region
  }
}
