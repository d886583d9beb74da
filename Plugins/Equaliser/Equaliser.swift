// Equaliser.swift: eight bands in a row, stereo. SPDX-License-Identifier: MIT
//
// Each band is a second-order filter whose response follows the analogue original up to 20 kHz
// (BandDesign.swift) in a structure that may be modulated at any speed (StateVariableFilter.swift).
// A change of any parameter, the type included, blends the coefficients over some milliseconds.
// Bands that do nothing are skipped: with all of them flat every bit passes through.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let bandCount = 8
private let glideSeconds = 0.005
/// After so many time constants a glide is at its end: the rest, 2e-9, is inaudible.
private let glideTimeConstants = 20.0

// MARK: - Parameters, in the order of the manifest: four for each band, then the output's gain

private let parametersPerBand = 4
private let outputGain = bandCount * parametersPerBand

// MARK: - State

private struct Band {
  // Parameters as last set: type, Hz, dB, Q.
  var parameters = SIMD4<Float>()
  // Coefficients derived from them.
  var target = FilterCoefficients()
  var isFlat = true
  // Running state.
  var coefficients = FilterCoefficients()
  var filter = FilterState()
  var glideFrames: Int32 = 0  // frames that the glide still lasts

  @_noLocks
  func isGliding() -> Bool { glideFrames > 0 }

  @_noLocks
  func isAsleep() -> Bool { isFlat && glideFrames == 0 }
}

/// What glides are made of; derived once.
private struct Glide {
  let frames: Int32
  let fraction: Double  // of what is left, each frame

  init(sampleRateHz: Double) {
    frames = Int32(glideSeconds * glideTimeConstants * sampleRateHz)
    fraction = 1 - exp(-1 / (glideSeconds * sampleRateHz))
  }
}

private struct State {
  // Parameters as last set.
  var isFresh = true
  var outputDecibels: Float = 0  // dB
  // Derived once.
  let sampleRateHz: Double  // Hz
  let glide: Glide
  // Running state.
  let bands: UnsafeMutablePointer<Band>
  let frames: UnsafeMutablePointer<SIMD2<Double>>  // the block between two bands
  var gain: Smoother  // linear

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    self.sampleRateHz = sampleRateHz
    glide = Glide(sampleRateHz: sampleRateHz)
    bands = .allocate(capacity: bandCount)
    bands.initialize(repeating: Band(), count: bandCount)
    frames = .allocate(capacity: maximumFrameCount)
    frames.initialize(repeating: SIMD2(), count: maximumFrameCount)
    gain = Smoother(
      1, timeConstantSeconds: Float(glideSeconds), sampleRateHz: Float(sampleRateHz))
  }
}

// MARK: - Parameters to coefficients

@_noLocks
private func settings(_ parameters: SIMD4<Float>) -> BandSettings {
  BandSettings(
    kind: BandKind(rawValue: Int(min(max(parameters[0], 0), 7) + 0.5)) ?? .off,
    frequencyHz: Double(max(parameters[1], 1)), gainDecibels: Double(parameters[2]),
    q: Double(max(parameters[3], 0.05)))
}

/// Designs a band anew and starts its glide.
@_noLocks
private func update(_ band: inout Band, _ settings: BandSettings, _ state: borrowing State) {
  band.target = bandCoefficients(settings, sampleRateHz: state.sampleRateHz)
  let sleptOn = band.isAsleep() && settings.changesNothing()
  if state.isFresh || sleptOn {
    band.coefficients = band.target
    band.filter = FilterState()
    band.glideFrames = 0
  } else {
    if band.isAsleep() {
      // Silent integrators: the poles need no glide, only the output does.
      band.coefficients = band.target.bypassed()
      band.filter = FilterState()
    }
    band.glideFrames = state.glide.frames
  }
  band.isFlat = settings.changesNothing()
}

/// Takes the parameters that are new and starts the interpolators.
@_noLocks
private func update(_ state: inout State, _ parameters: UnsafePointer<Float>) {
  for b in 0 ..< bandCount {
    let p = parameters + b * parametersPerBand
    let wanted = SIMD4(p[0], p[1], p[2], p[3])
    if state.isFresh || wanted != state.bands[b].parameters {
      update(&state.bands[b], settings(wanted), state)
      state.bands[b].parameters = wanted
    }
  }
  let decibels = parameters[outputGain]
  if state.isFresh || decibels != state.outputDecibels {
    state.gain.move(to: Decibels.amplitude(decibels))
    if state.isFresh { state.gain.jump(to: Decibels.amplitude(decibels)) }
    state.outputDecibels = decibels
  }
  state.isFresh = false
}

