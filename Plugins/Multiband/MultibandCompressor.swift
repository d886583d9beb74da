// MultibandCompressor.swift: a compressor for each of four bands. SPDX-License-Identifier: MIT
//
// The signal is split into four bands with a flat sum (Crossover.swift), each band has a compressor
// (Dynamics.swift), and the results are added.

import ModuleABI
import ModuleKit

typealias Exported = MultibandCompressor

// MARK: - Constants

private let glideSeconds = 0.01
/// So often the filters' memory is looked at, in frames.
private let settlingFrames = 32
/// Input above this level, or NaN, is a fault of an earlier node and becomes silence.
private let loudest: Float = 1e6

// MARK: - Parameters, in the manifest's order: for all, then for each band

private enum Parameter {
  static let lowest = 0, middle = 1, highest = 2, knee = 3, amount = 4, output = 5
  static let firstBand = 6
  // Offsets of a band's parameters:
  static let threshold = 0, ratio = 1, attack = 2, release = 3, gain = 4, solo = 5, bypass = 6
  static let perBand = 7, count = 34
}

// MARK: - State

/// The state of an instance.
struct MultibandCompressor: AudioModule {
  // Parameters as last set.
  var parameters: InlineArray<34, Float>
  var settings = BandSettings()
  var halfKnee: Smoother  // dB
  var output: Smoother  // linear
  // Running state.
  var crossover: Crossover
  var dynamics = Dynamics()
  let bands: UnsafeMutablePointer<Bands>  // a run
  let reductions: UnsafeMutablePointer<Lanes>  // a run, dB
  var changingCount = 0  // frames since the filters' memory was looked at
  var needsReset = true  // no block since create or reset
  let coefficient: Float  // of the remaining change per frame
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    parameters = InlineArray(repeating: -.infinity)
    halfKnee = Smoother(
      0, timeConstantSeconds: Float(glideSeconds), sampleRateHz: Float(sampleRateHz))
    output = halfKnee
    bands = .allocate(capacity: settlingFrames)
    reductions = .allocate(capacity: settlingFrames)
    crossover = Crossover(glideSeconds: 0.03, sampleRateHz: sampleRateHz)
    coefficient = Float(1 - realtime_exp(-1 / (glideSeconds * sampleRateHz)))
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension MultibandCompressor {
  /// Frees the memory. [main]
  func free() {
    bands.deallocate()
    reductions.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    crossover.clear()
    changingCount = 0
    dynamics.clear()
    needsReset = true
  }

  /// Each band's reduction in dB, the most of the last block. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    for band in 0 ..< 4 { values[band] = dynamics.maximumReduction[band] }
  }
}

// MARK: - Parameters to coefficients

/// Takes the parameters if any is new.
@_noLocks
private func prepare(_ state: inout MultibandCompressor, _ parameters: UnsafePointer<Float>) {
  var isNew = state.needsReset
  for index in 0 ..< Parameter.count where parameters[index] != state.parameters[index] {
    state.parameters[index] = parameters[index]
    isNew = true
  }
  guard isNew else { return }
  state.crossover.move(
    to: parameters[Parameter.lowest], parameters[Parameter.middle], parameters[Parameter.highest])
  state.halfKnee.move(to: max(parameters[Parameter.knee] * 0.5, 1e-3))
  state.output.move(to: Decibels.amplitude(parameters[Parameter.output]))
  prepareBands(&state, parameters + Parameter.firstBand, parameters[Parameter.amount] * 0.01)
  guard state.needsReset else { return }
  state.needsReset = false
  state.crossover.finish()
  state.halfKnee.finish()
  state.output.finish()
  state.settings.finish()
}

/// `amount` is the share of all reductions and gains that is used.
@_noLocks
private func prepareBands(
  _ state: inout MultibandCompressor, _ parameters: UnsafePointer<Float>, _ amount: Float
) {
  var threshold = Lanes.zero
  var slope = Lanes.zero
  var gain = Lanes.zero
  var used = Lanes.zero
  var solo = Lanes.zero
  for band in 0 ..< 4 {
    let bandParameters = parameters + band * Parameter.perBand
    threshold[band] = bandParameters[Parameter.threshold]
    slope[band] = 1 - 1 / max(bandParameters[Parameter.ratio], 1)
    gain[band] = bandParameters[Parameter.gain]
    used[band] = bandParameters[Parameter.bypass] >= 0.5 ? 0 : amount
    solo[band] = bandParameters[Parameter.solo] >= 0.5 ? 1 : 0
    state.settings.attack[band] = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(bandParameters[Parameter.attack]) * 0.001,
      sampleRateHz: state.sampleRateHz)
    state.settings.release[band] = EnvelopeFollower.coefficient(
      timeConstantSeconds: Double(bandParameters[Parameter.release]) * 0.001,
      sampleRateHz: state.sampleRateHz)
  }
  state.settings.threshold.move(to: threshold)
  state.settings.slope.move(to: slope)
  state.settings.gain.move(to: gain)
  state.settings.amount.move(to: used)
  state.settings.audible.move(to: solo == .zero ? Lanes(repeating: 1) : solo)
}

// MARK: - Rendering

/// Replaces NaN and infinity by silence.
@_noLocks @inline(__always)
private func finite(_ x: Float) -> Float { abs(x) <= loudest ? x : 0 }

extension MultibandCompressor {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    let stereo = block.stereo
    dynamics.maximumReduction = .zero
    var done = 0
    while done < block.frameCount {
      let count = min(block.frameCount - done, settlingFrames - changingCount)
      if isMoving() {
        for frame in done ..< done + count { render(stereo, frame ..< frame + 1) }
      } else {
        render(stereo, done ..< done + count)
      }
      done += count
      changingCount += count
      guard changingCount == settlingFrames else { continue }
      changingCount = 0
      crossover.settle()
    }
  }

  @_noLocks
  private func isMoving() -> Bool {
    crossover.isMoving || settings.isMoving || halfKnee.isMoving || output.isMoving
  }

  /// Processes frames with constant settings.
  @_noLocks
  private mutating func render(_ stereo: StereoBlock, _ frames: Range<Int>) {
    crossover.glide()
    let values = BandValues(
      &settings, coefficient: coefficient, halfKnee: halfKnee.next(), output: output.next())
    let (attack, release) = (settings.attack, settings.release)
    // In separate loops, because only a few steps depend on the previous frame.
    var crossover = crossover
    for index in 0 ..< frames.count {
      let input = stereo.input(at: frames.lowerBound + index)
      bands[index] = crossover.next(finite(input.x), finite(input.y))
    }
    self.crossover = crossover
    for index in 0 ..< frames.count {
      reductions[index] = Dynamics.wanted(bands[index], values)
    }
    var dynamics = dynamics
    for index in 0 ..< frames.count {
      reductions[index] = dynamics.followed(
        reductions[index], values, attack: attack, release: release)
    }
    self.dynamics = dynamics
    for index in 0 ..< frames.count {
      let frame = frames.lowerBound + index
      let gains = Dynamics.factors(reductions[index], values)
      stereo.leftOut[frame] = UnalignedSIMD.sum(bands[index].left * gains)
      stereo.rightOut[frame] = UnalignedSIMD.sum(bands[index].right * gains)
    }
  }
}
