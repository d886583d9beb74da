// Envelope.swift: attack, decay, sustain, release. SPDX-License-Identifier: MIT

import ModuleKit

/// The times of an envelope, for one frame.
struct EnvelopeSettings {
  var attackStep = 1.0  // of level, each frame
  var decay = 0.0  // what remains of the way to the sustain level after a frame
  var sustain = 1.0  // level, 0 to 1
  var release = 0.0  // what remains after a frame

  /// - Parameters:
  ///   - attack: of the whole rise, ms.
  ///   - decay: in which 63 % of the way down are made, ms.
  ///   - sustain: 0 to 1.
  ///   - release: as the decay, ms.
  ///   - sampleRateHz: above 0.
  @_noLocks
  init(attack: Float, decay: Float, sustain: Float, release: Float, sampleRateHz: Double) {
    attackStep = 1 / max(Double(attack) * 0.001 * sampleRateHz, 1)
    self.decay = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(decay) * 0.001, sampleRateHz: sampleRateHz)
    self.sustain = Double(sustain)
    self.release = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(release) * 0.001, sampleRateHz: sampleRateHz)
  }
}

/// Where an envelope is.
enum EnvelopeStage {
  case attack
  case decay
  case release
}

/// A level that goes up and down with a key; it never jumps, whatever happens.
struct Envelope {
  private(set) var level = 0.0
  private(set) var stage = EnvelopeStage.release

  /// Goes up from where it is.
  @_noLocks
  mutating func begin() { stage = .attack }

  @_noLocks
  mutating func letGo() { stage = .release }

  @_noLocks
  mutating func clear() {
    level = 0
    stage = .release
  }

  @_noLocks
  @inline(__always)
  mutating func next(_ settings: EnvelopeSettings) -> Double {
    switch stage {
    case .attack:
      level += settings.attackStep
      if level >= 1 {
        level = 1
        stage = .decay
      }
    case .decay: level = settings.sustain + (level - settings.sustain) * settings.decay
    case .release: level = level > 1e-7 ? level * settings.release : 0
    }
    return level
  }
}
