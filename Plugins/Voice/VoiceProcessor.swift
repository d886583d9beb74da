// VoiceProcessor.swift: processing for a speech microphone. SPDX-License-Identifier: MIT
//
// High-pass, echo canceller (EchoCanceller.swift), noise reduction (NoiseReducer.swift) and leveller
// (Leveller.swift), in blocks of about 10 ms that are counted from the first frame.

import ModuleABI
import ModuleKit

typealias Exported = VoiceProcessor

// MARK: - Constants

private let blockSeconds = 0.011_7

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let highPass = 0, echo = 1, reduction = 2, levelling = 3, target = 4
}

// MARK: - State

/// The state of an instance.
struct VoiceProcessor: AudioModule {
  // Parameters as last set.
  var highPassHz: Float = 0
  var filter = FilterCoefficients()
  var wantedFilter = FilterCoefficients()
  // Running state.
  var filterState = FilterState()
  var canceller: EchoCanceller
  var reducer: NoiseReducer
  var leveller: Leveller
  let voice: UnsafeMutablePointer<Float>  // collected, then done
  let reference: UnsafeMutablePointer<Float>
  let due: UnsafeMutablePointer<Float>
  var position = 0
  var needsReset = true
  // Derived once.
  let hop: Int
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    self.sampleRateHz = sampleRateHz
    var hop = 16
    while Double(2 * hop) <= blockSeconds * sampleRateHz, hop < 8_192 { hop *= 2 }
    self.hop = hop
    canceller = EchoCanceller(hop: hop, sampleRateHz: sampleRateHz)
    reducer = NoiseReducer(hop: hop, sampleRateHz: sampleRateHz)
    leveller = Leveller(hop: hop, sampleRateHz: sampleRateHz)
    voice = .allocate(capacity: hop)
    reference = .allocate(capacity: hop)
    due = .allocate(capacity: hop)
    clear()
  }

  @_noLocks
  mutating func clear() {
    canceller.clear()
    reducer.clear()
    leveller.clear()
    filterState = FilterState()
    voice.update(repeating: 0, count: hop)
    reference.update(repeating: 0, count: hop)
    due.update(repeating: 0, count: hop)
    position = 0
    needsReset = true
  }
}

// MARK: - Life

extension VoiceProcessor {
  /// Frees the memory. [main]
  func free() {
    canceller.free()
    reducer.free()
    voice.deallocate()
    reference.deallocate()
    due.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    clear()
  }

  /// Two blocks: one is collected, one overlaps. [main]
  var latencyFrames: Int { 2 * Int(hop) }
}

// MARK: - Rendering

@_noLocks
private func prepare(_ state: inout VoiceProcessor, _ parameters: UnsafePointer<Float>) {
  let frequencyHz = parameters[Parameter.highPass]
  if frequencyHz != state.highPassHz {
    state.highPassHz = frequencyHz
    let ratio = min(Double(frequencyHz) / state.sampleRateHz, 0.45)
    state.wantedFilter = FilterCoefficients(
      g: realtime_tan(Double.pi * ratio), k: realtime_sqrt(2), high: 1, band: 0, low: 0)
  }
  if state.needsReset { state.filter = state.wantedFilter }
  state.needsReset = false
}

/// A block has been collected.
@_noLocks
private func finishBlock(_ state: inout VoiceProcessor, _ parameters: UnsafePointer<Float>) {
  if parameters[Parameter.echo] > 0.5 {
    state.canceller.cancel(state.voice, state.reference)
  } else {
    state.canceller.residual.update(repeating: 0, count: state.hop)
  }
  state.reducer.reduce(
    state.voice, echo: state.canceller.residual, reduction: parameters[Parameter.reduction])
  state.leveller.level(
    state.voice, state.hop, presence: state.reducer.presence,
    target: parameters[Parameter.target], most: parameters[Parameter.levelling])
  for frame in 0 ..< state.hop { state.due[frame] = state.voice[frame] }
  state.position = 0
}

extension VoiceProcessor {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (inputs, outputs, parameters) = (block.inputs, block.outputs, block.parameters)
    prepare(&self, parameters)
    var state = self
    let glide = 1 / (0.02 * state.sampleRateHz)
    for frame in 0 ..< block.frameCount {
      let input = SIMD2<Double>(Double(SampleGuard.sanitizedInput(inputs[0][frame])), 0)
      let reference = SampleGuard.sanitizedInput(inputs[1][frame])
      state.filter.approach(state.wantedFilter, by: glide)
      let filtered = Float(state.filter.step(input, &state.filterState).x)
      outputs[0][frame] = state.due[state.position]
      // Inaudible levels are cleared, because the filter's tail would never become silent.
      state.voice[state.position] = SampleGuard.flushed(filtered)
      state.reference[state.position] = reference
      state.position += 1
      if state.position == state.hop { finishBlock(&state, parameters) }
    }
    self = state
  }
}
