// Stages.swift: two valves, a tone stack and a power stage. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The knob values for one frame of the lower rate.
struct StageSettings {
  var drive: Float  // before each of both valves, linear
  var bias: Float  // of the valves, as a fraction of that at a high gain
  var master: Float  // before the power stage, linear
  var sag: Float  // ratio
}

/// The signal path from the input to the output transformer, at the higher rate.
struct Stages {
  // Biases of the valves, in units of the curve: both distort the same half of the wave earlier.
  private static let firstBias: Float = 0.4
  private static let secondBias: Float = 0.3
  private static let secondGain: Float = 2
  /// The approximate loss of the tone stack in the mids.
  private static let stackGain: Float = 5
  /// The supply falls to 2 / 3 under full load at a sag of 1.
  private static let sagDepth: Float = 0.5
  private static let couplingHz = 30.0
  private static let millerHz = 12_000.0
  private static let supplyFallsSeconds = 0.012
  private static let supplyRisesSeconds = 0.12

  private var first = SaturationCurve(bias: Stages.firstBias)
  private var second = SaturationCurve(bias: Stages.secondBias)
  private var power = SaturationCurve()
  var stack = ToneStack()
  private var still = SIMD2<Float>.zero  // the charge of the coupling capacitor
  private var round = SIMD2<Float>.zero  // the state of the second valve's capacitance
  private var load = SIMD2<Float>.zero  // on the supply, 0 to 1
  private var supply = SIMD2<Float>(repeating: 1)  // its voltage, relative to the maximum
  private var biasRecovery = SIMD2<Float>(repeating: 1)  // its reciprocal
  private var drawn = SIMD2<Float>.zero  // from it, the sum since it was looked at
  private let coupling: Float
  private let miller: Float
  private let falling: Float
  private let rising: Float
  private let part: Float  // of a frame of the lower rate

  /// - Parameters:
  ///   - sampleRateHz: the higher one.
  ///   - factor: how many times the lower one that is.
  init(sampleRateHz: Double, factor: Int) {
    func coefficient(_ seconds: Double) -> Float {
      Float(1 - realtime_exp(-Double(factor) / (seconds * sampleRateHz)))
    }
    part = 1 / Float(factor)
    coupling = OnePole.coefficient(cutoffHz: Self.couplingHz, sampleRateHz: sampleRateHz)
    miller = OnePole.coefficient(cutoffHz: Self.millerHz, sampleRateHz: sampleRateHz)
    falling = coefficient(Self.supplyFallsSeconds)
    rising = coefficient(Self.supplyRisesSeconds)
  }

  /// Clears the signal state, with a fraction of the valves' biases.
  @_noLocks
  mutating func clear(bias: Float = 1) {
    first = SaturationCurve(bias: Self.firstBias * bias)
    second = SaturationCurve(bias: Self.secondBias * bias)
    power = SaturationCurve()
    stack.clear()
    still = .zero
    round = .zero
    load = .zero
    supply = SIMD2(repeating: 1)
    biasRecovery = supply
    drawn = .zero
  }

  /// Updates the sagging supply from the drawn current, which changes the gain and the ceiling of
  /// the power stage.
  ///
  /// Once per frame of the lower rate, because it is slow.
  @_noLocks
  @inline(__always)
  mutating func settle(_ settings: StageSettings) {
    let mean = drawn * part
    let coefficient = SIMD2<Float>(repeating: rising)
      .replacing(with: SIMD2(repeating: falling), where: mean .> load)
    load = SampleGuard.flushed(load + (mean - load) * coefficient)
    supply = 1 - load * (settings.sag * Self.sagDepth)
    biasRecovery = 1 / supply
    drawn = .zero
  }

  @_noLocks
  @inline(__always)
  mutating func next(_ frame: SIMD2<Float>, _ settings: StageSettings) -> SIMD2<Float> {
    let bent = first.next(frame * settings.drive, bias: Self.firstBias * settings.bias)
    still = SampleGuard.flushed(still + (bent - still) * coupling)
    round = SampleGuard.flushed(round + (bent - still - round) * miller)
    let driven = second.next(
      round * (settings.drive * Self.secondGain), bias: Self.secondBias * settings.bias)
    let toned = stack.next(driven) * (Self.stackGain * settings.master)

    let output = power.next(toned * biasRecovery, bias: 0) * supply
    drawn += output.replacing(with: -output, where: output .< 0)
    return output
  }
}
