// SceneControl.swift: recalls and stores scenes. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

/// Recalls and stores the scenes of the active rig.
final class SceneControl {
  /// The longest name of a scene: files with longer keys could not be read.
  private static let longestNameBytes = 200

  private let active: ActiveRig
  /// The scene change that is in progress.
  private(set) var morph = SceneMorph()
  /// The scene that was recalled or stored last.
  private var currentScene: String?

  private var graph: LiveGraph { active.graph }
  private var rig: PreparedRig { active.rig }
  private var notices: NoticeQueue { active.notices }

  init(_ active: ActiveRig) { self.active = active }

  /// The scenes in the order of the rig.
  var scenes: [LiveSession.Scene] {
    graph.plan.scenes.map {
      LiveSession.Scene(
        name: $0.name, overSeconds: $0.overSeconds, isCurrent: $0.name == currentScene)
    }
  }

  /// Continues with a scene that was recalled before a restart.
  func resume(_ scene: String?) { currentScene = scene }

  /// Ends the scene change, because the rig was replaced.
  func cancel() { morph = SceneMorph() }

  /// Ends the scene change of parameters that a user sets.
  func drop(_ parameters: [Int], of node: String) { morph.drop(parameters, of: node) }

  /// Ends the scene change of the bypass of a node that a user sets.
  func dropBypass(of node: String) { morph.bypassMorphs.removeAll { $0.node == node } }

  /// Ends the scene change of a gain that a user sets.
  func dropGain(of connection: RigConnection) {
    morph.gainMorphs.removeAll { $0.connection.isAlike(connection) }
  }

  /// Recalls a scene.
  ///
  /// Values that the scene does not contain are unchanged. Switches and choices change in the
  /// middle of the duration.
  ///
  /// - Parameters:
  ///   - name: the scene's name, in any letter case.
  ///   - seconds: the duration; nil for that of the scene, otherwise immediate.
  /// - Returns: messages about the change.
  /// - Throws: `SetValueError` if no such scene exists, or if a node cannot be bypassed.
  func recall(_ name: String, over seconds: Double? = nil) throws -> [String] {
    let scene = graph.plan.scenes[
      try PreparedRig.index(ofScene: name, among: graph.plan.scenes.map(\.name))]
    let notes = try move(to: scene, over: seconds ?? scene.overSeconds ?? 0)
    currentScene = scene.name
    return notes
  }

  /// Moves everything that a scene says within some seconds.
  ///
  /// - Returns: messages about the change.
  /// - Throws: `SetValueError` if a node cannot be bypassed.
  func move(to scene: ScenePlan, over seconds: Double) throws -> [String] {
    let clock = SceneMorph.Clock(
      start: ProcessInfo.processInfo.systemUptime, seconds: seconds)
    var notes: [String] = []
    // Steps that can fail come first.
    var step = UndoStep()
    let morphs = bypassMorphs(to: scene, clock)
    let gains = gainMorphs(to: scene, clock)
    if !morphs.isEmpty || !gains.isEmpty {
      var targetRig = rig
      for movement in morphs { startMorph(movement, at: .infinity, in: &targetRig.rig) }
      for movement in gains { startMorph(movement, at: .infinity, in: &targetRig.rig) }
      _ = try targetRig.plan(
        inputChannelCount: graph.engine.settings.inputChannelCount,
        outputChannelCount: graph.engine.settings.outputChannelCount)
      let names = morphs.map(\.node)
      morph.bypassMorphs.removeAll { names.contains($0.node) }
      morph.bypassMorphs += morphs
      morph.gainMorphs.removeAll { movement in
        gains.contains { $0.connection.isAlike(movement.connection) }
      }
      morph.gainMorphs += gains
      step = active.undoStep(for: rig)
    }
    for setting in scene.settings {
      guard case .parameter(let index, let value) = setting.what else { continue }
      let member = graph.members[setting.node]
      let now = member.nodes[0].parameter(index)
      if now != value {
        step.values.append(
          ValueChange(
            node: member.name, symbol: member.plugin.parameters[index].symbol, old: now, new: value)
        )
      }
      notes += active.overrideUntilNextPoint([index], ofMember: setting.node)
      morph.drop([index], of: member.name)
      morph.parameterMorphs.append(
        SceneMorph.ParameterMorph(
          node: member.name, plugin: member.plugin, parameter: index,
          from: now, to: value, clock: clock))
    }
    if step.rig != nil || !step.values.isEmpty { active.history.record(step) }
    try applyMorphStep()
    return notes
  }

  /// Recalls the scene of a MIDI program change, if there was one.
  func applyProgramChange() {
    guard let program = graph.engine.takeMIDIProgram(),
      let scene = graph.plan.scenes.first(where: { $0.program == program + 1 })
    else { return }
    do {
      notices.append(.sceneRecalled(scene.name, program: program + 1))
      notices.append(contentsOf: try recall(scene.name).map(HostNotice.note))
    } catch {
      notices.append(.sceneNotRecalled(scene.name, error))
    }
  }

  /// Advances the scene change; called a hundred times a second while `isMorphing`.
  func advanceMorph() {
    do {
      try applyMorphStep()
    } catch {
      morph.bypassMorphs = []
      morph.gainMorphs = []
      notices.append(.sceneRecalledInPart(error))
    }
  }

