// Builtin.swift: the nodes that are part of the host. SPDX-License-Identifier: MIT

package import PluginModel

/// A kind of node that the host implements, because a plugin could not or need not.
package enum Builtin: String, CaseIterable, Sendable {
  /// Adds channels, each with gain, pan and mute, to a stereo sum.
  case mixer
  /// Measures levels and the spectrum; has no outputs.
  case analyser

  /// The range of channel counts.
  package static let channelCounts = 1 ... 64

  /// Describes it for a number of channels, which must be within `channelCounts`.
  package func description(channelCount: Int) -> PluginDescription {
    switch self {
    case .mixer: Mixer.describe(channelCount: channelCount)
    case .analyser: Analyser.describe(channelCount: channelCount)
    }
  }

  /// Makes one. [main]
  package func makeNode(channelCount: Int, _ configuration: NodeConfiguration) -> any Node {
    switch self {
    case .mixer: Mixer(channelCount: channelCount, configuration)
    case .analyser: Analyser(channelCount: channelCount, configuration)
    }
  }
}
