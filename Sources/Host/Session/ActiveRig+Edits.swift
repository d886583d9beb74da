// ActiveRig+Edits.swift: switches a session to an edited rig. SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

extension ActiveRig {
  /// Switches to another rig, with as few changes as possible. [main]
  ///
  /// Nodes with the same name, plugin and start settings continue with their state. Values that
  /// differ in the new rig are set; others are unchanged. New nodes fade in, removed nodes render
  /// their tails. Device settings take effect at the next start.
  ///
  /// - Returns: messages about the change.
  /// - Throws: every error that can be found; the session is unchanged then.
  func edit(to next: PreparedRig) throws -> [String] {
    let notes = try change(to: next.preservingManualChanges(from: rig, since: written))
    written = next
    return notes
  }

  /// Switches to another rig and adds the change to the history; resets a node on request.
  ///
  /// Returns all messages. [main]
  func change(to next: PreparedRig, resetting node: String? = nil) throws -> [String] {
    var before = undoStep(for: rig)
    let notes = try apply(to: next, resetting: node)
    if let node { before.values = changes(of: node, since: before) }
    history.record(before)
    return notes
  }

  /// Undoes the last change. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToUndo`, or the errors of `edit`.
  func undo() throws -> [String] {
    guard let step = history.previous else { throw EditError.nothingToUndo }
    return try undo(to: step.rig?.prepared(library, for: rig.rig))
  }

  /// Undoes the last change, with the current versions of the plugins; `previous` is nil if it changed only values.
  func undo(to previous: PreparedRig?) throws -> [String] {
    guard var step = history.previous else { throw EditError.nothingToUndo }
    let notes = try applyStep(to: previous, &step) { $0.old }
    history.recordUndo(step)
    return notes
  }

  /// Redoes the last undone change. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToRedo`, or the errors of `edit`.
  func redo() throws -> [String] {
    guard let step = history.following else { throw EditError.nothingToRedo }
    return try redo(to: step.rig?.prepared(library, for: rig.rig))
  }

  /// Repeats the change that was undone last, with the current versions of the plugins.
  func redo(to following: PreparedRig?) throws -> [String] {
    guard var step = history.following else { throw EditError.nothingToRedo }
    let notes = try applyStep(to: following, &step) { $0.new }
    history.recordRedo(step)
    return notes
  }

  /// Goes to the other side of a step, which then leads back.
  private func applyStep(
    to other: PreparedRig?, _ step: inout UndoStep, value: (ValueChange) -> Float
  ) throws -> [String] {
    var notes: [String] = []
    if let other {
      let now = undoStep(for: rig)
      let old = Set(graph.members.flatMap(\.nodes).map(ObjectIdentifier.init))
      notes = try apply(to: other)
      for member in graph.members where !old.contains(ObjectIdentifier(member.nodes[0])) {
        for (symbol, value) in step.rig?.snapshot[member.name] ?? [:] {
          set(symbol, of: member.name, to: value)
        }
      }
      step.rig = now.rig
    }
    for change in step.values { set(change.symbol, of: change.node, to: value(change)) }
    return notes
  }

  /// Sets a parameter that no automation moves; ignores one that is gone.
  private func set(_ symbol: String, of name: String, to value: Float) {
    guard let member = graph.members.firstIndex(where: { $0.name == name }),
      let index = graph.members[member].plugin.parameters.firstIndex(where: { $0.symbol == symbol }
      ),
      !graph.plan.nodes[member].lanes.contains(where: { $0.parameter == index })
    else { return }
    for node in graph.members[member].nodes { node.setParameter(index, to: value) }
  }

  /// Returns the values of a node that differ from those of a step.
  private func changes(of name: String, since step: UndoStep) -> [ValueChange] {
    let old = step.rig?.snapshot[name] ?? [:]
    return nodeValues.filter { $0.name == name }.flatMap { node in
      zip(node.plugin.parameters.map(\.symbol), node.values).compactMap { symbol, new in
        old[symbol].flatMap {
          $0 == new ? nil : ValueChange(node: name, symbol: symbol, old: $0, new: new)
        }
      }
    }
  }

  /// Returns a step that leads back to a rig and the present values.
  func undoStep(for rig: PreparedRig) -> UndoStep {
    let values = nodeValues.map { node in
      (
        node.name,
        Dictionary(zip(node.plugin.parameters.map(\.symbol), node.values)) { first, _ in first }
      )
    }
    return UndoStep(rig: EarlierRig(rig, Dictionary(values) { first, _ in first }))
  }

  /// Switches to another rig without a change of the history; resets a node on request.
  func apply(to wanted: PreparedRig, resetting node: String? = nil) throws -> [String] {
    var next = wanted
    resetNode = node
    defer { resetNode = nil }
    RecordingTaps.follow(&next.rig)
    let settings = graph.engine.settings
    let plan = try next.plan(
      inputChannelCount: settings.inputChannelCount,
      outputChannelCount: settings.outputChannelCount)
    let before = graph.plan
    // Nodes that were bypassed because of faults are re-created.
    var kept = RetainedNodes(of: graph, in: plan)
      .excluding(Array(faults.bypassedNodes) + [node].compactMap(\.self))
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
    for (member, values) in kept.values {
      let moved = plan.nodes[member].lanes.map(\.parameter)
      for node in graph.members[member].nodes {
        for value in values where !moved.contains(value.parameter) {
          node.setParameter(value.parameter, to: value.value)
        }
      }
    }
    restoreUnautomatedValues(from: before)
    let waiting = restartOnlyKeys(of: next.rig)
    rig = next
    for name in faults.bypassedNodes { faults.times[name] = nil }
    faults.bypassedNodes = []
    faults.cutLines = []
    latencies = LatencyMonitor(graph.members)
    onSwitch()
    let isolated = plan.nodes.filter { node in
      !before.nodes.contains { $0.name == node.name && $0.isolationReason == node.isolationReason }
    }
    return plan.notes + isolated.compactMap(LiveGraph.isolationNote) + waiting
  }

  /// Returns messages about settings that take effect at the next start.
  private func restartOnlyKeys(of new: RigDescription) -> [String] {
    // Settings that are in use already, for example after `undo`, need no start.
    let keys = Self.deviceKeys(from: rig.rig, to: new).filter(
      Self.deviceKeys(from: firstRig, to: new).contains)
    guard let last = keys.last else { return [] }
    let list = keys.count == 1 ? last : keys.dropLast().joined(separator: ", ") + " and " + last
    return ["Changes of \(list) take effect at the next start."]
  }

  /// Returns the keys of devices and of the stream that differ.
  private static func deviceKeys(from old: RigDescription, to new: RigDescription) -> [String] {
    let differs: [(String, Bool)] = [
      ("rate", old.sampleRateHz != new.sampleRateHz),
      ("period", old.periodFrames != new.periodFrames),
      ("periods", old.periodCount != new.periodCount),
      ("input", old.inputs.map(\.request) != new.inputs.map(\.request)),
      ("output", old.outputs.map(\.request) != new.outputs.map(\.request)),
      ("overload_protection", old.watchesDeadline != new.watchesDeadline),
      ("dc_protection", old.guardsAgainstOffset != new.guardsAgainstOffset),
      ("dither", old.isDithered != new.isDithered), ("midi", old.midi != new.midi),
      ("transport", old.transport != new.transport || old.clock != new.clock),
    ]
    return differs.filter(\.1).map(\.0)
  }
}
