// PlayerSettings.swift: the settings of a player. SPDX-License-Identifier: MIT

package import PluginModel

/// The settings of a player: its files and how they are played.
package struct PlayerSettings: BuiltinSettings {
  /// The name of a player in a rig.
  package static let word = "player"
  /// The range of channel counts.
  package static let channelCounts = 1 ... 64
  /// The range of the crossfade of a loop, in seconds.
  package static let crossfadeSeconds = 0.0 ... 10.0
  /// The range of the gain in decibels; the minimum is silence.
  static let gainDecibels: ClosedRange<Float> = -90 ... 24

  /// The files, which are played one after another without a gap; at least one.
  package var files: [String]
  /// Samples in a frame, one of `channelCounts`.
  package var channelCount: Int
  /// Whether the player waits for the command to start.
  package var startsWaiting = false
  /// The delay before the start, in seconds.
  package var startSeconds = 0.0
  /// The start position in the first file, in seconds.
  package var fromSeconds = 0.0
  /// Whether all is played again and again.
  package var isLooping = false
  /// The length of the crossfade between the end and the beginning of a loop, in seconds, within
  /// the range of the type's `crossfadeSeconds`.
  package var crossfadeSeconds = 0.0

  /// Files from their beginning to their end.
  package init(files: [String], channelCount: Int) {
    self.files = files
    self.channelCount = channelCount
  }

  /// Reads the settings from a description; returns nil for another plugin. [any]
  package init?(_ plugin: PluginDescription) {
    guard let settings = plugin.builtin?.settings(PlayerSettings.self) else { return nil }
    self = settings
  }

  /// Creates a player. [main]
  package func makeNode(_ configuration: NodeConfiguration) -> any Node {
    PlayerNode(self, configuration)
  }

  /// The player as one of a graph's nodes. [any]
  package var plugin: PluginDescription {
    var plugin = PluginDescription(
      kind: .builtin, identifier: Self.word, name: "Player", format: .builtin)
    plugin.category = "Player"
    plugin.summary = "Plays audio files."
    plugin.audioOutputs = (1 ... channelCount).map { AudioPort(symbol: "out_\($0)", name: "\($0)") }
    plugin.parameters = [
      Parameter(
        symbol: "gain", name: "Gain", unit: "dB", minimum: Self.gainDecibels.lowerBound,
        defaultValue: 0, maximum: Self.gainDecibels.upperBound)
    ]
    plugin.builtin = BuiltinNode(self)
    return plugin
  }
}
