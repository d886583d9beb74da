// MeterControl.swift: the meters of a session. SPDX-License-Identifier: MIT

import ErrorModel
package import Metering
import PluginModel
import RigPlanning

/// A reading with the name of what is measured.
package struct NamedReading: Sendable, Equatable {
  /// `input`, `output`, or the name of a node.
  package var name: String
  /// The reading.
  package var reading: MeterReading
}

/// The meters of a session: those of input and output, and those of the active rig.
final class MeterControl {
  private let active: ActiveRig
  /// The meters of input and output, once they were read.
  private var ioMeters: IOMeters?
  /// The paths of level logs that lost lines.
  private(set) var incompleteLogs: [String] = []

  private var graph: LiveGraph { active.graph }

  init(_ active: ActiveRig) { self.active = active }

  /// Stops the meters of input and output after rendering has ended.
  func end() { ioMeters?.end() }

  /// Returns the readings of all meters: input and output, then those of the rig in its order.
  ///
  /// Input and output are measured from the first call on.
  func readings() -> [NamedReading] {
    meters.map { NamedReading(name: $0.name, reading: $0.meter.reading) }
  }

  /// Resets all meters.
  func restart() {
    for (_, meter) in meters { meter.restart() }
  }

  private var meters: [(name: String, meter: SignalMeter)] {
    if ioMeters?.measures(graph.engine) != true {
      // An engine for another sample rate replaced the one that was measured.
      ioMeters?.end()
      ioMeters = IOMeters(graph.engine)
    }
    return (ioMeters?.meters ?? []) + graph.members.meters
  }

  /// Returns the notices about the files of meters since the last call.
  func takeNotices() -> [HostNotice] {
    let meters = graph.members.meters.map(\.meter)
    for case let path? in meters.map(\.incompleteLog) where !incompleteLogs.contains(path) {
      incompleteLogs.append(path)
    }
    return meters.flatMap { $0.takeNotices() }
  }
}

extension [BuiltRig.BuiltNode] {
  /// The meters among the nodes, with their names.
  var meters: [(name: String, meter: SignalMeter)] {
    flatMap { member in
      member.instances.compactMap { name, node in
        node.capabilities[SignalMeter.self].map { (name, $0) }
      }
    }
  }
}
