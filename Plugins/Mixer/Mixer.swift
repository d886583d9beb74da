// Mixer.swift: eight channels on a stereo bus. SPDX-License-Identifier: MIT
//
// Every channel has a gain, a pan position, mute and solo; the bus has a master gain. Together they give two
// factors for each channel, which have ramps.

import ModuleABI
import ModuleKit

typealias Exported = Mixer

// MARK: - Constants

private let channelCount = 8
private let glideSeconds = 0.01
/// The level of a meter falls by so much in a second.
private let meterDecayDecibels = 24.0
/// The lowest fader position means silence.
private let lowestDecibels: Float = -60
private let quietest: Float = 1e-6

// MARK: - Parameters, in the manifest's order: four for each channel, then those of the bus

private enum Parameter {
  static let gain = 0, pan = 1, mute = 2, solo = 3, perChannel = 4
  static let law = 32, master = 33, count = 34
}

// MARK: - State

/// The state of an instance.
struct Mixer: AudioModule {
  // Parameters as last set.
  var parameters: InlineArray<34, Float>
  // The factors of left and right: current and target.
  var factors: InlineArray<8, SIMD2<Float>>
  var goals: InlineArray<8, SIMD2<Float>>
  var faders: InlineArray<8, Float>  // of each channel, for its meter, linear
  // Running state.
  var channelPeaks: InlineArray<8, Float>  // after the fader, linear
  var busPeaks = SIMD2<Float>.zero
  var isMoving = false
  var needsReset = true  // no block since create or reset
  let coefficient: Float  // of the remaining change per frame
  let fall: Double  // of a meter in a frame, dB

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    parameters = InlineArray(repeating: -.infinity)
    factors = InlineArray(repeating: .zero)
    goals = InlineArray(repeating: .zero)
    faders = InlineArray(repeating: 0)
    channelPeaks = InlineArray(repeating: 0)
    coefficient = Float(1 - realtime_exp(-1 / (glideSeconds * sampleRateHz)))
    fall = meterDecayDecibels / sampleRateHz
  }
}

// MARK: - Life

extension Mixer {
  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    for channel in 0 ..< channelCount { channelPeaks[channel] = 0 }
    busPeaks = .zero
    needsReset = true
  }

  /// Writes the peaks in dB: of each channel after its fader, then of the bus, left and right. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    for channel in 0 ..< channelCount {
      values[channel] = Decibels.fastDecibels(max(channelPeaks[channel], quietest))
    }
    values[channelCount] = Decibels.fastDecibels(max(busPeaks.x, quietest))
    values[channelCount + 1] = Decibels.fastDecibels(max(busPeaks.y, quietest))
  }
}

// MARK: - Parameters to factors

/// Takes the parameters if any is new.
@_noLocks
private func prepare(_ state: inout Mixer, _ parameters: UnsafePointer<Float>) {
  var isNew = state.needsReset
  for index in 0 ..< Parameter.count where parameters[index] != state.parameters[index] {
    state.parameters[index] = parameters[index]
    isNew = true
  }
  guard isNew else { return }
  var isAnySolo = false
  for channel in 0 ..< channelCount {
    let channelParameters = parameters + channel * Parameter.perChannel
    if channelParameters[Parameter.solo] >= 0.5 { isAnySolo = true }
  }
  let law = PanLaw(rawValue: Int(parameters[Parameter.law] + 0.5)) ?? .minus3
  let master = fader(parameters[Parameter.master])
  for channel in 0 ..< channelCount {
    let channelParameters = parameters + channel * Parameter.perChannel
    let isAudible =
      channelParameters[Parameter.mute] < 0.5
      && (!isAnySolo || channelParameters[Parameter.solo] >= 0.5)
    state.faders[channel] = isAudible ? fader(channelParameters[Parameter.gain]) : 0
    state.goals[channel] =
      law.gains(channelParameters[Parameter.pan] * 0.01) * (state.faders[channel] * master)
    if state.needsReset { state.factors[channel] = state.goals[channel] }
  }
  state.isMoving = !state.needsReset
  state.needsReset = false
}

