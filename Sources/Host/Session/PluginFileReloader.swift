// PluginFileReloader.swift: reloads plugins whose files are replaced. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

/// Watches the files of LV2 bundles and modules, and re-creates their nodes when they are replaced. [main]
///
/// Only nodes with their own worker process are watched. The loader of a process keeps the code that it has loaded from a
/// path, and code that is overwritten in place crashes.
final class PluginFileReloader {
  private let active: ActiveRig
  /// The watchers by the location of their plugin.
  private var watchers: [String: FileSetWatcher] = [:]
  /// Called by the watchers on other threads; nil if nothing is watched.
  private var onUpdate: (@Sendable () -> Void)?
  /// The locations whose files have changed since the last reload began.
  private var changed: Set<String> = []
  /// The reload in progress.
  private var reload: Reload?

  private struct Reload {
    let loader: RigLoader
    let locations: Set<String>
    let start: ContinuousClock.Instant
  }

  private var graph: LiveGraph { active.graph }

  init(_ active: ActiveRig) { self.active = active }

  /// Watches the plugins of the rig.
  ///
  /// - Parameter onUpdate: called on another thread when `take` has work to do.
  func follow(onUpdate: @escaping @Sendable () -> Void) {
    self.onUpdate = onUpdate
    followNew()
  }

  /// Watches plugins that were added to the rig, if plugins are watched.
  func followNew() {
    guard let onUpdate else { return }
    for index in graph.members.indices where isWatchable(index) {
      let plugin = graph.members[index].plugin
      guard watchers[plugin.location] == nil else { continue }
      watchers[plugin.location] = FileSetWatcher(
        files: { Self.files(of: plugin) }, onChange: onUpdate)
      if watchers[plugin.location] == nil {
        active.notices.append(.notWatched(plugin.name))
      }
    }
  }

  /// Watches no longer.
  func stop() {
    for watcher in watchers.values { watcher.stop() }
    reload?.loader.cancel()
    (watchers, reload, onUpdate) = ([:], nil, nil)
  }

  /// Starts and completes reloads.
  func take() {
    guard let onUpdate else { return }
    for (location, watcher) in watchers where watcher.takeChange() { changed.insert(location) }
    if let reload, let outcome = reload.loader.take() {
      self.reload = nil
      complete(reload, outcome)
    }
    guard reload == nil, !changed.isEmpty else { return }
    let conditions = RigLoader.PreflightConditions(
      preflight: Preflight.Conditions(graph.configuration),
      playing: graph.members.map(\.plugin).filter { !changed.contains($0.location) },
      runsPreflight: active.rig.runsPreflight)
    reload = Reload(
      loader: RigLoader(
        active.rig.rig, active.library.sharedConfiguration, conditions, onEnd: onUpdate),
      locations: changed, start: .now)
    changed = []
  }

  private func isWatchable(_ index: Int) -> Bool {
    let plugin = graph.members[index].plugin
    return graph.plan.nodes[index].isolation.process == .own
      && active.library.build(of: plugin) == nil && active.library.isReplaceable(plugin)
  }

  /// Returns the libraries and descriptions of a plugin: other files, such as presets and samples, are not watched.
  private static func files(of plugin: PluginDescription) -> [String] {
    let directory = plugin.location
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let inside = names.filter { $0.hasSuffix(".so") || $0.hasSuffix(".ttl") }
      .map { "\(directory)/\($0)" }
    return Array(Set(inside + [plugin.library] + (names.isEmpty ? [directory] : []))).sorted()
  }

  private func complete(
    _ reload: Reload, _ outcome: Result<RigLoader.LoadedRig, any Error>
  ) {
    let names = graph.members.map(\.plugin).filter { reload.locations.contains($0.location) }
    guard let name = names.first?.name else { return }
    do {
      let ready = try outcome.get()
      guard ready.rig.rig.nodes.map(\.name) == active.rig.rig.nodes.map(\.name) else {
        // The rig has changed meanwhile.
        changed.formUnion(reload.locations)
        return
      }
      try install(ready, reload.locations)
      let elapsed = (ContinuousClock.now - reload.start) / .milliseconds(1)
      active.notices.append(.reloaded(name, milliseconds: Int(elapsed)))
      active.notices.append(contentsOf: ready.remarks.map(HostNotice.note))
    } catch {
      active.notices.append(.notReloaded(name, error))
    }
  }

  /// Re-creates the nodes of plugins with their values and states; an error leaves the session unchanged.
  private func install(_ ready: RigLoader.LoadedRig, _ locations: Set<String>) throws {
    let indices = graph.members.indices.filter {
      locations.contains(graph.members[$0].plugin.location) && isWatchable($0)
    }
    active.library.register(ready.traits)
    let before = active.rig
    for index in indices { active.setPlugin(ready.rig.plugins[index], ofNode: index) }
    let bypassed = active.faults.bypassedNodes
    // Nodes with another description, and those that are bypassed because of a fault.
    let renewed = indices.filter {
      graph.members[$0].plugin != ready.rig.plugins[$0]
        || bypassed.contains(graph.members[$0].name)
    }
    let others = indices.filter { !renewed.contains($0) }.map { graph.members[$0].name }
    do {
      if !renewed.isEmpty {
        let whole = active.rig
        _ = try active.apply(to: active.rig.withoutUselessValues)
        // A value that the new code does not use stays in the rig.
        active.rig = whole
      }
      guard !others.isEmpty else { return }
      active.widenedNodes = Set(others)
      defer { active.widenedNodes = [] }
      try active.recreate(others)
    } catch {
      active.rig = before
      throw error
    }
  }
}

extension LiveSession {
  /// Watches the files of plugins that have separate worker processes; `report` re-creates their nodes after a change. [main]
  ///
  /// - Parameter onUpdate: called on another thread when `report` has work to do.
  package func followPlugins(onUpdate: @escaping @Sendable () -> Void) {
    pluginFiles.follow(onUpdate: onUpdate)
  }
}
