// LiveSession+Sources.swift: modules that are compiled again while they play. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials
import Glibc
import PluginCatalogue
import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// Follows the sources of the rig's modules, if it has any: each time one is saved it is compiled, tried
  /// and heard. [main]
  ///
  /// What becomes of it is told in `report`, which does the last step.
  /// - Parameter onNews: called on another thread when there is something for `report` to do.
  package func followSources(onNews: @escaping @Sendable () -> Void) {
    onSourceNews = onNews
    followNewSources()
  }

  /// Follows the sources that the rig has come to have, once any are followed.
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

  /// Puts in place what was compiled since the last time.
  func takeSources() {
    for follower in followers {
      guard let news = follower.takeNews() else { continue }
      let path = follower.path
      switch news {
      case .trying:
        notices.append("\(path) is still being tried, and the code before it plays on.")
      case .ready(let build, let savedSeconds, let remarks):
        notices.append(place(build, saved: Date(timeIntervalSince1970: savedSeconds)))
        notices += remarks
      case .failed(let sentence):
        notices.append("What \(path) was before plays on. \(sentence)")
      case .asBefore:
        notices.append("\(path) is again what plays.")
      }
    }
  }

  /// Has a build heard wherever its source is named, and returns a sentence on it.
  private func place(_ build: any BuiltPlugin, saved: Date) -> String {
    let path = build.path
    let indices = graph.members.indices.filter {
      library.build(of: graph.members[$0].plugin)?.absolutePath == build.absolutePath
    }
    guard let first = indices.first else { return "\(path) is no longer part of the rig." }
    let old = graph.members[first].plugin
    let plugin = library.adopt(build)
    for index in indices { setPlugin(plugin, ofNode: index) }
    do {
      // All are made before any is heard, so that one that cannot be made leaves all as they were.
      let isLeftOut = indices.contains { faults.leftOut.contains(graph.members[$0].name) }
      if !isLeftOut, let plan = planOfSameShape(),
        let replacements = try replacements(plugin, in: indices)
      {
        for (swap, node) in replacements { swap.replace(with: node) }
        graph.setPlugin(plugin, ofMembers: indices, plan)
      } else if !hearsInPlace() {
        let next = try LiveGraph(rig.withoutUselessValues, library, for: driver.stream)
        fallSilent()
        driver.stop()
        try goOn(with: next)
      }
      library.forget(old)
      let milliseconds = Int((Date().timeIntervalSince(saved) * 1_000).rounded())
      return "Reloaded \(path) in \(milliseconds) ms."
    } catch {
      for index in indices { setPlugin(old, ofNode: index) }
      library.forget(plugin)
      return "What \(path) was before plays on. \(error)"
    }
  }

  /// Goes over to the rig with what its modules are now, without a gap; false where the graph's borders
  /// would have to be others.
  ///
  /// A value that the new code has no use for waits in the rig until it has one again.
  private func hearsInPlace() -> Bool {
    let whole = rig
    guard (try? goOver(to: rig.withoutUselessValues)) != nil else { return false }
    rig = whole
    return true
  }

  /// The plan of the rig with what its modules are now, if the graph may stay as it is; else nil.
  ///
  /// Whoever makes a node anew goes by the plan, which counts parameters by their places.
  private func planOfSameShape() -> RigPlan? {
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

  /// New nodes for the instances of members, with what the old ones were set to and remember; nil where
  /// they do not fit into the graph as it is.
  private func replacements(
    _ plugin: PluginDescription, in indices: [Int]
  ) throws -> [(HotSwapNode, any Node)]? {
    var replacements: [(HotSwapNode, any Node)] = []
    for index in indices {
      let member = graph.members[index]
      // Lanes go by the places of parameters.
      let isMoved = !graph.plan.nodes[index].lanes.isEmpty
      guard !isMoved || member.plugin.parameters == plugin.parameters else { return nil }
      guard member.plugin.audioInputs.map(\.group) == plugin.audioInputs.map(\.group),
        member.plugin.audioOutputs.map(\.group) == plugin.audioOutputs.map(\.group)
      else { return nil }
      for swap in member.hotSwapNodes {
        let node = try library.makeNode(plugin, graph.configuration)
        guard swap.fits(node) else { return nil }
        Self.carryOver(from: swap, member.plugin, to: node, plugin)
        try node.activate()
        replacements.append((swap, node))
      }
    }
    return replacements
  }

  /// Parameters and files by their symbols, and the state, where the new code takes them; a file that it
  /// has already stays.
  static func carryOver(
    from old: any Node, _ oldPlugin: PluginDescription, to node: any Node,
    _ plugin: PluginDescription
  ) {
    for (index, parameter) in plugin.parameters.enumerated() {
      guard let place = oldPlugin.parameters.firstIndex(where: { $0.symbol == parameter.symbol })
      else { continue }
      // At its old default it was not set, and follows the code to the new one.
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
