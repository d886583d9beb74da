// BuiltinFactory+Recorders.swift: recorder nodes of a rig. SPDX-License-Identifier: MIT

import AudioFiles
import FileRecording
import Manifests
import PluginModel
import RigSchema

extension BuiltinFactory {
  /// Creates the settings of a recorder.
  ///
  /// Its file is created only when it starts.
  static func recorder(_ node: RigNode, in rig: RigDescription) throws -> RecorderSettings {
    var request = RecorderSettings(path: "", channelCount: 2)
    for setting in node.settings {
      switch setting.key {
      case "file": request.path = rig.path(setting.text, in: node.origin?.file)
      case "channels":
        request.channelCount = try channelCount(setting, of: node, RecorderSettings.channelCounts)
      case "format": request.format = try Self.format(setting, of: node)
      case "autostart": request.startsWaiting = !(try Self.isOn(setting, of: node))
      case "preroll":
        request.prerollSeconds = try Self.seconds(
          setting, of: node, in: RecorderSettings.prerollSeconds, example: "preroll: 10 s")
      case "split": request.split = try Self.split(setting, of: node)
      default:
        let known = ["builtin", "file", "channels", "format", "autostart", "preroll", "split"]
        throw RigNodeError(setting, of: node, .unknownKey(suggestion: nil, known: known))
      }
    }
    guard !request.path.isEmpty else {
      throw RigNodeError(
        position: node.sourcePosition, keyPath: node.keyPath,
        fault: .reported(
          message: "A recorder needs a file. Add one, e.g. file: take.wav."))
    }
    do {
      try request.checkExtension()
    } catch {
      throw RigNodeError(
        position: node.sourcePosition, keyPath: "\(node.keyPath).file",
        fault: .reported(message: "\(error)"))
    }
    return request
  }

  private static func format(_ setting: BuiltinSetting, of node: RigNode) throws -> SampleFormat {
    let word = setting.text.lowercased()
    if let format = SampleFormat(rawValue: word) { return format }
    let known = SampleFormat.allCases.map(\.rawValue)
    throw RigNodeError(
      setting, of: node,
      .unknownWord(
        found: setting.text, suggestion: nearest(to: word, among: known), known: known))
  }

  /// Parses a file length in time or bytes.
  private static func split(_ setting: BuiltinSetting, of node: RigNode) throws -> SplitLength {
    let scale = ["mb": 1e6, "gb": 1e9, "mib": 1_048_576, "gib": 1_073_741_824]
    if let quantity = Quantity(setting.text), quantity.value > 0 {
      if let seconds = quantity.converted(to: "s"), !quantity.unit.isEmpty {
        if 1 ... 604_800 ~= seconds { return .seconds(seconds) }
      } else if let unit = scale[quantity.unit.lowercased()] {
        let bytes = quantity.value * unit
        if 1e6 ... 1e15 ~= bytes { return .bytes(Int(bytes)) }
      } else if setting.text.contains(":"), let seconds = DurationText.seconds(setting.text),
        1 ... 604_800 ~= seconds
      {
        return .seconds(seconds)
      }
    }
    throw RigNodeError(
      setting, of: node,
      .reported(
        message:
          "\(setting.text.shortened) is not a file length. Use a time from 1 s to 168 h, e.g."
          + " split: 10 min, or a size of at least 1 MB, e.g. split: 2 GB."))
  }

  /// Parses a switch.
  static func isOn(_ setting: BuiltinSetting, of node: RigNode) throws -> Bool {
    if let isOn = switchPosition(setting.text) { return isOn }
    throw RigNodeError(
      setting, of: node,
      .reported(message: "\(setting.key): \(setting.text.shortened) is not yes or no."))
  }

  /// Parses a time within a range of seconds, with a unit or in clock format.
  static func seconds(
    _ setting: BuiltinSetting, of node: RigNode, in range: ClosedRange<Double>, example: String
  ) throws -> Double {
    if let seconds = DurationText.seconds(setting.text), range ~= seconds { return seconds }
    throw RigNodeError(
      setting, of: node,
      .reported(
        message: "\(setting.text.shortened) is not a time from \(plain(range.lowerBound)) to"
          + " \(plain(range.upperBound)) s. Example: \(example)."))
  }
}
