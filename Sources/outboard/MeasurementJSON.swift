// MeasurementJSON.swift: measurements of plugins as JSON. SPDX-License-Identifier: MIT

import HostModel
import Metering

/// The measurements of a side as JSON; levels that are infinite are nil.
struct MeasurementJSON: Encodable {
  struct Point: Encodable {
    let hertz: Double
    let gain: Double?
    let phase: Double
    let groupDelay: Double

    init(_ point: PluginMeasurement.Point) {
      (hertz, gain) = (point.hertz, point.gain.finiteForJSON)
      (phase, groupDelay) = (point.phase, point.groupDelay)
    }
  }
  struct Tone: Encodable {
    let hertz: Double
    let input: Double
    let output: Double?
    let thd: Double?
    let thdAndNoise: Double?
    let aliases: Double?
    let offset: Double

    init(_ tone: PluginMeasurement.Tone) {
      (hertz, input, output) = (tone.hertz, tone.inputLevel, tone.level.finiteForJSON)
      (thd, thdAndNoise) = (tone.distortion.finiteForJSON, tone.distortionAndNoise.finiteForJSON)
      (aliases, offset) = (tone.aliases.finiteForJSON, tone.offset)
    }
  }
  struct Intermodulation: Encodable {
    let modulationHz: [Double]
    let modulation: Double?
    let differenceHz: [Double]
    let difference: Double?
  }
  struct Step: Encodable {
    let gains: [Double?]
    let attackSeconds: Double
    let releaseSeconds: Double
    let intervalSeconds: Double
    let curve: [Double?]
  }
  struct Octave: Encodable {
    let hertz: Double
    let seconds: Double?
  }
  struct Density: Encodable {
    let seconds: Double
    let value: Double
  }
  struct Cost: Encodable {
    let frames: Int
    let nanoseconds: Double
  }

  let name: String
  let settings: [MeasuredSide.Node]
  let cpu: [Cost]
  let sampleRateHz: Int
  let declaredLatencyFrames: Int
  let measuredLatencyFrames: Int
  let isInverted: Bool
  let noise: Double?
  let offset: Double
  let toneHz: Double
  let response: [Point]
  /// The response of the second channel; nil if it is the same.
  let secondResponse: [Point]?
  let tones: [Tone]
  let frequencyTones: [Tone]
  /// Tones of all levels at all frequencies; nil without `--grid`.
  let grid: [Tone]?
  let intermodulation: Intermodulation
  let step: Step
  /// From 16 frames before the direct sound on.
  let impulseResponse: [Float]
  let decay: [Octave]?
  let echoDensity: [Density]?

  init(_ side: MeasuredSide, _ signal: MeasurementSignal) {
    let values = side.values
    (name, sampleRateHz, settings) = (side.name, signal.sampleRateHz, side.settings)
    cpu = side.blockNanoseconds.sorted { $0.key < $1.key }
      .map { Cost(frames: $0.key, nanoseconds: $0.value) }
    declaredLatencyFrames = side.declaredLatency
    measuredLatencyFrames = side.declaredLatency + values.delayFrames
    (isInverted, noise, offset) = (values.isInverted, values.noise.finiteForJSON, values.offset)
    toneHz = signal.toneHz
    response = values.response.map(Point.init)
    secondResponse = side.channels.dropFirst().first?.response.map(Point.init)
    tones = values.tones.map(Tone.init)
    frequencyTones = values.frequencyTones.map(Tone.init)
    grid = signal.hasGrid ? values.grid.map(Tone.init) : nil
    let products = values.intermodulation
    intermodulation = Intermodulation(
      modulationHz: [products.modulationHz.x, products.modulationHz.y],
      modulation: products.modulation.finiteForJSON,
      differenceHz: [products.differenceHz.x, products.differenceHz.y],
      difference: products.difference.finiteForJSON)
    step = Step(
      gains: values.step.gains.map(\.finiteForJSON), attackSeconds: values.step.attackSeconds,
      releaseSeconds: values.step.releaseSeconds, intervalSeconds: values.step.intervalSeconds,
      curve: values.step.curve.map(\.finiteForJSON))
    impulseResponse = values.impulseResponse
    decay = values.reverberation?.octaves.map { Octave(hertz: $0.hertz, seconds: $0.seconds) }
    echoDensity = values.reverberation?.densities.map {
      Density(seconds: $0.seconds, value: $0.value)
    }
  }
}
