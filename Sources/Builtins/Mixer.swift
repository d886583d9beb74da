// Mixer.swift: channels added to a stereo sum. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import PluginModel
import Synchronization

/// Adds channels to a stereo sum, each with gain, pan and mute; changes glide over 20 ms.
///
/// Pan is of constant power (a quarter turn of a sine for either side): a channel in the middle is
/// 3 dB down on both sides, one at an end is at unity there and off on the other.
final class Mixer: Node {
  private static let rampSeconds = 0.02
  /// At and below this gain a channel is off.
  private static let silenceDecibels: Float = -90
  /// How many parameters a channel has: gain, pan, mute.
  private static let perChannel = 3

  let audioInputCount: Int
  let audioOutputCount = 2
  let latencyFrames = 0
  let canRunInPlace = false
  private let plugin: PluginDescription
  private var values: [Float]
  private let state: UnsafeMutablePointer<MixerState>

  init(channelCount: Int, _ configuration: NodeConfiguration) {
    audioInputCount = channelCount
    plugin = Self.describe(channelCount: channelCount)
    values = plugin.parameters.map(\.defaultValue)
    state = .allocate(capacity: 1)
    let targets = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: channelCount * 2)
    let gains = UnsafeMutablePointer<MovingGain>.allocate(capacity: channelCount * 2)
    for index in 0 ..< channelCount * 2 {
      (targets + index).initialize(to: Atomic(0))
      (gains + index).initialize(
        to: MovingGain(value: 0, target: 0, step: 0, remainingFrames: 0))
    }
    let rampFrames = max(1, Int(configuration.sampleRateHz * Self.rampSeconds))
    state.initialize(
      to: MixerState(
        channelCount: channelCount, rampFrames: rampFrames, targets: targets, gains: gains))
    for channel in 0 ..< channelCount { updateGains(channel) }
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  static func describe(channelCount: Int) -> PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Builtin.mixer.rawValue, name: "Mixer")
    plugin.category = "Mixer"
    plugin.summary = "Adds channels to a stereo sum, each with gain, pan and mute."
    plugin.audioInputs = (1 ... channelCount).map { AudioPort(symbol: "in_\($0)", name: "\($0)") }
    plugin.audioOutputs = [
      AudioPort(symbol: "left", name: "Left"), AudioPort(symbol: "right", name: "Right"),
    ]
    plugin.parameters = (1 ... channelCount).flatMap { channel in
      [
        Parameter(
          symbol: "gain_\(channel)", name: "Gain \(channel)", unit: "dB",
          minimum: silenceDecibels, defaultValue: 0, maximum: 12),
        Parameter(
          symbol: "pan_\(channel)", name: "Pan \(channel)", minimum: -1, defaultValue: 0,
          maximum: 1),
        Parameter(
          symbol: "mute_\(channel)", name: "Mute \(channel)", minimum: 0, defaultValue: 0,
          maximum: 1, scale: .toggle),
      ]
    }
    return plugin
  }

  var step: NodeStep {
    NodeStep(function: mixerStep, context: UnsafeMutableRawPointer(state))
  }

  func setParameter(_ index: Int, to value: Float) {
    values[index] = plugin.parameters[index].nearestLegal(to: value)
    updateGains(index / Self.perChannel)
  }

  func parameter(_ index: Int) -> Float { values[index] }

  /// Gains start where they were set, without a glide. [main, inactive]
  func activate() { reset() }

  func deactivate() {}

  func reset() {
    for index in 0 ..< audioInputCount * 2 {
      let target = Float(bitPattern: state.pointee.targets[index].load(ordering: .relaxed))
      state.pointee.gains[index] = MovingGain(
        value: target, target: target, step: 0, remainingFrames: 0)
    }
  }

  private func updateGains(_ channel: Int) {
    let decibels = values[channel * Self.perChannel]
    let pan = values[channel * Self.perChannel + 1]
    let isSilent = values[channel * Self.perChannel + 2] > 0.5 || decibels <= Self.silenceDecibels
    let gain = isSilent ? 0 : powf(10, decibels / 20)
    // Sines on both sides, not a sine and a cosine: so the centre is the same to the bit, and the
    // ends are exact, as the cosine of a quarter turn is not quite 0 in floating point.
    let left = gain * sinf((1 - pan) * .pi / 4)
    let right = gain * sinf((1 + pan) * .pi / 4)
    state.pointee.targets[channel * 2].store(left.bitPattern, ordering: .relaxed)
    state.pointee.targets[channel * 2 + 1].store(right.bitPattern, ordering: .relaxed)
  }
}
