// BuiltinFactory+Meter.swift: meter nodes of a rig. SPDX-License-Identifier: MIT

import Manifests
import Metering
import PluginModel
import RigSchema

extension BuiltinFactory {
  /// Creates the settings of a meter.
  ///
  /// Its file is opened only when the meter starts.
  static func meter(_ node: RigNode, in rig: RigDescription) throws -> MeterSettings {
    var request = MeterSettings(channelCount: 2)
    var log = LevelLogSettings(path: "")
    var unusedSetting: BuiltinSetting?
    for setting in node.settings {
      switch setting.key {
      case "channels":
        request.channelCount = try channelCount(setting, of: node, MeterSettings.channelCounts)
      case "log": log.path = rig.path(setting.text, in: node.origin?.file)
      case "interval":
        log.intervalSeconds = try interval(setting, of: node)
        unusedSetting = unusedSetting ?? setting
      case "rotate":
        guard let rotation = LevelLogSettings.Rotation(setting.text) else {
          throw RigNodeError(
            setting, of: node,
            .reported(
              message: "\"\(setting.text)\" is not a rotation interval. Use hour, day, or a"
                + " size of at least 4 kB, e.g. rotate: 10 MB."))
        }
        log.rotation = rotation
        unusedSetting = unusedSetting ?? setting
      case "keep_files":
        guard let count = Int(setting.text), LevelLogSettings.counts ~= count else {
          throw RigNodeError(
            setting, of: node,
            .outOfRange(
              found: setting.text, minimum: "\(LevelLogSettings.counts.lowerBound)",
              maximum: "\(LevelLogSettings.counts.upperBound)"))
        }
        log.keptCount = count
        unusedSetting = unusedSetting ?? setting
      default:
        let known = ["builtin", "channels", "log", "interval", "rotate", "keep_files"]
        throw RigNodeError(setting, of: node, .unknownKey(suggestion: nil, known: known))
      }
    }
    guard !log.path.isEmpty else {
      if let unusedSetting {
        throw RigNodeError(
          unusedSetting, of: node,
          .reported(
            message: "\(unusedSetting.key) needs a log file. Add one, e.g. log: levels.jsonl."))
      }
      return request
    }
    guard log.hasKind else {
      throw RigNodeError(
        position: node.sourcePosition, keyPath: "\(node.keyPath).log",
        fault: .reported(message: "\(LevelLogError.unknownKind(path: log.path))"))
    }
    request.log = log
    return request
  }

  private static func interval(_ setting: BuiltinSetting, of node: RigNode) throws -> Double {
    guard var quantity = Quantity(setting.text) else {
      throw RigNodeError(
        setting, of: node,
        .reported(
          message: "\"\(setting.text)\" is not an interval. Write a time, e.g. interval: 10 s."))
    }
    if quantity.unit.isEmpty { quantity.unit = "s" }
    guard let seconds = quantity.converted(to: "s"), LevelLogSettings.intervals ~= seconds else {
      throw RigNodeError(
        setting, of: node,
        .outOfRange(found: setting.text, minimum: "0.1 s", maximum: "86400 s"))
    }
    return seconds
  }
}