  private func applyMorphStep() throws {
    guard !morph.isEmpty else { return }
    let now = ProcessInfo.processInfo.systemUptime
    for movement in morph.parameterMorphs {
      guard let member = graph.members.first(where: { $0.name == movement.node }),
        member.plugin == movement.plugin
      else { continue }
      let value = movement.value(at: now)
      for node in member.nodes where node.parameter(movement.parameter) != value {
        node.setParameter(movement.parameter, to: value)
      }
    }
    morph.parameterMorphs.removeAll { $0.clock.done(at: now) >= 1 }
    try continueBypassMorph(at: now)
  }

  /// Stores the current values as a scene of the rig; an existing scene of that name is replaced.
  ///
  /// - Returns: messages about the scene.
  /// - Throws: `SetValueError` if the name is empty or too long.
  func storeScene(_ name: String) throws -> [String] {
    guard name.contains(where: { !$0.isWhitespace }) else {
      throw SetValueError(messages: ["A scene needs a name."])
    }
    guard name.utf8.count <= Self.longestNameBytes else {
      throw SetValueError(messages: [
        "The scene name has \(name.utf8.count) bytes; the limit is \(Self.longestNameBytes)."
      ])
    }
    var next = rig
    var scene = RigScene(name: name, values: sceneValues())
    scene.isComplete = true
    if let position = next.rig.scenes.firstIndex(where: { $0.name == name }) {
      scene.overSeconds = next.rig.scenes[position].overSeconds
      next.rig.scenes[position] = scene
    } else {
      next.rig.scenes.append(scene)
    }
    let notes = try active.change(to: next)
    currentScene = name
    return notes
  }

  // MARK: - Bypass, wet levels and connections

  private func bypassMorphs(to scene: ScenePlan, _ clock: SceneMorph.Clock) -> [SceneMorph
    .BypassMorph]
  {
    var nodeMorphs: [Int: SceneMorph.BypassMorph] = [:]
    for setting in scene.settings {
      let node = rig.rig.nodes[setting.node]
      var movement =
        nodeMorphs[setting.node]
        ?? SceneMorph.BypassMorph(
          node: node.name, fromWet: node.wetLevel, toWet: node.wetLevel, toBypass: node.isBypassed,
          clock: clock)
      switch setting.what {
      case .parameter: continue
      case .bypass(let isOn): movement.toBypass = isOn
      case .wet(let level): movement.toWet = level
      }
      if movement.toWet != node.wetLevel || movement.toBypass != node.isBypassed {
        nodeMorphs[setting.node] = movement
      }
    }
    return nodeMorphs.sorted { $0.key < $1.key }.map(\.value)
  }

  private func gainMorphs(to scene: ScenePlan, _ clock: SceneMorph.Clock) -> [SceneMorph.GainMorph]
  {
    scene.gains.compactMap { setting in
      let connection = rig.rig.connections[setting.connection]
      guard connection.gainDecibels != setting.decibels else { return nil }
      return SceneMorph.GainMorph(
        connection: connection, toDecibels: setting.decibels, clock: clock)
    }
  }

  private func startMorph(
    _ movement: SceneMorph.GainMorph, at now: Double, in rig: inout RigDescription
  ) {
    guard let position = rig.connections.firstIndex(where: movement.connection.isAlike) else {
      return
    }
    rig.connections[position].gainDecibels = movement.decibels(at: now)
  }

  private func startMorph(
    _ movement: SceneMorph.BypassMorph, at now: Double, in rig: inout RigDescription
  ) {
    guard let position = rig.nodes.firstIndex(where: { $0.name == movement.node }) else { return }
    rig.nodes[position].wetLevel = movement.wet(at: now)
    if movement.clock.done(at: now) >= 0.5 { rig.nodes[position].isBypassed = movement.toBypass }
  }

  /// Advances bypass and gains.
  ///
  /// Each step is a crossfade that starts when the previous one is complete, except for the last
  /// step.
  private func continueBypassMorph(at now: Double) throws {
    let clocks = morph.bypassMorphs.map(\.clock) + morph.gainMorphs.map(\.clock)
    guard !clocks.isEmpty else { return }
    let isOver = clocks.contains { $0.done(at: now) >= 1 }
    guard isOver || graph.editor.isSettled else { return }
    var next = rig
    for movement in morph.bypassMorphs { startMorph(movement, at: now, in: &next.rig) }
    for movement in morph.gainMorphs { startMorph(movement, at: now, in: &next.rig) }
    morph.bypassMorphs.removeAll { $0.clock.done(at: now) >= 1 }
    morph.gainMorphs.removeAll { $0.clock.done(at: now) >= 1 }
    guard next.rig != rig.rig else { return }
    let (before, gains) = (rig.rig.nodes, rig.rig.connections.map(\.gainDecibels))
    _ = try active.apply(to: next)
    // Lanes do not change values that a scene sets, until their next points.
    for (old, new) in zip(before, next.rig.nodes) {
      _ = active.overrideUntilNextPoint(BypassSettings(from: old, to: new), of: new.name)
    }
    for (position, old) in gains.enumerated()
    where rig.rig.connections[position].gainDecibels != old {
      _ = active.overrideUntilNextPoint(connection: position)
    }
  }

  // MARK: - Storing

  /// Returns the values of every node, except automated and trigger parameters.
  private func sceneValues() -> [RigParameter] {
    rig.sceneValues(graph.plan) { active.nodeValues[$0].values }
  }
}
