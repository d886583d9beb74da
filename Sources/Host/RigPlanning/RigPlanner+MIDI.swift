// RigPlanner+MIDI.swift: MIDI connections of a rig. SPDX-License-Identifier: MIT

import PluginModel
import RigSchema

extension RigPlanner {
  /// Returns whether a connection carries MIDI: explicitly, or because one of its nodes has MIDI but no audio.
  func carriesMIDI(_ connection: RigConnection) -> Bool {
    if connection.carriesMIDI { return true }
    guard let from = plugin(connection.from), let to = plugin(connection.to),
      connection.from.ports == .all, connection.to.ports == .all
    else { return false }
    return from.producesMIDI && to.acceptsMIDI
      && (from.audioOutputs.isEmpty || to.audioInputs.isEmpty)
  }

  private func plugin(_ end: ConnectionEndpoint) -> PluginDescription? {
    end.nodeName.flatMap { indices[$0] }.map { nodes[$0].plugin }
  }

  /// Connects the MIDI of two ends.
  mutating func linkEvents(_ connection: RigConnection) {
    let (from, to) = (connection.from, connection.to)
    if let message = errorMessage(connection) {
      report(message, to.position, connection.keyPath, in: connection.file)
      return
    }
    let link = RigPlan.EventLink(
      from: from.nodeName.flatMap { indices[$0] }, to: to.nodeName.flatMap { indices[$0] })
    if !eventLinks.contains(link) { eventLinks.append(link) }
  }

  private func errorMessage(_ connection: RigConnection) -> String? {
    let source = label(connection.from, of: connection) ?? "in"
    let sink = label(connection.to, of: connection) ?? "out"
    for end in [connection.from, connection.to] where !end.carriesMIDI && end.ports != .all {
      return "MIDI and audio cannot be connected. For MIDI, write \(source):midi -> \(sink):midi."
    }
    if connection.gainDecibels != 0 {
      return "MIDI from \(source) to \(sink) cannot be given a gain."
    }
    if connection.delaySeconds != nil {
      return "MIDI from \(source) to \(sink) cannot be given a delay."
    }
    if let plugin = plugin(connection.from), !plugin.producesMIDI {
      return "\(source) sends no MIDI, so it cannot feed \(sink)."
    }
    if let plugin = plugin(connection.to), !plugin.acceptsMIDI {
      return "\(sink) takes no MIDI, so \(source) cannot feed it."
    }
    return nil
  }

  /// Connects the MIDI input of the rig to all unconnected nodes that take MIDI.
  mutating func connectDefaultMIDI() {
    let fed = Set(eventLinks.map(\.to))
    for index in nodes.indices where usesDefaultMIDI(index) && !fed.contains(index) {
      eventLinks.append(RigPlan.EventLink(from: input(around: index), to: index))
    }
  }
}
