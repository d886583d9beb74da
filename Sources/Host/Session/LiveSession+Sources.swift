// LiveSession+Sources.swift: hot reload of source modules. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials
import Glibc
import PluginCatalogue
import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// Watches the sources of the rig's modules.
  ///
  /// Each time one is saved it is compiled, preflighted and activated. [main]
  ///
  /// `report` performs the last step and returns the messages about it.
  ///
  /// - Parameter onNews: called on another thread when `report` has work to do.
  package func followSources(onNews: @escaping @Sendable () -> Void) {
    onSourceNews = onNews
    followNewSources()
  }

  /// Watches sources that were added to the rig, if sources are watched.
  func followNewSources() {
    guard let onNews = onSourceNews else { return }
    var followed = Set(followers.map(\.absolutePath))
    for build in rig.plugins.compactMap(library.build)
    where followed.insert(build.absolutePath).inserted {
      if let follower = build.follow(in: graph.configuration, onNews: onNews) {
        followers.append(follower)
      } else {
        notices.append(
          "\(build.path) cannot be watched: inotify limit reached"
            + " (fs.inotify.max_user_instances). Restart the session after changes.")
      }
    }
  }

  /// Activates the modules that were compiled since the last call.
  func takeSources() {
    for follower in followers {
      guard let news = follower.takeUpdate() else { continue }
      let path = follower.path
      switch news {
      case .trying:
        notices.append("\(path) is being tested. The previous version stays active.")
      case .ready(let build, let savedSeconds, let remarks):
        notices.append(place(build, saved: Date(timeIntervalSince1970: savedSeconds)))
        notices += remarks
      case .failed(let message):
        notices.append("\(path) was not reloaded. \(message)")
      case .unchanged:
        notices.append("\(path) equals the active version again.")
      }
    }
  }

  /// Activates a build in all nodes that use its source, and returns a message.
  private func place(_ build: any BuiltPlugin, saved: Date) -> String {
    let path = build.path
    let indices = graph.members.indices.filter {
      library.build(of: graph.members[$0].plugin)?.absolutePath == build.absolutePath
    }
    guard let first = indices.first else { return "\(path) is no longer part of the rig." }
    let old = graph.members[first].plugin
    let plugin = library.register(build)
    for index in indices { setPlugin(plugin, ofNode: index) }
    do {
      // All nodes are created before any is activated, so an error leaves the session unchanged.
      let isLeftOut = indices.contains { faults.bypassedNodes.contains(graph.members[$0].name) }
      if !isLeftOut, let plan = compatiblePlan(),
        let replacements = try replacements(plugin, in: indices)
      {
        for (swap, node) in replacements { swap.replace(with: node) }
        graph.setPlugin(plugin, ofMembers: indices, plan)
      } else if !hotSwap() {
        let next = try LiveGraph(rig.withoutUselessValues, library, for: driver.stream)
        fadeOut()
        driver.stop()
        try restart(with: next)
      }
      library.evict(old)
      let milliseconds = Int((Date().timeIntervalSince(saved) * 1_000).rounded())
      return "Reloaded \(path) in \(milliseconds) ms."
    } catch {
      for index in indices { setPlugin(old, ofNode: index) }
      library.evict(plugin)
      return "\(path) was not reloaded. \(error)"
    }
  }

  /// Activates the current versions of modules without a gap.
  ///
  /// Returns false if the graph would need other inputs or outputs.
  ///
  /// A value that the new code does not use stays in the rig.
  private func hotSwap() -> Bool {
    let whole = rig
    guard (try? apply(to: rig.withoutUselessValues)) != nil else { return false }
    rig = whole
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
    _ plugin: PluginDescription, in indices: [Int]
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
          try library.makeNode(plugin, graph.configuration(ofMember: index))
        }
        guard swap.fits(node) else { return nil }
        Self.transferParameters(from: swap, member.plugin, to: node, plugin)
        try node.activate()
        replacements.append((swap, node))
      }
    }
    return replacements
  }

  /// Copies parameters and files by symbol, and the state, if the new code accepts them.
  ///
  /// A file that is already loaded is unchanged.
  static func transferParameters(
    from old: any Node, _ oldPlugin: PluginDescription, to node: any Node,
    _ plugin: PluginDescription
  ) {
    for (index, parameter) in plugin.parameters.enumerated() {
      guard let place = oldPlugin.parameters.firstIndex(where: { $0.symbol == parameter.symbol })
      else { continue }
      // A parameter at its old default was not set by the user, and gets the new default.
      let value = old.parameter(place)
      guard value != oldPlugin.parameters[place].defaultValue else { continue }
      node.setParameter(index, to: value)
    }
    if let old = old.abilities.properties, let node = node.abilities.properties {
      for (index, property) in plugin.properties.enumerated() where node.property(index) == nil {
        guard let place = oldPlugin.properties.firstIndex(where: { $0.uri == property.uri }),
          let value = old.property(place)
        else { continue }
        try? node.setProperty(index, to: value)
      }
    }
    guard let bytes = old.abilities.state?.save() else { return }
    try? node.abilities.state?.restore(bytes)
  }
}
