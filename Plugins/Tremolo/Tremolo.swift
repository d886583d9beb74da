// Tremolo.swift: tremolo and vibrato. SPDX-License-Identifier: MIT
//
// One oscillator drives both. The tremolo varies the level from 1 to 1 - depth along its shape, with a gain
// that compensates the loss of mean power. The vibrato reads a delay line whose age follows a sine: while it
// shortens, the pitch is higher, by 2 pi times rate times swing (J. Dattorro, Effect Design, Part 2, J. Audio
// Eng. Soc. 45 (10), 1997). Jumps of the shapes are ramps of 4 ms, to avoid clicks.

import ModuleABI
import ModuleKit

typealias Exported = Tremolo

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let edgeSeconds: Float = 0.004
/// The largest amplitude of the vibrato's delay.
private let maximumSwingSeconds = 0.02

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let mode = 0, shape = 1, rate = 2, depth = 3, vibrato = 4, phase = 5
}

private let shapeCount = 4

// MARK: - State

/// The state of an instance.
struct Tremolo: AudioModule {
  // Parameters with their ramps.
  var shapeLevels: InlineArray<4, Smoother>  // of sine, triangle, square and saw, ratio
  var depth: Smoother  // ratio
  var makeup: Smoother  // ratio
  var swing: Smoother  // frames
  var rightAhead: Smoother  // turns
  var edge: Smoother  // the length of a jump, turns
  // Running state.
  var oscillator: LowFrequencyOscillator
  var left: DelayLine
  var right: DelayLine
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    shapeLevels = InlineArray(repeating: smoother)
    depth = smoother
    makeup = smoother
    swing = smoother
    rightAhead = smoother
    edge = smoother
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
    let longest = Int(2 * maximumSwingSeconds * sampleRateHz) + 4
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Pure helpers

/// Returns a ramp from 0 at -`edge` / 2 to 1 at `edge` / 2, in turns from a jump, -0.5 to 0.5.
@_noLocks
@inline(__always)
private func ramp(_ turns: Double, _ edge: Double) -> Double {
  let fraction = turns / edge + 0.5
  return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0
}

/// Returns the attenuation of a shape at a phase, 0 to 1.
///
/// All shapes begin in the middle and fall.
@_noLocks
@inline(__always)
private func shape(_ index: Int, _ phase: Double, edge: Double) -> Double {
  switch index {
  case 0: return 0.5 + 0.5 * Sine.ofTurns(phase)
  case 1: return phase < 0.25 ? 0.5 + 2 * phase : abs(2 * phase - 1.5)
  case 2:
    // Turned down in the first half.
    let distance = phase < 0.75 ? phase : phase - 1
    return ramp(distance, edge) - ramp(distance - 0.5, edge)
  default:
    // Falls along the turn, jumps up in its middle.
    let saw = phase < 0.5 ? phase + 0.5 : phase - 0.5
    let distance = phase - 0.5
    let half = edge / 2
    // Within the ramp the line between the two ends of the saw.
    guard abs(distance) < half else { return saw }
    return 1 - half - (1 - edge) * ramp(distance, edge)
  }
}

// MARK: - Life

extension Tremolo {
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
    oscillator.reset()
    needsReset = true
  }
}

// MARK: - Rendering

/// Returns the amplitude of the delay, in frames, that changes the pitch by some cents at a rate.
@_noLocks
private func swing(cents: Float, rateHz: Float, sampleRateHz: Double) -> Float {
  guard cents > 0 else { return 0 }
  let ratio = realtime_pow(2, Double(cents) / 1_200) - 1
  let seconds = ratio / (2 * Double.pi * Double(rateHz))
  return Float(min(seconds, maximumSwingSeconds) * sampleRateHz)
}

/// Returns the factor that compensates the loss of mean power of a shape at a depth, 0 to 1.
@_noLocks
private func makeup(shape: Int, depth: Float) -> Float {
  // The mean of a shape is one half; these are the means of the squares.
  let squares = SIMD4<Double>(0.375, 1.0 / 3, 0.5, 1.0 / 3)
  let depth = Double(depth)
  return Float(1 / realtime_sqrt(1 - depth + squares[min(max(shape, 0), 3)] * depth * depth))
}

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Tremolo, _ parameters: UnsafePointer<Float>) {
  let (mode, rate) = (Int(parameters[Parameter.mode] + 0.5), parameters[Parameter.rate])
  let wanted = Int(parameters[Parameter.shape] + 0.5)
  for index in 0 ..< shapeCount { state.shapeLevels[index].move(to: index == wanted ? 1 : 0) }
  let depth = mode == 1 ? 0 : parameters[Parameter.depth] * 0.01
  state.depth.move(to: depth)
  state.makeup.move(to: makeup(shape: wanted, depth: depth))
  state.swing.move(
    to: mode == 0
      ? 0
      : swing(
        cents: parameters[Parameter.vibrato], rateHz: rate, sampleRateHz: state.sampleRateHz))
  state.rightAhead.move(to: parameters[Parameter.phase] / 360)
  state.oscillator.set(frequencyHz: rate)
  state.edge.move(to: min(0.25, edgeSeconds * rate))
  guard state.needsReset else { return }
  state.needsReset = false
  for index in 0 ..< shapeCount { state.shapeLevels[index].finish() }
  state.depth.finish()
  state.makeup.finish()
  state.swing.finish()
  state.rightAhead.finish()
  state.edge.finish()
}

/// The level of one side.
@_noLocks
@inline(__always)
private func level(_ state: Tremolo, phase: Double, depth: Float) -> Float {
  var down = 0.0
  for index in 0 ..< shapeCount where state.shapeLevels[index].value != 0 {
    down +=
      Double(state.shapeLevels[index].value) * shape(index, phase, edge: Double(state.edge.value))
  }
  return 1 - depth * Float(down)
}

extension Tremolo {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      var (left, right) = (stereo.leftIn[frame], stereo.rightIn[frame])
      state.left.write(left)
      state.right.write(right)
      for index in 0 ..< shapeCount where state.shapeLevels[index].isMoving {
        _ = state.shapeLevels[index].next()
      }
      _ = state.edge.next()
      let ahead = Double(state.rightAhead.next())
      let (leftPhase, rightPhase) = (state.oscillator.phase, state.oscillator.phase(ahead: ahead))

      let swing = Double(state.swing.next())
      if swing != 0 {
        // From no delay to twice the swing.
        left = state.left.read(delay: swing * (1 + Sine.ofTurns(leftPhase)))
        right = state.right.read(delay: swing * (1 + Sine.ofTurns(rightPhase)))
      }
      let (depth, makeup) = (state.depth.next(), state.makeup.next())
      if depth != 0 {
        left *= level(state, phase: leftPhase, depth: depth) * makeup
        right *= level(state, phase: rightPhase, depth: depth) * makeup
      }
      stereo.leftOut[frame] = left
      stereo.rightOut[frame] = right
      state.oscillator.advance()
    }
    self = state
  }
}
