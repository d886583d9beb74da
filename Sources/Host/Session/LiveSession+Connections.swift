// LiveSession+Connections.swift: manual changes of connection gains. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import RenderGraph
import RigPlanning
import RigSchema

extension LiveSession {
  /// Sets the gain of a connection, with a fade.
  ///
  /// - Returns: messages about corrected values.
  /// - Throws: `SetValueError` if no such connection exists, or if the value is not a gain.
  func set(connection text: String, to values: [(symbol: String, text: String)]) throws -> [String]
  {
    let place = try place(ofConnection: text)
    var decibels = rig.rig.connections[place].gainDecibels
    for (symbol, value) in values {
      guard symbol.lowercased() == "gain" else {
        throw SetValueError(messages: [
          "\(text): \(symbol) cannot be set; a connection has a gain, as in gain=-6."
        ])
      }
      guard let gain = ConnectionGain(value) else {
        throw SetValueError(messages: ["\(text): gain = \(value) \(ConnectionGain.errorMessage)"])
      }
      decibels = gain.decibels
    }
    var next = rig
    next.rig.connections[place].gainDecibels = decibels
    // A scene change no longer changes this gain.
    let connection = next.rig.connections[place]
    let notes = next.rig == rig.rig ? [] : try change(to: next)
    morph.gainMorphs.removeAll { $0.connection.isAlike(connection) }
    return notes + overrideUntilNextPoint(connection: place)
  }

  private func place(ofConnection text: String) throws(SetValueError) -> Int {
    guard let name = ConnectionSpecifier(text) else {
      throw SetValueError(messages: [
        "\"\(text)\" is not a connection. Write it as in \"voice -> reverb\"."
      ])
    }
    let own = rig.rig.connections.enumerated().filter {
      !$1.carriesMIDI && !RecordingTaps.isTap($1)
    }
    switch name.place(among: own.map { ($0, $1) }) {
    case .success(let place): return place
    case .failure(let fault):
      throw SetValueError(messages: [
        fault.message.prefix(1).uppercased() + fault.message.dropFirst()
      ])
    }
  }

  /// Holds the automated gain of a connection at the rig's value until the next point of its lane.
  /// [main]
  ///
  /// - Returns: a message for each automated gain.
  func overrideUntilNextPoint(connection place: Int) -> [String] {
    guard let lane = graph.plan.connections[place].lane else { return [] }
    let connection = rig.rig.connections[place]
    let gain = Float(pow(10, Double(connection.gainDecibels) / 20))
    let isOverridden = graph.gains.map { $0.node.overrideUntilNextPoint(lane, at: gain) }.contains(
      true)
    return isOverridden
      ? ["\(connection.label).gain is automated. Its lane sets it again at the next point."] : []
  }
}
