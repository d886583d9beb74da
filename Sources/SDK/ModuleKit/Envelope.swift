// Envelope.swift: attack, decay, sustain, release. SPDX-License-Identifier: MIT

/// The times of an `Envelope`, for one frame.
public struct EnvelopeSettings {
  var attackStep = 1.0  // of level, each frame
  var decay = 0.0  // what remains of the way to the sustain level after a frame
  var sustain = 1.0  // level, 0 to 1
  var release = 0.0  // what remains after a frame

  /// Times in ms, a level from 0 to 1.
  ///
  /// - Parameters:
  ///   - attack: of the whole rise, ms.
  ///   - decay: in which 63 % of the way down are made, ms.
  ///   - sustain: 0 to 1.
  ///   - release: as the decay, ms.
  ///   - sampleRateHz: above 0.
  @_noLocks
  public init(attack: Float, decay: Float, sustain: Float, release: Float, sampleRateHz: Double) {
    attackStep = 1 / max(Double(attack) * 0.001 * sampleRateHz, 1)
    self.decay = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(decay) * 0.001, sampleRateHz: sampleRateHz)
    self.sustain = Double(sustain)
    self.release = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(release) * 0.001, sampleRateHz: sampleRateHz)
  }
}

/// Where an `Envelope` is.
public enum EnvelopeStage {
  /// On the way up.
  case attack
  /// On the way to the sustain level, or there.
  case decay
  /// Let go, or silent.
  case release
}

/// A level that goes up and down with a key; it never jumps, whatever happens.
public struct Envelope {
  /// 0 to 1.
  public private(set) var level = 0.0
  /// Where it is.
  public private(set) var stage = EnvelopeStage.release

  /// Silent.
  @_noLocks
  public init() {}

  /// Goes up from where it is. [render]
  @_noLocks
  public mutating func begin() { stage = .attack }

  /// Goes down from where it is. [render]
  @_noLocks
  public mutating func letGo() { stage = .release }

  /// Whether it was let go of, or never begun. [render]
  public var isLetGo: Bool {
    @_noLocks @inline(__always)
    get {
      if case .release = stage { return true }
      return false
    }
  }

  /// Silent at once. [render]
  @_noLocks
  public mutating func clear() {
    level = 0
    stage = .release
  }

  /// The level of the next frame. [render]
  @_noLocks
  @inline(__always)
  public mutating func next(_ settings: EnvelopeSettings) -> Double {
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