/// A fader's factor; at its lowest it is closed.
@_noLocks
private func fader(_ decibels: Float) -> Float {
  decibels <= lowestDecibels ? 0 : Decibels.amplitude(decibels)
}

// MARK: - Rendering

/// Moves all factors by one frame.
@_noLocks
private func glide(_ state: inout Mixer) {
  var isMoving = false
  for channel in 0 ..< channelCount {
    let difference = state.goals[channel] - state.factors[channel]
    if difference == .zero { continue }
    state.factors[channel] += difference * state.coefficient
    if max(abs(difference.x), abs(difference.y)) < 1e-6 {
      state.factors[channel] = state.goals[channel]
    } else {
      isMoving = true
    }
  }
  state.isMoving = isMoving
}

/// Mixes one frame.
///
/// A closed channel is skipped, so that its NaN samples do not pass.
@_noLocks
@inline(__always)
private func mixed(
  _ state: Mixer, _ inputs: UnsafePointer<UnsafePointer<Float>>, at frame: Int
) -> SIMD2<Float> {
  var sum = SIMD2<Float>.zero
  for channel in 0 ..< channelCount where state.factors[channel] != .zero {
    sum += state.factors[channel] * inputs[channel][frame]
  }
  return sum
}

/// Mixes eight frames at once, with exactly the same results.
@_noLocks
@inline(__always)
private func mixedEight(
  _ state: Mixer, _ inputs: UnsafePointer<UnsafePointer<Float>>, at frame: Int
) -> (left: SIMD8<Float>, right: SIMD8<Float>) {
  var (left, right) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
  for channel in 0 ..< channelCount where state.factors[channel] != .zero {
    let sound = UnsafeRawPointer(inputs[channel] + frame).loadUnaligned(as: SIMD8<Float>.self)
    left += state.factors[channel].x * sound
    right += state.factors[channel].y * sound
  }
  return (left, right)
}

/// The greatest magnitude in a block.
@_noLocks
private func peak(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
  var peaks = SIMD8<Float>.zero
  var frame = 0
  while frame + 8 <= count {
    let eight = UnsafeRawPointer(samples + frame).loadUnaligned(as: SIMD8<Float>.self)
    let size = eight.replacing(with: -eight, where: eight .< 0)
    peaks.replace(with: size, where: size .> peaks)
    frame += 8
  }
  var single = peaks.max()
  while frame < count {
    if abs(samples[frame]) > single { single = abs(samples[frame]) }
    frame += 1
  }
  return single
}

extension Mixer {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (inputs, outputs, parameters) = (block.inputs, block.outputs, block.parameters)
    prepare(&self, parameters)
    var state = self
    let (leftOut, rightOut) = (outputs[0], outputs[1])
    let count = block.frameCount
    let kept = Decibels.fastAmplitude(-Float(state.fall * Double(count)))
    for channel in 0 ..< channelCount {
      let level =
        state.faders[channel] == 0 ? 0 : peak(inputs[channel], count) * state.faders[channel]
      state.channelPeaks[channel] = max(
        level, SampleGuard.flushed(state.channelPeaks[channel] * kept))
    }
    var frame = 0
    while frame < count {
      if state.isMoving || frame + 8 > count {
        if state.isMoving { glide(&state) }
        let sum = mixed(state, inputs, at: frame)
        leftOut[frame] = sum.x
        rightOut[frame] = sum.y
        frame += 1
      } else {
        let sums = mixedEight(state, inputs, at: frame)
        UnsafeMutableRawPointer(leftOut + frame).storeBytes(
          of: sums.left, as: SIMD8<Float>.self)
        UnsafeMutableRawPointer(rightOut + frame).storeBytes(
          of: sums.right, as: SIMD8<Float>.self)
        frame += 8
      }
    }
    let bus = SIMD2(peak(leftOut, count), peak(rightOut, count))
    state.busPeaks = SIMD2(
      max(bus.x, SampleGuard.flushed(state.busPeaks.x * kept)),
      max(bus.y, SampleGuard.flushed(state.busPeaks.y * kept))
    )
    self = state
  }
}
