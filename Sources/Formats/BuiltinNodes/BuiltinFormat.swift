// BuiltinFormat.swift: built-in nodes as a format of the host. SPDX-License-Identifier: MIT

import Builtins
package import PluginCatalogue
package import PluginModel

/// The nodes that are part of the host.
package struct BuiltinFormat: PluginFormat {
  /// Creates the format.
  package init() {}

  package let kind = PluginKind.builtin
  package var words: [String] { Builtin.allCases.map(\.rawValue) }
  /// Nil: built-in nodes have none.
  package var presets: (any PresetFormat)? { nil }
  package func makeLoader() -> (any PluginLoader)? { BuiltinLoader() }

  /// Describes a node with two channels. [main]
  package func describe(_ word: String, in context: FormatContext) throws -> DescribedPlugin {
    guard let builtin = Builtin(rawValue: word) else {
      throw PluginLibraryError.vanished(name: word)
    }
    return DescribedPlugin(builtin.description(channelCount: 2))
  }
}

/// Creates built-in nodes. [main]
private final class BuiltinLoader: PluginLoader {
  func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) throws -> any Node {
    if let node = plugin.builtin { return node.makeNode(configuration) }
    guard let builtin = Builtin(rawValue: plugin.identifier) else {
      throw PluginLibraryError.vanished(name: plugin.name)
    }
    return builtin.makeNode(channelCount: plugin.audioInputs.count, configuration)
  }
}
