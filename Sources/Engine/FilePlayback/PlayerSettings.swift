// PlayerSettings.swift: what a player is asked to play. SPDX-License-Identifier: MIT

package import PluginModel

/// The settings of a player: its files and how they are played.
package struct PlayerSettings: BuiltinSettings {
  /// The name of a player in a rig.
  package static let word = "player"
  /// What a number of channels may be.
  package static let channelCounts = 1 ... 64
  /// How far a loop's end may reach into its beginning, in seconds.
  package static let crossfadeSeconds = 0.0 ... 10.0
  /// What a gain may be, in decibels; the least is silence.
  static let gainDecibels: ClosedRange<Float> = -90 ... 24

  /// What is played, one after the other without a gap; at least one.
  package var files: [String]
  /// Samples in a frame, one of `channelCounts`.
  package var channelCount: Int
  /// Whether the player waits for the command to start.
  package var startsWaiting = false
  /// How long it is silent before it starts, in seconds.
  package var startSeconds = 0.0
  /// Where in the first file it begins, in seconds.
  package var fromSeconds = 0.0
  /// Whether all is played again and again.
  package var isLooping = false
  /// How long the end and the beginning of a loop sound together, in seconds, within
  /// `crossfadeSeconds`.
  package var crossfadeSeconds = 0.0

  /// Files from their beginning to their end.
  package init(files: [String], channelCount: Int) {
    self.files = files
    self.channelCount = channelCount
  }

  /// What a player that was described was asked for; nil for any other plugin. [any]
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
    plugin.summary = "Plays sound files."
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
