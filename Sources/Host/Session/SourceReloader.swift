// SourceReloader.swift: hot reload of source modules. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import FoundationEssentials
import Glibc
import HostModel
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning

/// Watches the sources of the active rig, and activates what was compiled. [main]
final class SourceReloader {
  private let active: ActiveRig
  private let loop: RenderLoop
  /// The watchers; empty until `follow` is called.
  private var followers: [any BuildFollower] = []
  /// Called by the watchers when a plugin was compiled.
  private var onUpdate: (@Sendable () -> Void)?

  private var graph: LiveGraph { active.graph }
  private var rig: PreparedRig { active.rig }
  private var library: PluginLibrary { active.library }
  private var notices: NoticeQueue { active.notices }

  init(_ active: ActiveRig, _ loop: RenderLoop) { (self.active, self.loop) = (active, loop) }

  /// Watches the sources of the rig's modules.
  ///
  /// Each time one is saved it is compiled and preflighted; `take` activates it.
  ///
  /// - Parameter onUpdate: called on another thread when `report` has work to do.
  func follow(onUpdate: @escaping @Sendable () -> Void) {
    self.onUpdate = onUpdate
    followNew()
  }

  /// Watches no longer.
  func stop() {
    for follower in followers { follower.stop() }
  }

  /// Watches sources that were added to the rig, if sources are watched.
  func followNew() {
    guard let onUpdate else { return }
    var followed = Set(followers.map(\.absolutePath))
    for build in rig.plugins.compactMap(library.build)
    where followed.insert(build.absolutePath).inserted {
      if let follower = build.follow(in: graph.configuration, onUpdate: onUpdate) {
        followers.append(follower)
      } else {
        notices.append(.notWatched(build.path))
      }
    }
  }

  /// Activates the modules that were compiled since the last call.
  func take() {
    for follower in followers {
      guard let update = follower.takeUpdate() else { continue }
      let path = follower.path
      switch update {
      case .trying:
        notices.append(.sourceTested(path))
      case .ready(let build, let savedSeconds, let remarks):
        notices.append(install(build, saved: Date(timeIntervalSince1970: savedSeconds)))
        notices.append(contentsOf: remarks.map(HostNotice.note))
      case .failed(let message, let kind):
        notices.append(.notReloaded(path, ErrorInfo(message: message, kind: kind)))
      case .unchanged:
        notices.append(.sourceUnchanged(path))
      }
    }
  }

  /// Activates a build in all nodes that use its source, and returns a notice.
  private func install(_ build: any BuiltPlugin, saved: Date) -> HostNotice {
    let path = build.path
    let indices = graph.members.indices.filter {
      library.build(of: graph.members[$0].plugin)?.absolutePath == build.absolutePath
    }
    guard let first = indices.first else { return .sourceUnused(path) }
    let old = graph.members[first].plugin
    let plugin = library.register(build)
    let reason = library.isolationReason(of: plugin, savedSeconds: saved.timeIntervalSince1970)
    let oldReasons = rig.isolationReasons
    for index in indices {
      active.setPlugin(plugin, ofNode: index)
      active.rig.isolationReasons[index] = reason
    }
    do {
      // All nodes are created before any is activated, so an error leaves the session unchanged.
      let isIgnored = indices.contains {
        active.faults.bypassedNodes.contains(graph.members[$0].name)
      }
      if !isIgnored, let plan = compatiblePlan(),
        let replacements = try replacements(plugin, in: indices, plan)
      {
        for (swap, node) in replacements { swap.replace(with: node) }
        active.graph.setPlugin(plugin, ofMembers: indices, plan)
      } else if !hotSwap() {
        let next = try LiveGraph(rig.withoutUselessValues, library, for: active.stream)
        loop.fadeOut()
        loop.driver.stop()
        try loop.restart(with: next)
      }
      library.evict(old)
      let milliseconds = Int((Date().timeIntervalSince(saved) * 1_000).rounded())
      return .reloaded(path, milliseconds: milliseconds)
    } catch {
      for index in indices { active.setPlugin(old, ofNode: index) }
      active.rig.isolationReasons = oldReasons
      library.evict(plugin)
      return .notReloaded(path, error)
    }
  }

  /// Activates the current versions of modules without a gap.
  ///
  /// Returns false if the graph would need other inputs or outputs.
  ///
  /// A value that the new code does not use stays in the rig.
  private func hotSwap() -> Bool {
    let whole = rig
    guard (try? active.apply(to: rig.withoutUselessValues)) != nil else { return false }
    active.rig = whole
    return true
  }

  /// Returns the plan of the rig with the current versions of its modules, if the graph has the
  /// same shape; otherwise nil.
  ///
  /// A node that is re-created uses the plan, which identifies parameters by index.
  private func compatiblePlan() -> RigPlan? {
    let settings = graph.engine.settings
    guard
      let plan = try? rig.withoutUselessValues.plan(
        inputChannelCount: settings.inputChannelCount,
        outputChannelCount: settings.outputChannelCount),
      plan.links == graph.plan.links,
      plan.nodes.map(\.instanceCount) == graph.plan.nodes.map(\.instanceCount)
    else { return nil }
    return plan
  }

  /// Returns new instances of nodes, with the values and states of the old ones; nil if they do not
  /// fit into the graph.
  private func replacements(
    _ plugin: PluginDescription, in indices: [Int], _ plan: RigPlan
  ) throws -> [(HotSwapNode, any Node)]? {
    var replacements: [(HotSwapNode, any Node)] = []
    for index in indices {
      let member = graph.members[index]
      // Lanes identify parameters by index.
      let isMoved = !graph.plan.nodes[index].lanes.isEmpty
      guard !isMoved || member.plugin.parameters == plugin.parameters else { return nil }
      guard member.plugin.audioInputs.map(\.group) == plugin.audioInputs.map(\.group),
        member.plugin.audioOutputs.map(\.group) == plugin.audioOutputs.map(\.group)
      else { return nil }
      for swap in member.hotSwapNodes {
        let node = try ForeignCode.$node.withValue(member.name) {
          var configuration = graph.configuration
          plan.nodes[index].configure(&configuration)
          return try library.makeNode(plugin, configuration)
        }
        guard swap.fits(node) else { return nil }
        ActiveRig.transferParameters(from: swap, member.plugin, to: node, plugin)
        try node.activate()
        replacements.append((swap, node))
      }
    }
    return replacements
  }
}
