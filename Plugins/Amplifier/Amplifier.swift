// Amplifier.swift: a guitar amplifier and its cabinet. SPDX-License-Identifier: MIT
//
// Two distorting valves, a passive tone stack, and a power stage whose supply sags under load, all at eight
// times the sample rate (four times a high one; Stages.swift, ToneStack.swift), then a cabinet
// (Cabinet.swift).

import ModuleABI
import ModuleKit

typealias Exported = Amplifier

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let cabinetGlideSeconds = 0.005
/// The output gain of a saturated power stage, so that a guitar is as loud as before: -12 dB.
private let outputGain: Float = 0.25
/// Below this gain the valves get headroom: 1.5 dB each for every dB, and less bias, and the power
/// stage gets the same gain back.
///
/// So low gains stay clean.
private let cleanDecibels: Float = 26
private let maximumHeadroom: Float = 18
/// The corner frequency of the DC blocker.
private let blockedHz = 5.0
/// Frames from one setting of the tone stack to the next while a knob moves.
private let stretch = 16
/// Input above this level, or NaN, is a fault of an earlier node and becomes silence.
private let loudest: Float = 1e3

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let gain = 0, stack = 1, bass = 2, middle = 3, treble = 4, master = 5, sag = 6
  static let cabinet = 7, level = 8
}

// MARK: - State

/// The state of an instance.
struct Amplifier: AudioModule {
  // Parameters with their ramps.
  var gain: Smoother  // dB
  // Linear factors that follow from the gain: before each valve, the bias of both, and after them.
  var drive = SIMD3<Float>(1, 1, 1)
  var master: Smoother  // linear
  var sag: Smoother  // ratio
  var level: Smoother  // linear
  // These advance once a stretch.
  var british: Smoother  // 0 or 1
  var bass: Smoother  // 0 to 1
  var middle: Smoother  // 0 to 1
  var treble: Smoother  // 0 to 1
  var cabinetKind = -1
  // Running state.
  var rates: Oversampler
  var stages: Stages
  let run: UnsafeMutablePointer<SIMD2<Float>>
  let settings: UnsafeMutablePointer<StageSettings>
  let cabinet: FilterCascade
  var still = SIMD2<Float>.zero  // the direct current that is blocked
  var frame = 0  // within the stretch
  var needsReset = true  // no block since create or reset
  let blocking: Float  // of a one-pole filter, ratio
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    func smoother(_ rateHz: Double) -> Smoother {
      Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(rateHz))
    }
    gain = smoother(sampleRateHz)
    master = gain
    sag = gain
    level = gain
    british = smoother(sampleRateHz / Double(stretch))
    bass = british
    middle = british
    treble = british
    // From 88.2 kHz on half as much is as good.
    rates = Oversampler(factor: sampleRateHz < 64_000 ? 8 : 4)
    stages = Stages(
      sampleRateHz: sampleRateHz * Double(rates.factor), factor: rates.factor)
    run = .allocate(capacity: stretch)
    settings = .allocate(capacity: stretch)
    cabinet = FilterCascade(
      bandCount: Cabinet.partCount, maximumFrameCount: stretch,
      glideSeconds: cabinetGlideSeconds, sampleRateHz: sampleRateHz)
    blocking = OnePole.coefficient(cutoffHz: blockedHz, sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Amplifier {
  /// Frees the memory. [main]
  func free() {
    rates.free()
    run.deallocate()
    settings.deallocate()
    cabinet.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    rates.clear()
    stages.clear()
    still = .zero
    needsReset = true
  }

  /// The latency of the filters, in frames, the same for all parameters. [main]
  var latencyFrames: Int { rates.delayFrames }
}

// MARK: - Parameters to coefficients

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Amplifier, _ parameters: UnsafePointer<Float>) {
  state.gain.move(to: parameters[Parameter.gain])
  state.master.move(to: Decibels.amplitude(parameters[Parameter.master]))
  state.sag.move(to: parameters[Parameter.sag] * 0.01)
  state.level.move(to: outputGain * Decibels.amplitude(parameters[Parameter.level]))
  state.british.move(to: parameters[Parameter.stack] >= 0.5 ? 1 : 0)
  state.bass.move(to: parameters[Parameter.bass] * 0.1)
  state.middle.move(to: parameters[Parameter.middle] * 0.1)
  state.treble.move(to: parameters[Parameter.treble] * 0.1)
  let kind = Int(parameters[Parameter.cabinet] + 0.5)
  if state.needsReset || kind != state.cabinetKind {
    state.cabinetKind = kind
    Cabinet.set(
      state.cabinet, to: CabinetKind(rawValue: kind) ?? .off, isFresh: state.needsReset,
      sampleRateHz: state.sampleRateHz)
  }
  guard state.needsReset else { return }
  state.needsReset = false
  state.frame = 0
  state.gain.finish()
  state.drive = drive(state.gain.value)
  state.stages.clear(bias: state.drive.y)
  state.master.finish()
  state.sag.finish()
  state.level.finish()
  state.british.finish()
  state.bass.finish()
  state.middle.finish()
  state.treble.finish()
  setStack(&state)
}

