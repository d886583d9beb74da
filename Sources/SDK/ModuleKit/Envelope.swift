// Envelope.swift: attack, decay, sustain, release. SPDX-License-Identifier: MIT

/// The per-frame coefficients of an `Envelope`.
public struct EnvelopeSettings {
  var attackStep = 1.0  // of level, each frame
  var decay = 0.0  // the remaining distance to the sustain level after a frame
  var sustain = 1.0  // level, 0 to 1
  var release = 0.0  // the remaining level after a frame

  /// Creates settings from times in ms and a level from 0 to 1.
  ///
  /// - Parameters:
  ///   - attack: the duration of the whole rise, ms.
  ///   - decay: the time for 63 % of the fall, ms.
  ///   - sustain: 0 to 1.
  ///   - release: the time for 63 % of the fall, ms.
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

/// The stage of an `Envelope`.
public enum EnvelopeStage {
  /// Rising.
  case attack
  /// Falling to the sustain level, or at it.
  case decay
  /// Released or silent.
  case release
}

/// An ADSR envelope whose level never jumps.
public struct Envelope {
  /// The level, 0 to 1.
  public private(set) var level = 0.0
  /// The current stage.
  public private(set) var stage = EnvelopeStage.release

  /// Creates a silent envelope.
  @_noLocks
  public init() {}

  /// Starts the attack from the current level. [render]
  @_noLocks
  public mutating func begin() { stage = .attack }

  /// Starts the release from the current level. [render]
  @_noLocks
  public mutating func noteOff() { stage = .release }

  /// Whether the envelope is released or was never started. [render]
  public var isReleased: Bool {
    @_noLocks @inline(__always)
    get {
      if case .release = stage { return true }
      return false
    }
  }

  /// Sets the level to 0 at once. [render]
  @_noLocks
  public mutating func clear() {
    level = 0
    stage = .release
  }

  /// Returns the level of the next frame. [render]
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
