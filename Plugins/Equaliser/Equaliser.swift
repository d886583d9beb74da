// Equaliser.swift: eight bands in series, stereo. SPDX-License-Identifier: MIT
//
// Each band is a second-order filter whose response follows the analogue original up to 20 kHz
// (BandDesign.swift), in a structure that may be modulated at any speed (StateVariableFilter.swift). A change
// of any parameter, including the type, ramps the coefficients over some milliseconds; bands without effect
// are skipped (FilterCascade.swift).

import ModuleABI
import ModuleKit

// MARK: - Constants

private let bandCount = 8
private let glideSeconds = 0.005

// MARK: - Parameters, in the order of the manifest: four for each band, the output gain, and the design

private let parametersPerBand = 4
private let outputGain = bandCount * parametersPerBand
private let design = outputGain + 1

// MARK: - State

struct Equaliser: AudioModule {
  // Parameters as last set.
  var needsReset = true
  var outputDecibels: Float = 0  // dB
  var isBilinear = false
  // Derived once.
  let sampleRateHz: Double  // Hz
  // Running state.
  let bands: UnsafeMutablePointer<SIMD4<Float>>  // as last set: type, Hz, dB, Q
  let cascade: FilterCascade
  var gain: Smoother  // linear

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    self.sampleRateHz = sampleRateHz
    bands = .allocate(capacity: bandCount)
    bands.initialize(repeating: SIMD4(), count: bandCount)
    cascade = FilterCascade(
      bandCount: bandCount, maximumFrameCount: maximumFrameCount, glideSeconds: glideSeconds,
      sampleRateHz: sampleRateHz)
    gain = Smoother(
      1, timeConstantSeconds: Float(glideSeconds), sampleRateHz: Float(sampleRateHz))
  }
}

// MARK: - Parameters to coefficients

@_noLocks
private func settings(_ parameters: SIMD4<Float>) -> BandSettings {
  BandSettings(
    kind: BandKind(rawValue: Int(min(max(parameters[0], 0), 8) + 0.5)) ?? .off,
    frequencyHz: Double(max(parameters[1], 1)), gainDecibels: Double(parameters[2]),
    q: Double(max(parameters[3], 0.05)))
}

/// Takes the parameters that are new and starts the interpolators.
@_noLocks
private func update(_ state: inout Equaliser, _ parameters: UnsafePointer<Float>) {
  let isBilinear = parameters[design] >= 0.5
  let hasNewDesign = isBilinear != state.isBilinear
  state.isBilinear = isBilinear
  for b in 0 ..< bandCount {
    let p = parameters + b * parametersPerBand
    let wanted = SIMD4(p[0], p[1], p[2], p[3])
    guard state.needsReset || hasNewDesign || wanted != state.bands[b] else { continue }
    state.bands[b] = wanted
    let band = settings(wanted)
    state.cascade.set(
      b, to: bandCoefficients(band, isBilinear: isBilinear, sampleRateHz: state.sampleRateHz),
      isFlat: band.changesNothing(), isFresh: state.needsReset)
  }
  let decibels = parameters[outputGain]
  if state.needsReset || decibels != state.outputDecibels {
    state.gain.move(to: Decibels.amplitude(decibels))
    if state.needsReset { state.gain.jump(to: Decibels.amplitude(decibels)) }
    state.outputDecibels = decibels
  }
  state.needsReset = false
}

/// Writes the block with the output gain.
@_noLocks
private func write(
  _ state: inout Equaliser, _ left: UnsafeMutablePointer<Float>,
  _ right: UnsafeMutablePointer<Float>,
  _ count: Int
) {
  let frames = state.cascade.frames
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

// MARK: - Life

/// The struct that `Exports.swift` exports.
typealias Exported = Equaliser

extension Equaliser {
  /// Frees the memory. [main]
  mutating func free() {
    bands.deallocate()
    cascade.free()
  }

  /// Clears the signal state; the next block starts at its parameters. [render]
  @_noLocks
  mutating func reset() { needsReset = true }
}

// MARK: - Sound

extension Equaliser {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let count = block.frameCount
    update(&self, block.parameters)
    let stereo = block.stereo
    for i in 0 ..< count { cascade.frames[i] = SIMD2<Double>(stereo.input(at: i)) }
    cascade.render(frameCount: count)
    write(&self, block.outputs[0], block.outputs[1], count)
  }
}
