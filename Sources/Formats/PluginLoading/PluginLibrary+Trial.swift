// PluginLibrary+Trial.swift: preflight of plugins. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginModel

extension PluginLibrary {
  /// Rejects plugins that fail preflight, with the reason, before anything is opened. [main]
  ///
  /// Plugins without a result for these conditions since their last change are tested in a helper process, so that a
  /// crash does not end this one. Calls `onSlow` once for each plugin whose preflight takes long.
  package func preflight(
    _ plugins: [PluginDescription], at conditions: Preflight.Conditions = .standard,
    onSlow: @escaping (PluginDescription) -> Void = { _ in }
  ) throws {
    for plugin in plugins {
      let key = plugin.identifier + " " + plugin.location
      if remembersTrials, survivors[conditions]?.contains(key) == true { continue }
      let refusal = plugin.refusal ?? preflightError(of: plugin, at: conditions) { onSlow(plugin) }
      if let refusal {
        throw PluginLibraryError.refused(name: plugin.name, reason: refusal)
      }
      survivors[conditions, default: []].insert(key)
    }
  }

  /// Rejects plugins that cannot be hosted, with the reason. [any]
  package func checkUsable(_ plugins: [PluginDescription]) throws {
    for plugin in plugins {
      guard let refusal = plugin.refusal else { continue }
      throw PluginLibraryError.refused(name: plugin.name, reason: refusal)
    }
  }

  /// Returns why a plugin failed preflight; nil if it passed. [main]
  ///
  /// Calls `onSlow` once if the preflight takes long.
  package func preflightError(
    of plugin: PluginDescription, at conditions: Preflight.Conditions = .standard,
    onSlow: (() -> Void)? = nil
  ) -> String? {
    // Other conditions can give other results.
    knownTraits[traitsKey(plugin)] = nil
    if let build = build(of: plugin) {
      let (refusal, remarks) = build.trial(at: conditions, onSlow: onSlow)
      recordRemarks(remarks)
      return refusal
    }
    guard let catalogue = catalogue(of: plugin) else { return nil }
    do {
      let entry = try catalogue.entry(named: plugin.identifier)
      let result = catalogue.result(of: entry, at: conditions, onSlow: onSlow)
      recordRemarks(result.remarks)
      // Without a cache, the catalogue stores nothing.
      knownTraits[traitsKey(plugin)] = traits(of: plugin).union(result.traits)
      return result.outcome.refusal
    } catch {
      return "\(error)"
    }
  }

  private func recordRemarks(_ remarks: [String]) {
    trialRemarks += remarks.filter { !trialRemarks.contains($0) }
  }

  /// Adds the preflight results of a library like this one. [main]
  package func register(_ traits: KnownTraits) {
    knownTraits.merge(traits) { $0.union($1) }
  }

  private func traitsKey(_ plugin: PluginDescription) -> [String] {
    [plugin.location, plugin.identifier]
  }

  /// Returns the behaviour of a plugin during preflight; empty if it was not tested. [main]
  func traits(of plugin: PluginDescription) -> Preflight.Traits {
    let key = traitsKey(plugin)
    if let known = knownTraits[key] { return known }
    let traits: Preflight.Traits
    if let build = build(of: plugin) {
      traits = build.traits
    } else if let catalogue = catalogue(of: plugin),
      let entry = try? catalogue.entry(named: plugin.identifier)
    {
      traits = catalogue.traits(of: entry)
    } else {
      traits = []
    }
    knownTraits[key] = traits
    return traits
  }
}
