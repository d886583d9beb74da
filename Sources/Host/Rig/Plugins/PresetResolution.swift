// PresetResolution.swift: the preset that a person means. SPDX-License-Identifier: MIT

import PluginModel

/// Why a preset that was named cannot be had.
package enum PresetError: Error, Equatable, CustomStringConvertible {
  /// The plugin is part of the host.
  case builtin(plugin: String)
  /// Its presets are not saved one by one.
  case notLV2(plugin: String)
  /// The presets could not be read.
  case unreadable(plugin: String)
  /// The plugin has none at all.
  case none(plugin: String, name: String)
  /// It has none of that name.
  case unknown(name: String, plugin: String, suggestion: String?, known: [String])
  /// It has several that may be meant, each by its full name and URI.
  case ambiguous(name: String, plugin: String, candidates: [String])

  private static let shownCount = 12

  /// One sentence for people.
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
      return "\(plugin) has no presets, so not \"\(name)\"."
    case .unknown(let name, let plugin, let suggestion?, _):
      return "\(plugin) has no preset \"\(name)\"; did you mean \"\(suggestion)\"?"
    case .unknown(let name, let plugin, nil, let known):
      return "\(plugin) has no preset \"\(name)\". Known presets: \(Self.list(known))."
    case .ambiguous(let name, let plugin, let candidates):
      return "\"\(name)\" is ambiguous: \(plugin) has \(candidates.count) such presets:"
        + " \(Self.list(candidates)). Use a longer name, \"Bank/Name\" or the URI."
    }
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count > shownCount ? " and \(names.count - shownCount) more" : ""
    return names.prefix(shownCount).joined(separator: ", ") + more
  }
}

/// Finds the preset that a name stands for.
///
/// In this order: the very URI; the name with that of its bank (`Rooms/Small`); the name alone; both
/// again in any case of letters; a part of them that occurs in one preset alone.
struct PresetResolution {
  let presets: [PluginPreset]
  /// What a person calls the plugin.
  let plugin: String

  /// The one preset meant, or an error that lists what may have been meant. [any]
  func resolve(_ name: String) throws(PresetError) -> PluginPreset {
    guard !presets.isEmpty else { throw .none(plugin: plugin, name: name) }
    let wanted = name.lowercased()
    let steps: [(PluginPreset) -> Bool] = [
      { $0.identifier == name }, { $0.fullName == name }, { $0.name == name },
      { $0.fullName.lowercased() == wanted }, { $0.name.lowercased() == wanted },
      { !wanted.isEmpty && $0.fullName.lowercased().contains(wanted) },
    ]
    for isMeant in steps {
      let found = presets.filter(isMeant)
      if found.count == 1 { return found[0] }
      guard found.isEmpty else {
        throw .ambiguous(
          name: name, plugin: plugin,
          candidates: found.map { "\"\($0.fullName)\" <\($0.identifier)>" })
      }
    }
    let known = presets.map(\.fullName)
    throw .unknown(
      name: name, plugin: plugin,
      suggestion: nearest(to: name, among: presets.map(\.name) + known), known: known)
  }
}
