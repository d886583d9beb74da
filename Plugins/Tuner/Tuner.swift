// Tuner.swift: which note is played, and how far it is off. SPDX-License-Identifier: MIT
//
// The sound passes, or is muted while one tunes. The mean of its channels goes, without its lowest
// frequencies and at about 24 kHz, to a pitch detector that measures some twenty times a second.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let muteSeconds: Float = 0.005
/// Hum and rumble below this are no notes.
private let highPassHz = 18.0

// MARK: - Parameters and readouts, in the manifest's order

private enum Parameter {
  static let reference = 0, threshold = 1, mute = 2
}

private enum Readout {
  static let pitch = 0, note = 1, cents = 2, level = 3, clarity = 4
}

// MARK: - State

/// What one instance holds.
private struct State {
  // Parameters as last set.
  var referenceHz = 440.0
  var threshold = 0.0  // power
  var passing: Smoother  // ratio
  // Running state.
  var low = 0.0  // what the high-pass takes away
  var decimator: Decimator
  var detector: PitchDetector
  var isFresh = true
  // Derived once.
  let highPass: Double

  init(sampleRateHz: Double) {
    passing = Smoother(
      1, timeConstantSeconds: muteSeconds, sampleRateHz: Float(sampleRateHz))
    decimator = Decimator(sampleRateHz: sampleRateHz)
    let rateHz = sampleRateHz / Double(decimator.factor)
    detector = PitchDetector(rateHz: rateHz)
    highPass = 1 - realtime_exp(-2 * Double.pi * highPassHz / rateHz)
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
  state.pointee.decimator.free()
  state.pointee.detector.free()
  state.deallocate()
}

/// Back to silence. [render]
@_noLocks
@c(reset)
public func reset(_ instance: UnsafeMutableRawPointer?) {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return }
  state.pointee.decimator.clear()
  state.pointee.detector.clear()
  state.pointee.low = 0
  state.pointee.isFresh = true
}

/// Writes what is shown, in the manifest's order; without a pitch all but the level are 0. [render]
@_noLocks
@c(readouts)
public func readouts(
  _ instance: UnsafeRawPointer?, _ values: UnsafeMutablePointer<Float>
) {
  guard let state = instance?.assumingMemoryBound(to: State.self) else { return }
  let pitch = state.pointee.detector.pitch
  for readout in 0 ..< 5 { values[readout] = 0 }
  values[Readout.level] = pitch.power > 1e-12 ? Float(10 * realtime_log10(pitch.power)) : -120
  guard pitch.power >= state.pointee.threshold, pitch.frequencyHz > 0 else { return }
  let octaves =
    realtime_log10(pitch.frequencyHz / state.pointee.referenceHz) * 3.321_928_094_887_362
  let note = 69 + 12 * octaves
  let nearest = Double(Int(note + 0.5))
  values[Readout.pitch] = Float(pitch.frequencyHz)
  values[Readout.note] = Float(nearest)
  values[Readout.cents] = Float(100 * (note - nearest))
  values[Readout.clarity] = Float(100 * pitch.clarity)
}

// MARK: - Rendering

/// Passes one block on, and listens; parameters in the order of the manifest. [render]
@_noLocks
@c(process)
public func process(
  _ instance: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  guard let memory = instance?.assumingMemoryBound(to: State.self) else { return }
  var state = memory.pointee
  state.referenceHz = Double(parameters[Parameter.reference])
  state.threshold = realtime_pow(10, Double(parameters[Parameter.threshold]) / 10)
  state.passing.move(to: parameters[Parameter.mute] > 0.5 ? 0 : 1)
  if state.isFresh { state.passing.finish() }
  state.isFresh = false
  let (leftIn, rightIn) = (inputs[0], inputs[1])
  let (leftOut, rightOut) = (outputs[0], outputs[1])
  for frame in 0 ..< Int(frameCount) {
    let (left, right) = (leftIn[frame], rightIn[frame])
    if let sample = state.decimator.next(0.5 * (Loop.entering(left) + Loop.entering(right))) {
      state.low += (Double(sample) - state.low) * state.highPass
      state.detector.take(sample - Float(state.low))
    }
    let passing = state.passing.next()
    leftOut[frame] = passing == 1 ? left : passing == 0 ? 0 : left * passing
    rightOut[frame] = passing == 1 ? right : passing == 0 ? 0 : right * passing
  }
  memory.pointee = state
}
