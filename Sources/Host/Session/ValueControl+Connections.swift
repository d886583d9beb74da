// ValueControl+Connections.swift: manual changes of connection gains. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import RigSchema

extension ValueControl {
  /// Sets the gain of a connection, with a fade.
  ///
  /// - Returns: messages about corrected values.
  /// - Throws: `SetValueError` if no such connection exists, or if the value is not a gain.
  func set(connection text: String, to values: [(symbol: String, text: String)]) throws -> [String]
  {
    let position = try index(ofConnection: text)
    var decibels = active.rig.rig.connections[position].gainDecibels
    for (symbol, value) in values {
      guard symbol.lowercased() == "gain" else {
        throw SetValueError(messages: [
          "\(text): \(symbol) cannot be set; a connection has a gain, as in gain=-6."
        ])
      }
      if decibels.isFinite, let relative = RelativeValue(value),
        let sum = relative.applied(to: Double(decibels), unit: "dB")
      {
        decibels = ConnectionGain.nearest(to: sum)
        continue
      }
      guard let gain = ConnectionGain(value) else {
        throw SetValueError(messages: ["\(text): gain = \(value) \(ConnectionGain.errorMessage)"])
      }
      decibels = gain.decibels
    }
    var next = active.rig
    next.rig.connections[position].gainDecibels = decibels
    // A scene change no longer changes this gain.
    let connection = next.rig.connections[position]
    let notes = next.rig == active.rig.rig ? [] : try active.change(to: next)
    scenes.dropGain(of: connection)
    return notes + active.overrideUntilNextPoint(connection: position)
  }

  private func index(ofConnection text: String) throws(SetValueError) -> Int {
    guard let name = ConnectionSpecifier(text) else {
      throw SetValueError(messages: [
        "\"\(text)\" is not a connection. Write it as in \"voice -> reverb\"."
      ])
    }
    let outerConnections = active.rig.rig.connections.enumerated().filter {
      !$1.carriesMIDI && !RecordingTaps.isTap($1)
    }
    switch name.index(among: outerConnections.map { ($0, $1) }) {
    case .success(let position): return position
    case .failure(let fault):
      throw SetValueError(messages: [
        fault.message.prefix(1).uppercased() + fault.message.dropFirst()
      ])
    }
  }
}
