// LiveSession+Meters.swift: the meters of a session. SPDX-License-Identifier: MIT

package import Metering
import PluginModel
import RigPlanning

/// The reading of a meter, with its name.
package struct NamedReading: Sendable, Equatable {
  /// `input`, `output`, or the name of a node.
  package var name: String
  /// The reading.
  package var reading: MeterReading
}

extension LiveSession {
  /// Returns the readings of all meters: input and output, then those of the rig in its order.
  /// [main]
  ///
  /// Input and output are measured from the first call on.
  package func meterReadings() -> [NamedReading] {
    meters.map { NamedReading(name: $0.name, reading: $0.meter.reading) }
  }

  /// Resets all meters. [main]
  package func restartMeters() {
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

  /// Returns messages about the files of meters since the last call.
  func takeMeterNotices() -> [String] {
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
        node.abilities[SignalMeter.self].map { (name, $0) }
      }
    }
  }
}
