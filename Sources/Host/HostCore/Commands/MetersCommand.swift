// MetersCommand.swift: the command `meters`. SPDX-License-Identifier: MIT

package import HostModel
package import Metering
package import Session

/// Reports the readings of meters.
struct MetersCommand: HostCommand {
  let meters: Command.Meters

  func apply(_: Void, in host: Host) -> Reply {
    if meters.reset { host.session.restartMeters() }
    return Reply(.meters(host.session.meterReadings().map(MeterValues.init)))
  }
}

extension MeterValues {
  /// Creates the reading of a meter of a session.
  package init(_ named: NamedReading) { self.init(named.reading, name: named.name) }

  /// Creates the reading of a meter with a name.
  package init(_ reading: MeterReading, name: String) {
    self.init(name: name, seconds: reading.seconds, lostFrames: reading.lostFrameCount)
    channels = reading.channels.map {
      Channel(
        peak: $0.peak, held: $0.held, highest: $0.highest, truePeak: $0.truePeak, rms: $0.mean,
        clips: $0.clipCount, offset: $0.offset)
    }
    momentary = reading.momentary.finiteForJSON
    shortTerm = reading.shortTerm.finiteForJSON
    integrated = reading.integrated.finiteForJSON
    highestMomentary = reading.highestMomentary.finiteForJSON
    highestShortTerm = reading.highestShortTerm.finiteForJSON
    range = reading.range
    correlation = reading.correlation
    bands = reading.bands.map { Band(hz: $0.centreHz, level: $0.level) }
  }
}
