// LiveSession+Edits.swift: switches a session to an edited rig. SPDX-License-Identifier: MIT

import AudioDriver
import PluginCatalogue
import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// Switches to another rig, with as few changes as possible. [main]
  ///
  /// Nodes with the same name, plugin and start settings continue with their state. Values that
  /// differ in the new rig are set; others are unchanged. New nodes fade in, removed nodes render
  /// their tails. Device settings take effect at the next start.
  ///
  /// - Returns: messages about the change.
  /// - Throws: every error that can be found; the session is unchanged then.
  package func edit(to next: PreparedRig) throws -> [String] {
    let notes = try change(to: next.preservingManualChanges(from: rig, since: written))
    written = next
    morph = SceneMorph()
    return notes
  }

  /// Switches to another rig and adds the change to the history.
  ///
  /// Returns all messages. [main]
  func change(to next: PreparedRig) throws -> [String] {
    let before = rig
    let notes = try apply(to: next)
    history.record(before)
    return notes
  }

  /// Undoes the last edit. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToUndo`, or the errors of `edit`.
  package func undo() throws -> [String] {
    guard let previous = history.previous else { throw EditError.nothingToUndo }
    return try applyUndo(to: previous.withReloadedPlugins(library))
  }

  /// Switches to the rig before the last change, with the current versions of its plugins.
  func applyUndo(to previous: PreparedRig) throws -> [String] {
    let before = rig
    let notes = try apply(to: previous)
    history.recordUndo(of: before)
    morph = SceneMorph()
    return notes
  }

  /// Redoes the last undone edit. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToRedo`, or the errors of `edit`.
  package func redo() throws -> [String] {
    guard let following = history.following else { throw EditError.nothingToRedo }
    return try applyRedo(to: following.withReloadedPlugins(library))
  }

  /// Switches to the rig that was undone last, with the current versions of its plugins.
  func applyRedo(to following: PreparedRig) throws -> [String] {
    let before = rig
    let notes = try apply(to: following)
    history.recordRedo(from: before)
    morph = SceneMorph()
    return notes
  }

  /// Adds a message to the next report. [main]
  package func addNotice(_ message: String) { notices.append(message) }

  /// Switches to another rig without a change of the history.
  func apply(to wanted: PreparedRig) throws -> [String] {
    var next = wanted
    RecordingTaps.follow(&next.rig)
    let settings = graph.engine.settings
    let plan = try next.plan(
      inputChannelCount: settings.inputChannelCount,
      outputChannelCount: settings.outputChannelCount)
    let before = graph.plan
    // Nodes that were bypassed because of faults are re-created.
    var kept = RetainedNodes(of: graph, in: plan).excluding(Array(faults.bypassedNodes))
    var lines = graph.lines.filter { !faults.cutLines.contains($0.key) }
    while true {
      do {
        try edit(to: next, plan, keeping: kept, lines: lines)
        break
      } catch GraphError.loop(let names)
        where kept.excluding(names).count < kept.count
        || lines.contains(where: { !$0.key.closesLoop })
      {
        // The union of both graphs has a loop. New instances replace some of its nodes.
        kept = kept.excluding(names)
        lines.removeAll { !$0.key.closesLoop }
      }
    }
    for (place, values) in kept.values {
      let moved = plan.nodes[place].lanes.map(\.parameter)
      for node in graph.members[place].nodes {
        for value in values where !moved.contains(value.parameter) {
          node.setParameter(value.parameter, to: value.value)
        }
      }
    }
    restoreUnautomatedValues(from: before)
    let waiting = Self.restartOnlyKeys(from: rig.rig, to: next.rig)
    rig = next
    for name in faults.bypassedNodes { faults.times[name] = nil }
    faults.bypassedNodes = []
    faults.cutLines = []
    latencies = LatencyMonitor(graph.members)
    followNewSources()
    return plan.notes + waiting
  }

  /// Re-creates a node with its current values, and crossfades to it. [main]
  ///
  /// - Throws: errors of the plugin; the session is unchanged then.
  func recreateNode(_ name: String) throws { try recreate([name]) }

  func edit(
    to next: PreparedRig, _ plan: RigPlan, keeping kept: RetainedNodes,
    lines: [ConnectionDelay]? = nil
  ) throws {
    var fresh: [any Node] = []
    let makeNode = LiveGraph.nodeMaker(next, library)
    let feedbackSuppressor =
      next.rig.suppressesFeedback
      ? graph.feedbackSuppressor
        ?? LiveGraph.feedbackSuppressor(next, plan, stream, graph.configuration) : nil
    do {
      let built = try RigBuilder.build(
        plan, graph.configuration, outputGuard: feedbackSuppressor, keeping: kept.nodes,
        from: graph.graph,
        lines: lines ?? graph.lines, gains: graph.gains
      ) { plugin, configuration in
        let node = try makeNode(plugin, configuration)
        fresh.append(node)
        return node
      }
      for place in built.members.indices where kept.nodes[place] == nil {
        copyManualValues(built.members[place], plan.nodes[place])
      }
      let replaced = nodes(replacedBy: built.members)
      try graph.edit(to: built, plan, replacing: replaced, feedbackSuppressor: feedbackSuppressor)
    } catch {
      for node in fresh { node.deactivate() }
      throw error
    }
  }

  /// Copies manual values from the old node of the same name to a new one, if both have the same
  /// plugin.
  ///
  /// A recompiled module also gets its state.
  private func copyManualValues(_ member: BuiltRig.BuiltNode, _ planned: RigPlan.PlannedNode) {
    guard let place = graph.members.firstIndex(where: { $0.name == member.name }) else { return }
    let old = graph.members[place]
    let oldPlan = graph.plan.nodes[place]
    // A node with another preset or state keeps the values of that preset or state.
    let isBegunAlike =
      planned.preset == oldPlan.preset && planned.stateDirectory == oldPlan.stateDirectory
    for (node, before) in zip(member.nodes, old.nodes) {
      if old.plugin == member.plugin {
        guard isBegunAlike else { continue }
        recoverState(
          of: before, to: node, member, movesProcess: planned.isolation != oldPlan.isolation)
        let written = Set(RetainedNodes.changes(planned, oldPlan).map(\.parameter))
        for index in member.plugin.parameters.indices where !written.contains(index) {
          node.setParameter(index, to: before.parameter(index))
        }
      } else if old.plugin.identifier == member.plugin.identifier {
        Self.transferParameters(from: before, old.plugin, to: node, member.plugin)
      }
    }
  }

  /// Returns the nodes that recompiled versions replace.
  ///
  /// They render no tail, because both at once would be too loud.
  private func nodes(replacedBy members: [BuiltRig.BuiltNode]) -> [any Node] {
    func isSame(_ one: PluginDescription, _ other: PluginDescription) -> Bool {
      let source = library.build(of: one)?.absolutePath
      return one.identifier == other.identifier
        || (source != nil && source == library.build(of: other)?.absolutePath)
    }
    return graph.members.filter { old in
      members.contains {
        $0.name == old.name && $0.plugin != old.plugin && isSame($0.plugin, old.plugin)
      }
    }.flatMap(\.nodes)
  }

  /// Returns messages about settings that take effect at the next start.
  private static func restartOnlyKeys(from old: RigDescription, to new: RigDescription) -> [String]
  {
    let differs: [(String, Bool)] = [
      ("rate", old.sampleRateHz != new.sampleRateHz),
      ("period", old.periodFrames != new.periodFrames),
      ("periods", old.periodCount != new.periodCount),
      ("input", old.inputs.map(\.request) != new.inputs.map(\.request)),
      ("output", old.outputs.map(\.request) != new.outputs.map(\.request)),
      ("overload_protection", old.watchesDeadline != new.watchesDeadline),
      ("dc_protection", old.guardsAgainstOffset != new.guardsAgainstOffset),
      ("dither", old.isDithered != new.isDithered), ("midi", old.midi != new.midi),
      ("transport", old.transport != new.transport),
    ]
    let keys = differs.filter(\.1).map(\.0)
    guard let last = keys.last else { return [] }
    let list = keys.count == 1 ? last : keys.dropLast().joined(separator: ", ") + " and " + last
    return ["Changes of \(list) take effect at the next start."]
  }
}

