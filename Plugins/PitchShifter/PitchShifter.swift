// PitchShifter.swift: the same in another key. SPDX-License-Identifier: MIT
//
// A phase vocoder (PhaseVocoder.swift) moves the peaks of the spectrum to where they belong (PeakShift.swift);
// if the colour of a voice is to stay, each takes on the level that its new place had (Envelope.swift).

import ModuleABI
import ModuleKit

// MARK: - Constants

private let smoothingSeconds: Float = 0.03

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let semitones = 0, cents = 1, formants = 2, mix = 3
}

// MARK: - State

/// What one instance holds.
private struct State {
  // Parameters as last set, and on their way.
  var pitch = SIMD2<Float>(.nan, .nan)  // semitones, cents
  var ratio = 1.0  // derived from them
  var mix: Smoother  // ratio
  // Running state.
  var vocoder: PhaseVocoder
  var left: DelayLine
  var right: DelayLine
  var isFresh = true

  init(sampleRateHz: Double) {
    mix = Smoother(
      1, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    vocoder = PhaseVocoder(sampleRateHz: sampleRateHz)
    left = DelayLine(maximumAge: vocoder.latency)
    right = DelayLine(maximumAge: vocoder.latency)
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
  state.pointee.vocoder.free()
  state.pointee.left.free()
  state.pointee.right.free()
  state.deallocate()
}

/// Back to silence. [render]
@_noLocks
@c(reset)
public func reset(_ instance: UnsafeMutableRawPointer?) {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return }
  state.pointee.vocoder.clear()
  state.pointee.left.clear()
  state.pointee.right.clear()
  state.pointee.isFresh = true
}

/// How late the sound is, in frames, the dry one too. [main]
@c(latency)
public func latency(_ instance: UnsafeRawPointer?) -> UInt32 {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return 0 }
  return UInt32(state.pointee.vocoder.latency)
}

// MARK: - Rendering

/// Renders one block; parameters in the order of the manifest. [render]
@_noLocks
@c(process)
public func process(
  _ instance: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  guard let memory = instance?.assumingMemoryBound(to: State.self) else { return }
  var state = memory.pointee
  let pitch = SIMD2(parameters[Parameter.semitones], parameters[Parameter.cents])
  if pitch != state.pitch {
    state.pitch = pitch
    state.ratio = realtime_pow(2, (Double(pitch.x) + Double(pitch.y) * 0.01) / 12)
  }
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  if state.isFresh { state.mix.finish() }
  state.isFresh = false
  let isKeepingFormants = parameters[Parameter.formants] > 0.5
  let (leftIn, rightIn) = (inputs[0], inputs[1])
  let (leftOut, rightOut) = (outputs[0], outputs[1])

  for frame in 0 ..< Int(frameCount) {
    let sample = SIMD2(leftIn[frame], rightIn[frame])
    state.left.write(sample.x)
    state.right.write(sample.y)
    let age = state.vocoder.latency
    let dry = SIMD2(state.left.read(age: age), state.right.read(age: age))
    let wet = state.vocoder.next(
      SIMD2(Loop.entering(sample.x), Loop.entering(sample.y)), ratio: state.ratio,
      isKeepingFormants: isKeepingFormants)
    let mix = state.mix.next()
    // At rest on 0 the dry signal passes bit for bit, at rest on 100 % only the other.
    let mixed = mix == 0 ? dry : mix == 1 ? wet : dry * (1 - mix) + wet * mix
    leftOut[frame] = mixed.x
    rightOut[frame] = mixed.y
  }
  memory.pointee = state
}
