// Chorus.swift: one to three voices that drift around the sound. SPDX-License-Identifier: MIT
//
// Each side has a delay line, read by up to three voices, whose delays swing on sines that are evenly
// spread over a turn; those of the right side lie midway between those of the left. The wet sum is
// divided by the root of the number of voices, so that it stays about as loud.
//
// The modulated delay line and its uses: J. Dattorro, Effect Design, Part 2: Delay-Line Modulation
// and Chorus, J. Audio Eng. Soc. 45 (10), 1997.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let maximumDelaySeconds = 0.05
private let voiceCount = 3

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let voices = 0, rate = 1, delay = 2, depth = 3, spread = 4, mix = 5
}

// MARK: - State

/// One voice: how loud it is, and where its sines stand beside the oscillator's.
private struct Voice {
  var gain: Smoother  // ratio
  var ahead: Smoother  // turns
  // The offset of each side as a rotation, so that two sines serve all voices.
  var cosine = SIMD2<Double>(1, 1)
  var sine = SIMD2<Double>.zero

  init(sampleRateHz: Float) {
    gain = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: sampleRateHz)
    ahead = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: sampleRateHz)
  }

  @_noLocks
  mutating func turn(rightAhead: Float) {
    for side in 0 ..< 2 {
      let turns = Double(ahead.value) + (side == 1 ? Double(rightAhead) : 0)
      let quarter = turns + 0.25
      sine[side] = Sine.ofTurns(turns - Double(Int(turns)))
      cosine[side] = Sine.ofTurns(quarter - Double(Int(quarter)))
    }
  }
}

/// What one instance holds.
private struct State {
  // Parameters on their way.
  var voices: InlineArray<3, Voice>
  var shortest: Smoother  // frames
  var swing: Smoother  // frames
  var rightAhead: Smoother  // turns
  var mix: Smoother  // ratio
  // Running state.
  var oscillator: LowFrequencyOscillator
  var left: DelayLine
  var right: DelayLine
  var isFresh = true  // nothing rendered since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double) {
    let rate = Float(sampleRateHz)
    let smoother = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    voices = InlineArray(repeating: Voice(sampleRateHz: rate))
    shortest = smoother
    swing = smoother
    rightAhead = smoother
    mix = smoother
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
    let longest = Int(maximumDelaySeconds * sampleRateHz) + 4
    left = DelayLine(maximumAge: longest)
    right = DelayLine(maximumAge: longest)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

/// Makes one instance, or nothing at a rate outside 1 kHz to 1 MHz. [main]
@c(create)
public func create(_ sampleRateHz: Double, _ maximumFrameCount: UInt32) -> UnsafeMutableRawPointer?
{
  Instance.make(sampleRateHz: sampleRateHz) { State(sampleRateHz: $0) }
}

/// Frees what `create` made. [main]
@c(destroy)
public func destroy(_ instance: UnsafeMutableRawPointer?) {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return }
  state.pointee.left.free()
  state.pointee.right.free()
  state.deallocate()
}

/// Back to silence. [render]
@_noLocks
@c(reset)
public func reset(_ instance: UnsafeMutableRawPointer?) {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return }
  state.pointee.left.clear()
  state.pointee.right.clear()
  state.pointee.oscillator.reset()
  state.pointee.isFresh = true
}

// MARK: - Rendering

/// Sets every glide's goal, and starts there if nothing has been rendered yet.
@_noLocks
private func prepare(_ state: inout State, _ parameters: UnsafePointer<Float>) {
  let framesPerMillisecond = Float(state.sampleRateHz) * 0.001
  let count = min(max(Int(parameters[Parameter.voices] + 0.5), 1), voiceCount)
  let level = Float(1 / realtime_sqrt(Double(count)))
  for voice in 0 ..< voiceCount {
    state.voices[voice].gain.move(to: voice < count ? level : 0)
    state.voices[voice].ahead.move(to: Float(voice % count) / Float(count))
  }
  state.shortest.move(to: parameters[Parameter.delay] * framesPerMillisecond)
  state.swing.move(to: parameters[Parameter.depth] * framesPerMillisecond)
  state.rightAhead.move(to: parameters[Parameter.spread] * 0.01 * 0.5 / Float(count))
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.oscillator.set(frequencyHz: parameters[Parameter.rate])
  guard state.isFresh else { return }
  state.isFresh = false
  state.shortest.finish()
  state.swing.finish()
  state.rightAhead.finish()
  state.mix.finish()
  for voice in 0 ..< voiceCount {
    state.voices[voice].gain.finish()
    state.voices[voice].ahead.finish()
    state.voices[voice].turn(rightAhead: state.rightAhead.value)
  }
}

/// Advances what glides of the voices by one frame.
@_noLocks
@inline(__always)
private func glide(_ state: inout State) {
  let isTurning = state.rightAhead.isMoving
  let rightAhead = isTurning ? state.rightAhead.next() : state.rightAhead.value
  for voice in 0 ..< voiceCount {
    if state.voices[voice].gain.isMoving { _ = state.voices[voice].gain.next() }
    guard isTurning || state.voices[voice].ahead.isMoving else { continue }
    _ = state.voices[voice].ahead.next()
    state.voices[voice].turn(rightAhead: rightAhead)
  }
}

/// Renders one block; parameters in the order of the manifest. [render]
@_noLocks
@c(process)
public func process(
  _ instance: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  guard let memory = instance?.assumingMemoryBound(to: State.self) else { return }
  prepare(&memory.pointee, parameters)
  var state = memory.pointee
  let (leftIn, rightIn) = (inputs[0], inputs[1])
  let (leftOut, rightOut) = (outputs[0], outputs[1])

  for frame in 0 ..< Int(frameCount) {
    let dry = SIMD2(leftIn[frame], rightIn[frame])
    state.left.write(dry.x)
    state.right.write(dry.y)
    glide(&state)
    let half = Double(state.swing.next()) * 0.5
    let middle = Double(state.shortest.next()) + half
    let swing = state.oscillator.sines(ahead: 0.25) * half
    state.oscillator.advance()

    var wet = SIMD2<Float>.zero
    for voice in 0 ..< voiceCount where state.voices[voice].gain.value != 0 {
      let ages = middle + swing.x * state.voices[voice].cosine + swing.y * state.voices[voice].sine
      let sound = SIMD2(state.left.read(age: ages.x), state.right.read(age: ages.y))
      wet += sound * state.voices[voice].gain.value
    }
    let mix = state.mix.next()
    // At rest on 0 the dry signal passes bit for bit.
    let mixed = mix == 0 ? dry : dry * (1 - mix) + wet * mix
    leftOut[frame] = mixed.x
    rightOut[frame] = mixed.y
  }
  memory.pointee = state
}
