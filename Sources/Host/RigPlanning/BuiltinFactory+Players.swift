// BuiltinFactory+Players.swift: player nodes of a rig. SPDX-License-Identifier: MIT

import AudioFiles
import FilePlayback
import Manifests
import PluginModel
import RigSchema

extension BuiltinFactory {
  private static let dayRange = 0.0 ... 604_800.0

  /// Creates the settings of a player.
  ///
  /// The default channel count is that of its first file.
  static func player(_ node: RigNode, in rig: RigDescription) throws -> PlayerSettings {
    var request = PlayerSettings(files: [], channelCount: 0)
    for setting in node.settings {
      switch setting.key {
      case "file", "files":
        if !request.files.isEmpty {
          throw RigNodeError(
            setting, of: node,
            .reported(
              message: "A player cannot have both file and files."
                + " Remove one."))
        }
        request.files = setting.texts.map { rig.path($0, in: node.origin?.file) }
      case "channels":
        request.channelCount = try channelCount(setting, of: node, PlayerSettings.channelCounts)
      case "autostart": request.startsWaiting = !(try Self.isOn(setting, of: node))
      case "loop": request.isLooping = try Self.isOn(setting, of: node)
      case "crossfade":
        request.crossfadeSeconds = try Self.seconds(
          setting, of: node, in: PlayerSettings.crossfadeSeconds, example: "crossfade: 20 ms")
      case "start_delay":
        request.startSeconds = try Self.seconds(
          setting, of: node, in: Self.dayRange, example: "start_delay: 5 s")
      case "start_position":
        request.fromSeconds = try Self.seconds(
          setting, of: node, in: Self.dayRange, example: "start_position: 1:23")
      default:
        throw RigNodeError(setting, of: node, .unknownKey(suggestion: nil, known: Self.playerKeys))
      }
    }
    guard let first = request.files.first else {
      throw RigNodeError(
        position: node.sourcePosition, keyPath: node.keyPath,
        fault: .reported(
          message: "A player needs a file. Add one, e.g. file: guitar.wav."))
    }
    if request.crossfadeSeconds > 0, !request.isLooping {
      throw RigNodeError(
        position: node.sourcePosition, keyPath: "\(node.keyPath).crossfade",
        fault: .reported(message: "crossfade needs a loop. Add loop: yes or remove crossfade."))
    }
    if request.channelCount == 0 {
      request.channelCount = try countChannels(of: first, for: node)
    }
    return request
  }

  private static let playerKeys = [
    "builtin", "file", "files", "channels", "autostart", "start_delay", "start_position", "loop",
    "crossfade", "parameters",
  ]

  private static func countChannels(of file: String, for node: RigNode) throws -> Int {
    do throws(AudioFileError) {
      let count = try AudioFileReader(path: file).channelCount
      return min(count, PlayerSettings.channelCounts.upperBound)
    } catch {
      // Standard input is available only on the command line.
      let isMissing = error == .missing(path: file)
      let message = isMissing ? "\(file) does not exist. Name an audio file." : "\(error)"
      throw RigNodeError(
        position: node.sourcePosition, keyPath: "\(node.keyPath).file",
        fault: .reported(message: message))
    }
  }
}
