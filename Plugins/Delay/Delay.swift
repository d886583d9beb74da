// Delay.swift: a stereo echo with tape-like time changes. SPDX-License-Identifier: MIT
//
// Each channel has a delay line, whose output is the echo. It is fed back through a low cut, a high cut and a
// soft limiter, so that the first echo is a copy and each further one is duller. A change of the time moves
// the read position gradually, as with the speed of a tape machine. In ping-pong mode the sum of both inputs
// enters on the left and the feedback crosses over.
//
// Interpolation: third-order Lagrange, Laakso et al., Splitting the Unit Delay (1996).

import ModuleABI
import ModuleKit

typealias Exported = Delay

// MARK: - Constants

private let maximumTimeSeconds = 2.0
private let glideSeconds: Float = 0.08
private let smoothingSeconds: Float = 0.02

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let time = 0, feedback = 1, lowCut = 2, highCut = 3, mode = 4, mix = 5
}

// MARK: - State

/// The state of an instance.
struct Delay: AudioModule {
  // Parameters as last set.
  var time: GlidingDelay  // frames
  var feedback: Smoother  // ratio
  var crossing: Smoother  // 0: normal, 1: ping-pong
  var mix: MixControl
  // Coefficients derived from them.
  var lowCut: Smoother  // of a one-pole filter, ratio
  var highCut: Smoother  // of a one-pole filter, ratio
  // Running state.
  var left: DelayLine
  var right: DelayLine
  var low = SIMD2<Float>.zero  // the low-pass state of the low cut
  var high = SIMD2<Float>.zero  // the state of the high cut
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    func smoother() -> Smoother {
      Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    }
    time = GlidingDelay(1, timeConstantSeconds: glideSeconds, sampleRateHz: rate)
    feedback = smoother()
    crossing = smoother()
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    lowCut = smoother()
    highCut = smoother()
    let longest = Int(maximumTimeSeconds * sampleRateHz) + 4
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Delay {
  /// Frees the memory. [main]
  func free() {
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    left.clear()
    right.clear()
    low = .zero
    high = .zero
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Delay, _ parameters: UnsafePointer<Float>) {
  let rate = state.sampleRateHz
  let frames = Double(parameters[Parameter.time]) * 0.001 * rate
  state.time.move(to: max(1, Int(frames + 0.5)))
  state.feedback.move(to: parameters[Parameter.feedback] * 0.01)
  state.crossing.move(to: parameters[Parameter.mode] >= 0.5 ? 1 : 0)
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.lowCut.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.lowCut]), sampleRateHz: rate))
  state.highCut.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.highCut]), sampleRateHz: rate))
  guard state.needsReset else { return }
  state.needsReset = false
  state.time.jump(to: state.time.delay)
  state.feedback.finish()
  state.crossing.finish()
  state.mix.finish()
  state.lowCut.finish()
  state.highCut.finish()
}

extension Delay {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      let cross = state.crossing.next()
      let mix = state.mix.next()
      let feedback = state.feedback.next()
      state.time.advance()

      // The lines end at the previous frame, so age 0 is a delay of one frame.
      let (delay, excess) = (state.time.delay - 1, state.time.excess)
      let echo = SIMD2(
        state.left.read(delay: delay, excess: excess),
        state.right.read(delay: delay, excess: excess))
      let swapped = SIMD2(echo.y, echo.x)
      let back = echo + (swapped - echo) * cross

      state.low += (back - state.low) * state.lowCut.next()
      state.high += (back - state.low - state.high) * state.highCut.next()
      let centre = (dry.x + dry.y) * 0.5
      let entering = dry + (SIMD2(centre, 0) - dry) * cross
      state.left.write(entering.x + feedback * SampleGuard.softLimited(state.high.x))
      state.right.write(entering.y + feedback * SampleGuard.softLimited(state.high.y))

      stereo.output(dry: dry, wet: echo, gains: mix, at: frame)
    }
    self = state
    // NaN would circulate for ever; once it reaches the filters, everything is cleared.
    if !(low + high).sum().isFinite { reset() }
  }
}