/// Returns the gain before each valve, their bias, and the gain after them that compensates the headroom.
///
/// All follow from the current gain, so that they change together.
@_noLocks
private func drive(_ decibels: Float) -> SIMD3<Float> {
  let headroom = min(max(0, cleanDecibels - decibels) * 1.5, maximumHeadroom)
  return SIMD3(
    Decibels.fastAmplitude(decibels * 0.5 - headroom), Decibels.fastAmplitude(-headroom),
    Decibels.fastAmplitude(2 * headroom))
}

@_noLocks
private func setStack(_ state: inout Amplifier) {
  state.stages.stack.set(
    british: Double(state.british.value), bass: Double(state.bass.value),
    middle: Double(state.middle.value), treble: Double(state.treble.value),
    sampleRateHz: state.sampleRateHz * Double(state.rates.factor))
}

/// Advances the ramps of the tone stack's knobs.
@_noLocks
private func startStretch(_ state: inout Amplifier) {
  guard
    state.british.isMoving || state.bass.isMoving || state.middle.isMoving
      || state.treble.isMoving
  else { return }
  _ = state.british.next()
  _ = state.bass.next()
  _ = state.middle.next()
  _ = state.treble.next()
  setStack(&state)
}

// MARK: - Rendering

/// Replaces NaN and infinity by silence.
@_noLocks @inline(__always)
private func finite(_ x: Float) -> Float { abs(x) <= loudest ? x : 0 }

/// A run within one stretch, from `run` through the amplifier to `run`.
@_noLocks
private func amplify(_ state: inout Amplifier, frameCount: Int) {
  for frame in 0 ..< frameCount {
    if state.gain.isMoving { state.drive = drive(state.gain.next()) }
    state.settings[frame] = StageSettings(
      drive: state.drive.x, bias: state.drive.y, master: state.master.next() * state.drive.z,
      sag: state.sag.next())
  }
  let fine = state.rates.up(state.run, frameCount: frameCount)
  var stages = state.stages
  var position = 0
  for frame in 0 ..< frameCount {
    stages.settle(state.settings[frame])
    for _ in 0 ..< state.rates.factor {
      fine[position] = stages.next(fine[position], state.settings[frame])
      position += 1
    }
  }
  state.stages = stages
  state.rates.down(to: state.run, frameCount: frameCount)
  let sound = state.cabinet.frames
  for frame in 0 ..< frameCount {
    let played = state.run[frame]
    state.still = SampleGuard.flushed(state.still + (played - state.still) * state.blocking)
    sound[frame] = SIMD2<Double>(played - state.still)
  }
  state.cabinet.render(frameCount: frameCount)
}

extension Amplifier {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var done = 0
    while done < block.frameCount {
      if state.frame == 0 { startStretch(&state) }
      let count = min(stretch - state.frame, block.frameCount - done)
      for frame in 0 ..< count {
        let input = stereo.input(at: done + frame)
        state.run[frame] = SIMD2(finite(input.x), finite(input.y))
      }
      amplify(&state, frameCount: count)
      for frame in 0 ..< count {
        let sound = SIMD2<Float>(state.cabinet.frames[frame]) * state.level.next()
        stereo.output(sound, at: done + frame)
      }
      done += count
      state.frame = (state.frame + count) % stretch
    }
    self = state
  }
}
