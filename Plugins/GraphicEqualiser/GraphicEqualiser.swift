// GraphicEqualiser.swift: 31 third-octave bands. SPDX-License-Identifier: MIT
//
// A bell for each third of an octave, in series (FilterCascade.swift), with gains that compensate the effect
// of each bell on the others (GraphicDesign.swift).

import ModuleABI
import ModuleKit

typealias Exported = GraphicEqualiser

// MARK: - Constants

private let glideSeconds = 0.005
/// Input above this level, or NaN, is a fault of an earlier node and becomes silence.
private let loudest: Float = 1e6

// MARK: - Parameters, in the order of the manifest: the sliders, then the output gain

private let outputGain = GraphicDesign.sliderCount

// MARK: - State

/// The state of an instance.
struct GraphicEqualiser: AudioModule {
  // Parameters as last set.
  var sliders: InlineArray<31, Float>  // dB
  // Running state.
  let cascade: FilterCascade
  var gain: Smoother  // linear
  var needsReset = true  // no block since create or reset
  // Derived once.
  let design: GraphicDesign

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    sliders = InlineArray(repeating: 0)
    design = GraphicDesign(sampleRateHz: sampleRateHz)
    cascade = FilterCascade(
      bandCount: design.bandCount, maximumFrameCount: maximumFrameCount,
      glideSeconds: glideSeconds, sampleRateHz: sampleRateHz)
    gain = Smoother(
      1, timeConstantSeconds: Float(glideSeconds), sampleRateHz: Float(sampleRateHz))
  }
}

// MARK: - Life

extension GraphicEqualiser {
  /// Frees the memory. [main]
  func free() {
    cascade.free()
    design.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    needsReset = true
  }
}

// MARK: - Rendering

/// Redesigns all filters if a slider has moved, because each contributes to all others.
@_noLocks
private func prepare(_ state: inout GraphicEqualiser, _ parameters: UnsafePointer<Float>) {
  var hasMoved = state.needsReset
  for slider in 0 ..< GraphicDesign.sliderCount
  where parameters[slider] != state.sliders[slider] {
    state.sliders[slider] = parameters[slider]
    hasMoved = true
  }
  state.gain.move(to: Decibels.amplitude(parameters[outputGain]))
  if state.needsReset { state.gain.finish() }
  if hasMoved {
    state.design.design(parameters)
    for band in 0 ..< state.design.bandCount {
      let filter = state.design.filter(band)
      state.cascade.set(
        band, to: filter.coefficients, isFlat: filter.isFlat, isFresh: state.needsReset)
    }
  }
  state.needsReset = false
}

/// Replaces NaN and infinity by silence.
@_noLocks @inline(__always)
private func finite(_ x: Float) -> Double { abs(x) <= loudest ? Double(x) : 0 }

extension GraphicEqualiser {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    let stereo = block.stereo
    let count = block.frameCount
    let frames = cascade.frames
    for frame in 0 ..< count {
      let input = stereo.input(at: frame)
      frames[frame] = SIMD2(finite(input.x), finite(input.y))
    }
    cascade.render(frameCount: count)
    var gain = self.gain
    for frame in 0 ..< count {
      let sound = frames[frame] * Double(gain.next())
      stereo.output(SIMD2<Float>(sound), at: frame)
    }
    self.gain = gain
  }
}
