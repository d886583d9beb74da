// PluginLibrary+Isolation.swift: which plugins run in worker processes by themselves. SPDX-License-Identifier: MIT

internal import Glibc
package import PluginCatalogue
package import PluginModel

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
    return plugin.kind != .builtin && !plugin.library.isEmpty
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
