// Reverb.swift: a stereo reverb for voice and guitar. SPDX-License-Identifier: MIT
//
// The signal passes a low cut, the pre-delay and all-passes. A part of that is the early response, and all of
// it enters a feedback delay network (Network.swift), whose lines are slowly modulated to spread its
// resonances. The wet level is set so that the mids of steady noise are as loud as the input.

import ModuleABI
import ModuleKit

typealias Exported = Reverb

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let preDelayGlideSeconds: Float = 0.06
private let maximumPreDelaySeconds = 0.25
// Together they make speech and music as loud wet as dry. The mids of steady noise, which loses nothing to
// the low cut and to the damping, are 1.3 dB louder: 0.407^2 early and 16 (0.407 * 0.67)^2 late.
private let earlyGain: Float = 0.407
private let leaveGain: Float = 0.407
private let lateGain: Float = 0.67

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let mix = 0, preDelay = 1, size = 2, decay = 3, damping = 4, lowCut = 5, width = 6
  static let modulation = 7
}

// MARK: - State

/// The state of an instance.
struct Reverb: AudioModule {
  // Parameters as last set.
  var mix: MixControl
  var width: Smoother  // ratio
  var preDelay: GlidingDelay  // frames
  var room = SIMD4<Float>(repeating: -1)  // size %, decay s, damping Hz, unused
  // Coefficients derived from them.
  var lowCut: Smoother  // of a one-pole filter, ratio
  var entry: Smoother  // level at which the network is fed, ratio
  // Running state.
  var low = SIMD2<Float>.zero  // the low-pass state of the low cut
  var leftPreDelay: DelayLine
  var rightPreDelay: DelayLine
  var leftDiffuser: Diffuser
  var rightDiffuser: Diffuser
  var network: Network
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    func smoother() -> Smoother {
      Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    }
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    width = smoother()
    lowCut = smoother()
    entry = smoother()
    preDelay = GlidingDelay(1, timeConstantSeconds: preDelayGlideSeconds, sampleRateHz: rate)
    let longest = Int(maximumPreDelaySeconds * sampleRateHz) + 4
    leftPreDelay = DelayLine(maximumDelay: longest)
    rightPreDelay = DelayLine(maximumDelay: longest)
    leftDiffuser = Diffuser(stretch: 1, sampleRateHz: sampleRateHz)
    rightDiffuser = Diffuser(stretch: 1.083, sampleRateHz: sampleRateHz)
    network = Network(sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Reverb {
  /// Frees the memory. [main]
  func free() {
    leftPreDelay.free()
    rightPreDelay.free()
    leftDiffuser.free()
    rightDiffuser.free()
    network.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    leftPreDelay.clear()
    rightPreDelay.clear()
    leftDiffuser.clear()
    rightDiffuser.clear()
    network.clear()
    low = .zero
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
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
  prepareNetwork(&state, parameters)
  guard state.needsReset else { return }
  state.needsReset = false
  state.mix.finish()
  state.width.finish()
  state.lowCut.finish()
  state.entry.finish()
  state.preDelay.jump(to: state.preDelay.delay)
  state.network.finish()
  state.leftDiffuser.finish()
  state.rightDiffuser.finish()
}

/// The costly part, done only when one of its parameters has changed.
@_noLocks
private func prepareNetwork(_ state: inout Reverb, _ parameters: UnsafePointer<Float>) {
  let room = SIMD4(
    parameters[Parameter.size], parameters[Parameter.decay], parameters[Parameter.damping], 0)
  guard room != state.room else { return }
  state.room = room
  let (size, decay) = (Double(room.x) * 0.01, Double(room.y))
  state.network.set(size: size, decaySeconds: decay, dampingHz: Double(room.z))
  state.leftDiffuser.set(decaySeconds: decay)
  state.rightDiffuser.set(decaySeconds: decay)
  state.entry.move(
    to: lateGain / Float(Network.buildUp(size: size, decaySeconds: decay)))
}

/// Applies the low cut to 1 to 4 frames.
@_noLocks
@inline(__always)
private func withoutLows(
  _ state: inout Reverb, _ dry: StereoFrames4, _ count: Int
) -> StereoFrames4 {
  let coefficients = state.lowCut.next(count)
  func cut(_ frame: Int) -> SIMD2<Float> {
    if frame < count { state.low += (dry[frame] - state.low) * coefficients[frame] }
    return dry[frame] - state.low
  }
  return StereoFrames4(cut(0), cut(1), cut(2), cut(3))
}

/// The next 1 to 4 frames.
@_noLocks
@inline(__always)
private func render(_ state: inout Reverb, _ stereo: StereoBlock, at frame: Int, _ count: Int) {
  let dry = stereo.four(at: frame, count: count)
  let cut = withoutLows(&state, dry, count)
  state.leftPreDelay.put(cut.left)
  state.rightPreDelay.put(cut.right)
  if state.network.framesLeft == Network.stretch {
    state.leftDiffuser.glide()
    state.rightDiffuser.glide()
  }
  let (age, excess) = (state.preDelay.delay, state.preDelay.advance(count))
  let left = state.leftDiffuser.next(
    state.leftPreDelay.four(delay: age, excess: excess), count: count)
  let right = state.rightDiffuser.next(
    state.rightPreDelay.four(delay: age, excess: excess), count: count)
  state.leftPreDelay.advance(count)
  state.rightPreDelay.advance(count)

  let entry = state.entry.next(count)
  let late = state.network.next(left: left * entry, right: right * entry, count: count)
  let wet = StereoFrames4(
    left: late.left * leaveGain + left * earlyGain,
    right: late.right * leaveGain + right * earlyGain)
  stereo.output(
    dry: dry, wet: wet.narrowed(to: state.width.next(count)), gains: state.mix.next(count),
    at: frame, count: count)
}

extension Reverb {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var frame = 0
    while frame < block.frameCount {
      let count = min(min(4, block.frameCount - frame), state.network.framesLeft)
      if count == 4 {
        render(&state, stereo, at: frame, 4)
      } else {
        render(&state, stereo, at: frame, count)
      }
      frame += count
    }
    self = state
    if !network.isFinite || !low.sum().isFinite { reset() }
  }
}
