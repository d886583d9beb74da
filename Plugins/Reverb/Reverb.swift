// Reverb.swift: a stereo reverb for voice and guitar. SPDX-License-Identifier: MIT
//
// The signal loses its lowest frequencies, waits for the pre-delay and is washed by all-passes;
// part of that is heard as the early response, all of it enters a feedback delay network
// (Network.swift) whose lines sway slowly, which spreads the resonances that would ring. The
// wet level is set so that the mids of steady noise come out as loud as they went in.

import ModuleABI
import ModuleKit

typealias Exported = Reverb

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let preDelayGlideSeconds: Float = 0.06
private let maximumPreDelaySeconds = 0.25
// Together they make the mids of steady noise as loud wet as dry: 0.35^2 early and
// 16 (0.35 * 0.67)^2 late.
private let earlyGain: Float = 0.35
private let leaveGain: Float = 0.35
private let lateGain: Float = 0.67

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let mix = 0, preDelay = 1, size = 2, decay = 3, damping = 4, lowCut = 5, width = 6
  static let modulation = 7
}

// MARK: - State

/// How the sides enter and leave the lines.
///
/// Part of the state, since a global of this size would
/// be made at its first use, under a lock.
struct Signs {
  let leftEnters = Lanes(1, 0, -1, 0, 1, 0, -1, 0, 1, 0, 1, 0, -1, 0, -1, 0)
  let rightEnters = Lanes(0, 1, 0, 1, 0, -1, 0, -1, 0, 1, 0, -1, 0, 1, 0, 1)
  // Two rows of a Hadamard matrix, so that the sides have little in common.
  let leftLeaves = Lanes(1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1)
  let rightLeaves = Lanes(1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1)
}

/// What one instance holds.
struct Reverb: AudioModule {
  // Parameters as last set.
  var mix: Smoother  // ratio
  var width: Smoother  // ratio
  var preDelay: GlidingAge  // frames
  var room = SIMD4<Float>(repeating: -1)  // size %, decay s, damping Hz, unused
  // Coefficients derived from them.
  var lowCut: Smoother  // of a one-pole filter, ratio
  var entry: Smoother  // level at which the network is fed, ratio
  // Running state.
  var low = SIMD2<Float>.zero  // what the low cut takes away
  var leftWait: DelayLine
  var rightWait: DelayLine
  var leftWash: Diffuser
  var rightWash: Diffuser
  var network: Network
  var isFresh = true  // nothing rendered since create or reset
  let sampleRateHz: Double
  let signs = Signs()

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    func smoother() -> Smoother {
      Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    }
    mix = smoother()
    width = smoother()
    lowCut = smoother()
    entry = smoother()
    preDelay = GlidingAge(1, timeConstantSeconds: preDelayGlideSeconds, sampleRateHz: rate)
    let longest = Int(maximumPreDelaySeconds * sampleRateHz) + 4
    leftWait = DelayLine(maximumAge: longest)
    rightWait = DelayLine(maximumAge: longest)
    leftWash = Diffuser(stretch: 1, sampleRateHz: sampleRateHz)
    rightWash = Diffuser(stretch: 1.083, sampleRateHz: sampleRateHz)
    network = Network(sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Reverb {
  /// Gives the memory back. [main]
  func free() {
    leftWait.free()
    rightWait.free()
    leftWash.free()
    rightWash.free()
    network.free()
  }

  /// Back to silence. [render]
  @_noLocks
  mutating func reset() {
    leftWait.clear()
    rightWait.clear()
    leftWash.clear()
    rightWash.clear()
    network.clear()
    low = .zero
    isFresh = true
  }
}

// MARK: - Rendering

/// Sets every glide's goal, and starts there if nothing has been rendered yet.
@_noLocks
private func prepare(_ state: inout Reverb, _ parameters: UnsafePointer<Float>) {
  let rate = state.sampleRateHz
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.width.move(to: parameters[Parameter.width] * 0.01)
  // One frame at least: the cubic needs a newer neighbour while it glides.
  state.preDelay.move(to: 1 + Int(Double(parameters[Parameter.preDelay]) * 0.001 * rate + 0.5))
  let cut = min(Double(parameters[Parameter.lowCut]), 0.45 * rate)
  state.lowCut.move(to: Float(1 - realtime_exp(-2 * Double.pi * cut / rate)))
  state.network.set(modulation: parameters[Parameter.modulation] * 0.01)
  prepareRoom(&state, parameters)
  guard state.isFresh else { return }
  state.isFresh = false
  state.mix.finish()
  state.width.finish()
  state.lowCut.finish()
  state.entry.finish()
  state.preDelay.jump(to: state.preDelay.age)
  state.network.finish()
}

/// The costly part, done only when one of its parameters has changed.
@_noLocks
private func prepareRoom(_ state: inout Reverb, _ parameters: UnsafePointer<Float>) {
  let room = SIMD4(
    parameters[Parameter.size], parameters[Parameter.decay], parameters[Parameter.damping], 0)
  guard room != state.room else { return }
  state.room = room
  let (size, decay) = (Double(room.x) * 0.01, Double(room.y))
  state.network.set(size: size, decaySeconds: decay, dampingHz: Double(room.z))
  state.entry.move(
    to: lateGain / Float(Network.buildUp(size: size, decaySeconds: decay)))
}

/// The sum of all lines, in pairs.
@_noLocks
@inline(__always)
private func sum(_ lanes: Lanes) -> Float {
  let eight = lanes.lowHalf + lanes.highHalf
  let four = eight.lowHalf + eight.highHalf
  return (four.x + four.z) + (four.y + four.w)
}

extension Reverb {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      state.low += (dry - state.low) * state.lowCut.next()
      let cut = dry - state.low
      state.leftWait.write(cut.x)
      state.rightWait.write(cut.y)
      state.preDelay.advance()
      let (age, excess) = (state.preDelay.age, state.preDelay.excess)
      let left = state.leftWash.next(state.leftWait.read(age: age, excess: excess))
      let right = state.rightWash.next(state.rightWait.read(age: age, excess: excess))

      let entry = state.entry.next()
      let lines = state.network.next(
        state.signs.leftEnters * (left * entry) + state.signs.rightEnters * (right * entry))
      let wetLeft = sum(lines * state.signs.leftLeaves) * leaveGain + left * earlyGain
      let wetRight = sum(lines * state.signs.rightLeaves) * leaveGain + right * earlyGain

      let centre = (wetLeft + wetRight) * 0.5
      let side = (wetLeft - wetRight) * 0.5 * state.width.next()
      let wet = SIMD2(centre + side, centre - side)
      let mix = state.mix.next()
      stereo.output(dry: dry, wet: wet, mix: mix, at: frame)
    }
    self = state
    if !network.isFinite || !low.sum().isFinite { reset() }
  }
}
