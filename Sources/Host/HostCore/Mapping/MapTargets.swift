// MapTargets.swift: present values of targets that only the main thread sets. SPDX-License-Identifier: MIT

import HostModel
import Manifests
import PluginModel
import RigPlanning
import RigSchema

extension MapPlan.Target {
  /// Returns the present value in the target's unit; nil if the state does not have it.
  func value(in state: SessionState) -> Float? {
    switch self {
    case .parameter(let node, let parameter):
      return state.nodes.first { $0.name == node }?.parameters
        .first { $0.symbol == parameter.symbol }?.value
    case .bypass(let name):
      let isOn =
        state.nodes.first { $0.name == name }?.bypass
        ?? state.nestedRigs.first { $0.name == name }?.bypass
      return isOn.map { $0 ? 1 : 0 }
    case .wet(let name):
      let level =
        state.nodes.first { $0.name == name }?.wet
        ?? state.nestedRigs.first { $0.name == name }?.wet
      return level.map { $0 * 100 }
    case .gain(let name):
      return state.connections.first { $0.name == name }.map { $0.gain ?? -.infinity }
    case .action: return nil
    }
  }

  /// Returns whether a change is one of this target.
  func isChanged(by change: StateChange) -> Bool {
    switch (self, change) {
    case (.parameter(let node, let parameter), .parameter(let other, let symbol, _)):
      node == other && parameter.symbol == symbol
    case (.bypass(let node), .bypass(let other, _)): node == other
    case (.wet(let node), .wet(let other, _)): node == other
    case (.gain(let name), .gain(let other, _)): name == other
    case (_, .rig): true
    default: false
    }
  }

  /// Returns the nearest legal value.
  func legal(_ value: Double) -> Float {
    switch self {
    case .parameter(_, let parameter): parameter.onGrid(Float(value))
    case .bypass: value >= 0.5 ? 1 : 0
    case .wet: Float((value * 100).rounded() / 100)
    case .gain: ConnectionGain.nearest(to: (value * 100).rounded() / 100)
    case .action: 0
    }
  }

  /// Returns the command that sets a value.
  func command(setting value: Float) -> Command? {
    func set(_ node: String, _ symbol: String, _ text: String) -> Command {
      .set(.init(node: node, values: [.init(symbol, text)]))
    }
    switch self {
    case .parameter(let node, let parameter):
      return set(node, parameter.symbol, plain(value))
    case .bypass(let node): return set(node, "bypass", value == 1 ? "on" : "off")
    case .wet(let node): return set(node, "wet", "\(plain(value)) %")
    case .gain(let name): return set(name, "gain", value.isFinite ? plain(value) : "off")
    case .action: return nil
    }
  }
}

extension MapAction {
  /// Returns the command; nil for one that depends on the session.
  func command(in session: SessionState, isRecording: Bool) -> Command? {
    let scenes = session.scenes
    switch self {
    case .stepScene(let step): return .scene(.step(step))
    case .tapTempo: return .transport(.init(action: .tap))
    case .transport(let verb):
      let isRolling = session.transport?.rolling ?? false
      let word = verb == "toggle" ? (isRolling ? "stop" : "start") : verb
      return Command.Transport.Action(rawValue: word).map { .transport(.init(action: $0)) }
    case .scene(let name):
      let named = scenes.first { $0.name.lowercased() == name.lowercased() }
      let numbered = Int(name).flatMap { 1 ... max(1, scenes.count) ~= $0 ? $0 - 1 : nil }
      return (named ?? numbered.flatMap { $0 < scenes.count ? scenes[$0] : nil }).map {
        .scene(.recall($0.name, over: nil))
      }
    case .undo: return .undo
    case .redo: return .redo
    case .record(let verb, let node):
      let word = verb == "toggle" ? (isRecording ? "stop" : "start") : verb
      return Command.Record.Action(word, text: nil).map { .record(.init(node: node, action: $0)) }
    case .play(let verb, let node):
      return Command.Play.Action(verb, text: nil).map { .play(.init(node: node, action: $0)) }
    }
  }
}
