// LiveSession+Meters.swift: what the meters of a running rig show. SPDX-License-Identifier: MIT

package import Metering
import PluginModel
import Rig

/// A meter's place, and what it shows.
package struct NamedReading: Sendable, Equatable {
  /// `input`, `output`, or the name of a node.
  package var name: String
  package var reading: MeterReading
}

extension LiveSession {
  /// What all meters show: input and output, then the rig's own in its order. [main]
  ///
  /// Input and output are measured from the first call on.
  package func meterReadings() -> [NamedReading] {
    meters.map { NamedReading(name: $0.name, reading: $0.meter.reading) }
  }

  /// Has all meters forget what they heard. [main]
  package func restartMeters() {
    for (_, meter) in meters { meter.restart() }
  }

  private var meters: [(name: String, meter: SignalMeter)] {
    if borderMeters?.measures(graph.engine) != true {
      // Another engine is for another rate, and this one renders no longer.
      borderMeters?.end()
      borderMeters = IOMeters(graph.engine)
    }
    return (borderMeters?.meters ?? []) + graph.members.meters
  }

  /// What happened to the files of meters since the last call.
  func takeMeterNotices() -> [String] {
    graph.members.meters.flatMap { name, meter in meter.takeNotices() }
  }
}

extension [BuiltRig.BuiltNode] {
  /// The meters among them, with the names that they are known by.
  var meters: [(name: String, meter: SignalMeter)] {
    flatMap { member in
      member.instances.compactMap { name, node in
        node.abilities[SignalMeter.self].map { (name, $0) }
      }
    }
  }
}