/// The nodes of a graph that continue in a plan.
struct RetainedNodes {
  /// The instances, by the index of the node in the plan.
  private(set) var nodes: [Int: [any Node]] = [:]
  /// The values that differ in the plan, by the index of the node.
  private(set) var values: [Int: [(parameter: Int, value: Float)]] = [:]
  private let plan: RigPlan

  var count: Int { nodes.count }

  init(of graph: LiveGraph, in plan: RigPlan) {
    self.plan = plan
    for (place, planned) in plan.nodes.enumerated() {
      guard let old = graph.members.firstIndex(where: { $0.name == planned.name }),
        graph.members[old].plugin == planned.plugin,
        Self.hasSameSetup(planned, as: graph.plan.nodes[old])
      else { continue }
      nodes[place] = graph.members[old].nodes
      values[place] = Self.changes(planned, graph.plan.nodes[old])
    }
  }

  /// Returns the set without nodes of these names.
  func excluding(_ names: [String]) -> RetainedNodes {
    var result = self
    for (place, planned) in plan.nodes.enumerated()
    where names.contains(planned.name)
      || names.contains(where: { $0.hasPrefix(planned.name + "/") })
    {
      result.nodes[place] = nil
      result.values[place] = nil
    }
    return result
  }

  /// Returns whether both nodes have the same settings that can only be applied at creation.
  private static func hasSameSetup(_ new: RigPlan.PlannedNode, as old: RigPlan.PlannedNode) -> Bool
  {
    guard new.instanceCount == old.instanceCount, new.preset == old.preset,
      new.stateDirectory == old.stateDirectory, new.isolation == old.isolation,
      isEqual(new.properties, old.properties)
    else { return false }
    // If a preset or a state sets a value that the rig no longer sets, the value is only known
    // after creation.
    let isPlain = new.preset == nil && new.stateDirectory == nil
    return isPlain || Set(old.values.map(\.parameter)).isSubset(of: new.values.map(\.parameter))
  }

  private static func isEqual(
    _ new: [RigPlan.PropertySetting], _ old: [RigPlan.PropertySetting]
  ) -> Bool {
    new.count == old.count && new.allSatisfy(old.contains)
  }

  /// Returns the values that differ, and the defaults of values that the rig no longer sets.
  static func changes(
    _ new: RigPlan.PlannedNode, _ old: RigPlan.PlannedNode
  ) -> [(parameter: Int, value: Float)] {
    func written(_ node: RigPlan.PlannedNode, _ parameter: Int) -> Float? {
      node.values.last { $0.parameter == parameter }?.value
    }
    return new.plugin.parameters.enumerated().compactMap { parameter, description in
      let (before, after) = (written(old, parameter), written(new, parameter))
      return before == after ? nil : (parameter, after ?? description.defaultValue)
    }
  }
}

/// The reason why there is nothing to undo or redo.
package enum EditError: Error, Equatable, CustomStringConvertible {
  /// No edit was made, or all were undone.
  case nothingToUndo
  /// Nothing was undone since the last edit.
  case nothingToRedo

  /// The message to the user.
  package var description: String {
    switch self {
    case .nothingToUndo: "Nothing to undo."
    case .nothingToRedo:
      "Nothing to redo: no change was undone since the last edit."
    }
  }
}
