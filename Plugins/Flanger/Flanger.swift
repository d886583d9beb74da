// Flanger.swift: a short swept delay with feedback. SPDX-License-Identifier: MIT
//
// Each side has a delay line whose age follows a sine; its output is fed back. With feedback g and delay D
// the wet signal is (1 + g) z^-D / (1 - g z^-D): scaled so that an equal mix with the dry signal cancels
// wherever z^-D is -1, for any feedback. Both together are scaled so that the mean power is constant
// (ResonanceLevel.swift), and the feedback is limited, so that a signal at a resonance does not clip.
//
// Through zero: the dry signal is delayed to the middle of the sweep, so that the wet one overtakes it, as
// with two tape machines (J. Dattorro, Effect Design, Part 2, J. Audio Eng. Soc. 45 (10), 1997).

import ModuleABI
import ModuleKit

typealias Exported = Flanger

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let maximumDelaySeconds = 0.025

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let rate = 0, delay = 1, depth = 2, feedback = 3, phase = 4, throughZero = 5, mix = 6
}

// MARK: - State

/// The state of an instance.
struct Flanger: AudioModule {
  // Parameters with their ramps.
  var shortest: Smoother  // frames
  var swing: Smoother  // frames
  var dryDelay: Smoother  // frames
  var feedback: Smoother  // ratio
  var level: Smoother  // of the dry and the wet signal, ratio
  var rightAhead: Smoother  // turns
  var mix: MixControl
  // Running state.
  var oscillator: InterpolatedSines
  var left: DelayLine
  var right: DelayLine
  var leftDry: DelayLine
  var rightDry: DelayLine
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    shortest = smoother
    swing = smoother
    dryDelay = smoother
    feedback = smoother
    level = smoother
    rightAhead = smoother
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    oscillator = InterpolatedSines(stepFrames: 4, sampleRateHz: sampleRateHz)
    let longest = Int(maximumDelaySeconds * sampleRateHz) + 8
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    leftDry = DelayLine(maximumDelay: longest)
    rightDry = DelayLine(maximumDelay: longest)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Flanger {
  /// Frees the memory. [main]
  func free() {
    left.free()
    right.free()
    leftDry.free()
    rightDry.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    left.clear()
    right.clear()
    leftDry.clear()
    rightDry.clear()
    oscillator.reset()
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Flanger, _ parameters: UnsafePointer<Float>) {
  let framesPerMillisecond = Float(state.sampleRateHz) * 0.001
  // A loop needs two frames: one for the line, one for the cubic's newer neighbour.
  let shortest = max(2, parameters[Parameter.delay] * framesPerMillisecond)
  let swing = parameters[Parameter.depth] * framesPerMillisecond
  state.shortest.move(to: shortest)
  state.swing.move(to: swing)
  // Whole frames, so that the dry signal is unchanged.
  let middle = Float(Int(shortest + swing * 0.5 + 0.5))
  state.dryDelay.move(to: parameters[Parameter.throughZero] >= 0.5 ? middle : 0)
  let feedback = parameters[Parameter.feedback] * 0.01
  state.feedback.move(to: feedback)
  state.rightAhead.move(to: parameters[Parameter.phase] / 360)
  let mix = parameters[Parameter.mix] * 0.01
  state.mix.move(to: mix)
  state.level.move(
    to: ResonanceLevel.factor(gains: MixControl.gains(mix: mix), feedback: feedback))
  state.oscillator.set(frequencyHz: parameters[Parameter.rate])
  guard state.needsReset else { return }
  state.needsReset = false
  state.shortest.finish()
  state.swing.finish()
  state.dryDelay.finish()
  state.feedback.finish()
  state.level.finish()
  state.rightAhead.finish()
  state.mix.finish()
}

/// Processes the next 1 to 4 frames; more than one only if no delay is shorter than 6 frames.
@_noLocks
@inline(__always)
private func render(_ state: inout Flanger, _ stereo: StereoBlock, at frame: Int, _ count: Int) {
  var dry = stereo.four(at: frame, count: count)
  let half = SIMD4<Double>(state.swing.next(count)) * 0.5
  let middle = SIMD4<Double>(state.shortest.next(count)) + half
  let ahead = Double(state.rightAhead.next(count).x)
  let sines = state.oscillator.next(ahead: ahead, count: count)
  let left = state.left.four(ages: middle + half * sines.0)
  let right = state.right.four(ages: middle + half * sines.1)

  let feedback = state.feedback.next(count)
  state.left.put(SampleGuard.flushed(dry.left + SampleGuard.halfLimited(left) * feedback))
  state.right.put(SampleGuard.flushed(dry.right + SampleGuard.halfLimited(right) * feedback))
  state.left.advance(count)
  state.right.advance(count)
  let wet = StereoFrames4(left: left * (1 + feedback), right: right * (1 + feedback))

  state.leftDry.put(dry.left)
  state.rightDry.put(dry.right)
  let isMoving = state.dryDelay.isMoving
  let dryDelay = state.dryDelay.next(count).x
  if dryDelay != 0, !isMoving {
    dry.left = state.leftDry.four(delay: Int(dryDelay))
    dry.right = state.rightDry.four(delay: Int(dryDelay))
  }
  state.leftDry.advance(count)
  state.rightDry.advance(count)
  if dryDelay != 0, isMoving {
    dry.left.x = state.leftDry.read(delay: Double(dryDelay))
    dry.right.x = state.rightDry.read(delay: Double(dryDelay))
  }
  let (gains, level) = (state.mix.next(count), state.level.next(count))
  stereo.output(
    dry: dry, wet: wet, gains: (gains.dry * level, gains.wet * level), at: frame, count: count)
}

extension Flanger {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var frame = 0
    while frame < block.frameCount {
      let isSingle = state.shortest.value < 6 || state.shortest.isMoving || state.dryDelay.isMoving
      let count = min(
        isSingle ? 1 : min(4, block.frameCount - frame), state.oscillator.framesLeft)
      if count == 4 {
        render(&state, stereo, at: frame, 4)
      } else {
        render(&state, stereo, at: frame, count)
      }
      frame += count
    }
    self = state
  }
}
