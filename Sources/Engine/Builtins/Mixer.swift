// Mixer.swift: channels added to a stereo sum. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import Synchronization

/// Adds channels to a stereo sum, each with gain, pan and mute; changes glide over 20 ms.
///
/// Pan is of constant power (a quarter turn of a sine for either side): a channel in the middle is
/// 3 dB down on both sides, one at an end is at unity there and off on the other.
final class Mixer: Node {
  private static let rampSeconds = 0.02
  private static var silenceDecibels: Float { MixerState.silenceDecibels }

  let audioInputCount: Int
  let audioOutputCount = 2
  let latencyFrames = 0
  let canRunInPlace = false
  private let plugin: PluginDescription
  private let state: UnsafeMutablePointer<MixerState>

  init(channelCount: Int, _ configuration: NodeConfiguration) {
    audioInputCount = channelCount
    plugin = Self.describe(channelCount: channelCount)
    state = .allocate(capacity: 1)
    let targets = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: channelCount * 2)
    let gains = UnsafeMutablePointer<SmoothedGain>.allocate(capacity: channelCount * 2)
    for index in 0 ..< channelCount * 2 {
      (targets + index).initialize(to: Atomic(0))
      (gains + index).initialize(
        to: SmoothedGain(value: 0, target: 0, step: 0, remainingFrames: 0))
    }
    let settings = UnsafeMutablePointer<Atomic<UInt32>>.allocate(
      capacity: plugin.parameters.count)
    for (index, parameter) in plugin.parameters.enumerated() {
      (settings + index).initialize(to: Atomic(parameter.defaultValue.bitPattern))
    }
    let rampFrames = max(1, Int(configuration.sampleRateHz * Self.rampSeconds))
    state.initialize(
      to: MixerState(
        channelCount: channelCount, rampFrames: rampFrames, settings: settings, targets: targets,
        gains: gains))
    for channel in 0 ..< channelCount { state.pointee.aim(channel) }
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  static func describe(channelCount: Int) -> PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Builtin.mixer.rawValue, name: "Mixer", format: .builtin)
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

  var parameterInput: NodeParameterInput? {
    NodeParameterInput(function: setMixerParameter, context: UnsafeMutableRawPointer(state))
  }

  func setParameter(_ index: Int, to value: Float) {
    let allowed = plugin.parameters[index].nearestValid(to: value)
    state.pointee.settings[index].store(allowed.bitPattern, ordering: .relaxed)
    state.pointee.aim(index / MixerState.perChannel)
  }

  func parameter(_ index: Int) -> Float {
    Float(bitPattern: state.pointee.settings[index].load(ordering: .relaxed))
  }

  /// Gains start at their values, without a ramp. [main, inactive]
  func activate() { reset() }

  func deactivate() {}

  func reset() {
    for index in 0 ..< audioInputCount * 2 {
      let target = Float(bitPattern: state.pointee.targets[index].load(ordering: .relaxed))
      state.pointee.gains[index] = SmoothedGain(
        value: target, target: target, step: 0, remainingFrames: 0)
    }
  }
}
