// PresetError.swift: why a named preset was not found. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a preset that was named cannot be had.
package enum PresetError: Equatable {
  /// The plugin is part of the host.
  case builtin(plugin: String)
  /// Presets of the plugin cannot be saved.
  case notLV2(plugin: String)
  /// The presets could not be read.
  case unreadable(plugin: String)
  /// The plugin has no presets.
  case none(plugin: String, name: String)
  /// No such preset.
  case unknown(name: String, plugin: String, suggestion: String?, known: [String])
  /// The name is ambiguous; contains the full names and URIs.
  case ambiguous(name: String, plugin: String, candidates: [String])

  private static let shownCount = 12

  /// The message to the user.
  package var description: String {
    switch self {
    case .builtin(let plugin):
      return "\(plugin) is built in and has no presets."
    case .notLV2(let plugin):
      return
        "\(plugin) is not an LV2 plugin. Use `outboard save` to store its values in a rig."
    case .unreadable(let plugin):
      return
        "The presets of \(plugin) could not be read: a bundle crashes or hangs the reader."
    case .none(let plugin, let name):
      return "\(plugin) has no presets, so it has no \"\(name)\"."
    case .unknown(let name, let plugin, let suggestion?, _):
      return "\(plugin) has no preset \"\(name)\". Did you mean \"\(suggestion)\"?"
    case .unknown(let name, let plugin, nil, let known):
      return
        "\(plugin) has no preset \"\(name)\". Known presets: \(known.listed(atMost: Self.shownCount))."
    case .ambiguous(let name, let plugin, let candidates):
      return "\"\(name)\" is ambiguous: \(plugin) has \(candidates.count) such presets:"
        + " \(candidates.listed(atMost: Self.shownCount)). Use a longer name, \"Bank/Name\" or the URI."
    }
  }
}

extension PresetError: HostError {
  /// An unknown preset is an error of the request.
  package var kind: ErrorKind { .usage }
}