// MARK: - The loops

/// One band whose coefficients move.
@_noLocks
private func renderGliding(
  _ band: inout Band, _ glide: Glide, _ frames: UnsafeMutablePointer<SIMD2<Double>>, _ count: Int
) {
  var coefficients = band.coefficients
  var filter = band.filter
  var left = band.glideFrames
  for i in 0 ..< count {
    if left > 1 {
      coefficients.approach(band.target, by: glide.fraction)
      left -= 1
    } else {
      coefficients = band.target
      left = 0
      // Asleep from here on, wherever the block ends.
      if band.isFlat { break }
    }
    frames[i] = coefficients.step(frames[i], &filter)
  }
  band.coefficients = coefficients
  band.filter = filter
  band.glideFrames = left
}

/// One band at rest.
@_noLocks
private func render(
  _ band: inout Band, _ frames: UnsafeMutablePointer<SIMD2<Double>>, _ count: Int
) {
  let coefficients = band.coefficients
  var filter = band.filter
  for i in 0 ..< count { frames[i] = coefficients.step(frames[i], &filter) }
  band.filter = filter
}

/// Two bands at rest in one pass: each has the other's waiting times to work in.
@_noLocks
private func render(
  _ first: inout Band, _ second: inout Band, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
  _ count: Int
) {
  let coefficients = (first.coefficients, second.coefficients)
  var filters = (first.filter, second.filter)
  for i in 0 ..< count {
    frames[i] = coefficients.1.step(coefficients.0.step(frames[i], &filters.0), &filters.1)
  }
  first.filter = filters.0
  second.filter = filters.1
}

/// All bands that do something, in their order.
@_noLocks
private func renderBands(_ state: inout State, _ count: Int) {
  var waiting = -1
  for b in 0 ..< bandCount where !state.bands[b].isAsleep() {
    if state.bands[b].isGliding() {
      if waiting >= 0 { render(&state.bands[waiting], state.frames, count) }
      waiting = -1
      renderGliding(&state.bands[b], state.glide, state.frames, count)
    } else if waiting >= 0 {
      render(&state.bands[waiting], &state.bands[b], state.frames, count)
      waiting = -1
    } else {
      waiting = b
    }
  }
  if waiting >= 0 { render(&state.bands[waiting], state.frames, count) }
}

/// Writes the block, at the output's gain.
@_noLocks
private func write(
  _ state: inout State, _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>,
  _ count: Int
) {
  let frames = state.frames
  guard state.gain.isMoving else {
    let gain = Double(state.gain.value)
    for i in 0 ..< count {
      let frame = frames[i] * gain
      left[i] = Float(frame.x)
      right[i] = Float(frame.y)
    }
    return
  }
  var gliding = state.gain
  for i in 0 ..< count {
    let frame = frames[i] * Double(gliding.next())
    left[i] = Float(frame.x)
    right[i] = Float(frame.y)
  }
  state.gain = gliding
}

// MARK: - Entry points

/// Makes one instance. [main]
@c public func create(_ sampleRateHz: Double, _ maximumFrameCount: UInt32)
  -> UnsafeMutableRawPointer?
{
  guard sampleRateHz > 0, maximumFrameCount > 0 else { return nil }
  let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  state.initialize(
    to: State(sampleRateHz: sampleRateHz, maximumFrameCount: Int(maximumFrameCount)))
  return UnsafeMutableRawPointer(state)
}

/// Frees what `create` made. [main]
@c public func destroy(_ state: UnsafeMutableRawPointer) {
  let state = state.assumingMemoryBound(to: State.self)
  state.pointee.bands.deallocate()
  state.pointee.frames.deallocate()
  state.deallocate()
}

/// Back to silence; the next block starts at its parameters. [render]
@_noLocks
@c public func reset(_ state: UnsafeMutableRawPointer) {
  state.assumingMemoryBound(to: State.self).pointee.isFresh = true
}

/// Renders one block. [render]
@_noLocks
@c public func process(
  _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  let state = state.assumingMemoryBound(to: State.self)
  let count = Int(frameCount)
  update(&state.pointee, parameters)
  let (left, right) = (inputs[0], inputs[1])
  for i in 0 ..< count {
    state.pointee.frames[i] = SIMD2(Double(left[i]), Double(right[i]))
  }
  renderBands(&state.pointee, count)
  write(&state.pointee, outputs[0], outputs[1], count)
}
