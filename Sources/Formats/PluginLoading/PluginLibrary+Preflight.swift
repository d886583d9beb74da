// PluginLibrary+Preflight.swift: preflight of plugins. SPDX-License-Identifier: MIT

internal import Glibc
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
      if remembersPreflights, survivors[conditions]?.contains(key) == true { continue }
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
      let (refusal, remarks) = build.preflight(at: conditions, onSlow: onSlow)
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
    preflightRemarks += remarks.filter { !preflightRemarks.contains($0) }
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

extension PluginLibrary {
  /// Returns the presets of a plugin, by bank and name. [main]
  ///
  /// This is slow, because any bundle can contain them.
  ///
  /// - Throws: `PresetError.unreadable`.
  package func presets(of plugin: PluginDescription) throws(PresetError) -> [PluginPreset] {
    guard let format = presetFormat(of: plugin) else { return [] }
    guard let presets = format.list(of: plugin, in: context) else {
      throw .unreadable(plugin: plugin.name)
    }
    return presets
  }

  /// Returns the values of a preset with this name; nil if it contains more than values of parameters. [any one thread]
  ///
  /// - Throws: `PresetError`, or why the preset cannot be read.
  package func presetValues(
    _ name: String, of plugin: PluginDescription
  ) throws -> [ParameterPreset.Value]? {
    let preset = try PresetResolution(presets: presets(of: plugin), plugin: plugin.name)
      .resolve(name)
    return try presetFormat(of: plugin)?.values(of: preset, of: plugin)
  }

  /// Returns where new presets of a plugin are saved; nil if its format cannot save any. [main]
  package func presetStorage(of plugin: PluginDescription) -> PresetStorage? {
    presetFormat(of: plugin)?.storage
  }

  /// Returns the presets of the format of a plugin; nil if its plugins have none. [any]
  package func presetFormat(of plugin: PluginDescription) -> (any PresetFormat)? {
    formats.formats(of: plugin.kind).lazy.compactMap(\.presets).first
  }
}

/// When plugins with `NodeIsolation.automatic` are isolated.
package struct IsolationPolicy: Sendable {
  /// The faults of earlier sessions; nil if none are stored.
  package var faults: FaultMemory?
  /// How long the source of a plugin is new after it was saved, in seconds.
  package var newSeconds = 60.0
  /// Whether plugins are isolated at all; faults are stored in any case.
  package var isolates = true
  /// Whether the user's own plugins run in worker processes, so that their files can be replaced during a session.
  package var isReplacing = false

  /// A policy.
  package init(faults: FaultMemory?) { self.faults = faults }
}

extension PluginLibrary {
  /// Returns why a plugin with `NodeIsolation.automatic` is isolated; nil if it is not. [main]
  ///
  /// - Parameters:
  ///   - plugin: the description.
  ///   - savedSeconds: when its source was saved, in seconds since 1970; nil for the time of its files.
  /// - Returns: the reason.
  package func isolationReason(
    of plugin: PluginDescription, savedSeconds: Double? = nil
  ) -> IsolationReason? {
    guard let isolationPolicy, isolationPolicy.isolates, plugin.kind != .builtin,
      !catalogue.child.isInProcess
    else {
      return nil
    }
    let (identifier, path) = code(of: plugin)
    if let fault = isolationPolicy.faults?.fault(of: identifier, at: path) {
      return .fault(deed: fault.deed, day: fault.day)
    }
    if formats.formats(of: plugin.kind).contains(where: { !$0.isTrusted }) {
      return .untrustedFormat
    }
    if let build = build(of: plugin) {
      guard let saved = savedSeconds ?? build.savedSeconds else { return nil }
      let reason = IsolationReason.newSource(savedSeconds: saved)
      return isOver(reason) ? nil : reason
    }
    if isolationPolicy.isReplacing, isReplaceable(plugin) { return .replaceable }
    return hasFailedPreflight(plugin) ? .preflight : nil
  }

  /// Whether a plugin consists of files of the user, which can be replaced during a session. [any]
  package func isReplaceable(_ plugin: PluginDescription) -> Bool {
    var status = stat()
    return unsafe plugin.kind != .builtin && !plugin.library.isEmpty
      && stat(plugin.library, &status) == 0 && status.st_uid == geteuid()
  }

  /// Whether a reason does not apply any more only because time has passed. [any]
  package func isOver(_ reason: IsolationReason) -> Bool {
    guard case .newSource(let saved) = reason else { return false }
    // A time in the future says nothing about the age.
    return !(0 ..< (isolationPolicy?.newSeconds ?? 0) ~= Double(time(nil)) - saved.rounded(.down))
  }

  /// Returns the plugin as the subject of a fault; nil if faults are not stored. [any but render]
  package func faultSubject(of plugin: PluginDescription) -> FaultSubject? {
    guard isolationPolicy?.faults != nil, plugin.kind != .builtin else { return nil }
    let (identifier, path) = code(of: plugin)
    return FaultSubject(identifier: identifier, name: plugin.name, path: path)
  }

  /// Returns what identifies a plugin, and the file whose change makes it another version.
  private func code(of plugin: PluginDescription) -> (identifier: String, path: String) {
    if let build = build(of: plugin) { return (plugin.identifier, build.absolutePath) }
    return (plugin.identifier, plugin.library.isEmpty ? plugin.location : plugin.library)
  }

  private func hasFailedPreflight(_ plugin: PluginDescription) -> Bool {
    guard let catalogue = catalogue(of: plugin),
      let entry = try? catalogue.entry(named: plugin.identifier),
      case .failed = catalogue.cachedPreflight(entry)
    else { return false }
    return true
  }
}
