// Convolver.swift: convolution reverb. SPDX-License-Identifier: MIT
//
// The input is delayed by the pre-delay and convolved (Engine.swift) with a response from a file, or with one
// that the module generates (Response.swift).

import ModuleABI
import ModuleKit

typealias Exported = Convolver

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let preDelayGlideSeconds: Float = 0.06
private let maximumPreDelaySeconds = 0.5
/// The steps of preparing a response in each tick, while the engine is idle.
private let buildSteps = 4

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let mix = 0, preDelay = 1, decay = 2, level = 3, normalise = 4
}

// MARK: - State

/// Whether the response is in use, or another one is being prepared.
enum Phase {
  case playing
  case fading
  case building
}

/// The state of an instance.
struct Convolver: AudioModule {
  // Parameters with their ramps.
  var mix: MixControl
  var level: Smoother  // of the wet signal, ratio
  // Gains around the engine while the response changes: the output fades out, then the input fades in,
  // because a sudden start would cause a click.
  var exit: Smoother  // ratio
  var entry: Smoother  // ratio
  var preDelay: GlidingDelay  // frames
  var decay: Float = 0  // as taken up, %
  var wanted: Float = 1  // level as last set, ratio
  var isNormalised = false
  // Running state.
  var left: DelayLine
  var right: DelayLine
  var engine: Engine
  var phase = Phase.playing
  var position = 0  // in the tick, frames
  var needsReset = true  // no block since create, load or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    let smoother = Smoother(1, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    level = smoother
    exit = smoother
    entry = smoother
    preDelay = GlidingDelay(0, timeConstantSeconds: preDelayGlideSeconds, sampleRateHz: rate)
    let longest = Int(maximumPreDelaySeconds * sampleRateHz) + 4
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    engine = Engine(Response(sampleRateHz: sampleRateHz), sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Convolver {
  /// Takes a response of 1, 2 or 4 channels instead of the built-in one; 0: taken. [main, inactive]
  mutating func load(_ file: Int, _ sound: AudioFile) -> Bool {
    guard file == 0, let response = Response(sound, sampleRateHz: sampleRateHz) else {
      return false
    }
    engine.free()
    engine = Engine(response, sampleRateHz: sampleRateHz)
    decay = 0
    needsReset = true
    return true
  }

  /// Frees the memory. [main]
  func free() {
    left.free()
    right.free()
    engine.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    left.clear()
    right.clear()
    engine.clear()
    position = 0
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Convolver, _ parameters: UnsafePointer<Float>) {
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.preDelay.move(
    to: Int(Double(parameters[Parameter.preDelay]) * 0.001 * state.sampleRateHz + 0.5))
  if state.decay != parameters[Parameter.decay] {
    state.decay = parameters[Parameter.decay]
    state.phase = .fading
    state.exit.move(to: 0)
  }
  state.wanted = Decibels.amplitude(parameters[Parameter.level])
  state.isNormalised = parameters[Parameter.normalise] > 0.5
  if state.needsReset { finishBuilding(&state) }
  aimLevel(&state)
  guard state.needsReset else { return }
  state.needsReset = false
  state.mix.finish()
  state.level.finish()
  state.exit.jump(to: 1)
  state.entry.jump(to: 1)
  state.preDelay.jump(to: state.preDelay.delay)
}

/// Prepares the response at once before the first block, so that the output is correct from the start.
@_noLocks
private func finishBuilding(_ state: inout Convolver) {
  if case .fading = state.phase {
    state.engine.beginBuilding(decay: Double(state.decay) * 0.01)
    state.phase = .building
  }
  if case .building = state.phase { while state.engine.build() {} }
  state.phase = .playing
}

@_noLocks
private func aimLevel(_ state: inout Convolver) {
  state.level.move(to: state.wanted * (state.isNormalised ? state.engine.normalGain : 1))
}

/// Continues the convolution, or starts the one with the new response.
@_noLocks
private func tick(_ state: inout Convolver) {
  if case .fading = state.phase, !state.exit.isMoving {
    state.phase = .building
    state.engine.beginBuilding(decay: Double(state.decay) * 0.01)
  }
  guard case .building = state.phase else { return state.engine.tick() }
  for _ in 0 ..< buildSteps where !state.engine.build() {
    state.engine.clear()
    state.phase = .playing
    aimLevel(&state)
    state.level.finish()
    state.exit.jump(to: 1)
    state.entry.jump(to: 0)
    state.entry.move(to: 1)
    return
  }
}

extension Convolver {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      state.left.write(SampleGuard.sanitizedInput(dry.x))
      state.right.write(SampleGuard.sanitizedInput(dry.y))
      state.preDelay.advance()
      let delay = Double(state.preDelay.delay) + Double(state.preDelay.excess)
      let late = SIMD2(state.left.read(delay: delay), state.right.read(delay: delay))
      let output = state.engine.next(late * state.entry.next(), at: state.position)
      let wet = output * (state.level.next() * state.exit.next())
      state.position += 1
      if state.position == tickFrames {
        tick(&state)
        state.position = 0
      }
      let mix = state.mix.next()
      stereo.output(dry: dry, wet: wet, gains: mix, at: frame)
    }
    self = state
  }
}
