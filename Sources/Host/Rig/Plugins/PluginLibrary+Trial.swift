// PluginLibrary+Trial.swift: plugins tried before they are used. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginModel

extension PluginLibrary {
  /// What is refused is refused with its reason, before anything is opened. [main]
  ///
  /// Plugins that have not been tried under these conditions since they last changed are tried in a
  /// child process, which one that crashes takes down in the place of this one. `onSlow` is called once with
  /// each plugin whose trial takes longer than a person expects.
  package func checkByTrial(
    _ plugins: [PluginDescription], at conditions: Preflight.Conditions = .usual,
    onSlow: @escaping (PluginDescription) -> Void = { _ in }
  ) throws {
    for plugin in plugins {
      let key = plugin.identifier + " " + plugin.location
      if remembersTrials, survivors[conditions]?.contains(key) == true { continue }
      let refusal = plugin.refusal ?? trialRefusal(of: plugin, at: conditions) { onSlow(plugin) }
      if let refusal {
        throw PluginLibraryError.refused(name: plugin.name, reason: refusal)
      }
      survivors[conditions, default: []].insert(key)
    }
  }

  /// Why a plugin did not come through its trial; nil if it did. [main]
  ///
  /// `onSlow` is called once while the trial takes longer than a person expects.
  package func trialRefusal(
    of plugin: PluginDescription, at conditions: Preflight.Conditions = .usual,
    onSlow: (() -> Void)? = nil
  ) -> String? {
    // It may show more under other conditions.
    knownTraits[traitsKey(plugin)] = nil
    if let (module, product) = compiled(plugin) {
      let (refusal, remarks) = module.trial(of: product, at: conditions, onSlow: onSlow)
      note(remarks)
      return refusal
    }
    guard let catalogue = catalogue(of: plugin) else { return nil }
    do {
      let entry = try catalogue.entry(named: plugin.identifier)
      let result = catalogue.result(of: entry, at: conditions, onSlow: onSlow)
      note(result.remarks)
      // Where there is no cache, the catalogue remembers nothing.
      knownTraits[traitsKey(plugin)] = traits(of: plugin).union(result.traits)
      return result.outcome.refusal
    } catch {
      return "\(error)"
    }
  }

  private func note(_ remarks: [String]) {
    trialRemarks += remarks.filter { !trialRemarks.contains($0) }
  }

  /// Takes over what a library like this one has seen in trials. [main]
  package func adopt(_ traits: KnownTraits) {
    knownTraits.merge(traits) { $0.union($1) }
  }

  private func traitsKey(_ plugin: PluginDescription) -> [String] {
    [plugin.location, plugin.identifier]
  }

  /// What a plugin was seen to do in its trials; nothing for one that was not tried. [main]
  func traits(of plugin: PluginDescription) -> Preflight.Traits {
    let key = traitsKey(plugin)
    if let known = knownTraits[key] { return known }
    let traits: Preflight.Traits
    if let (module, product) = sources[plugin.location] {
      traits = module.traits(of: product)
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
