// TransportArguments.swift: musical time on the command line. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import PluginModel
import Rig

/// Tempo and meter; what they say goes before what the rig says.
struct TransportArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Tempo for plugins that go by it.", valueName: "bpm"))
  var tempo: Double?
  @Option(help: ArgumentHelp("Meter for them, such as 3/4.", valueName: "beats/unit"))
  var meter: String?

  func validate() throws {
    if let tempo, !(TransportSettings.temposBPM ~= tempo) {
      let (least, most) = (
        TransportSettings.temposBPM.lowerBound, TransportSettings.temposBPM.upperBound
      )
      throw ValidationError(
        "--tempo \(NumberFormat.short(tempo)) is out of range; it goes from \(NumberFormat.short(least)) to"
          + " \(NumberFormat.short(most)) beats a minute.")
    }
    if let meter, Meter(meter) == nil { throw ValidationError(Meter.rule(meter)) }
  }

  func apply(to rig: inout RigDescription) {
    rig.transport.beatsPerMinute = tempo ?? rig.transport.beatsPerMinute
    guard let meter = meter.flatMap(Meter.init) else { return }
    rig.transport.beatsPerBar = meter.beatsPerBar
    rig.transport.beatUnit = meter.beatUnit
  }
}
