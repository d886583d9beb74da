// TransportArguments.swift: tempo and time signature on the command line. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import PluginModel
import RigSchema

/// Tempo and time signature; they override the rig.
///
/// `ClockArguments` has the clocks of `run`.
struct TransportArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Tempo in beats per minute.", valueName: "bpm"))
  var tempo: Double?
  @Option(help: ArgumentHelp("Time signature, e.g. 3/4.", valueName: "beats/unit"))
  var timeSignature: String?

  func validate() throws {
    try Self.check(tempo)
    if let timeSignature, Meter(timeSignature) == nil {
      throw ValidationError(Meter.rule(timeSignature))
    }
  }

  /// Checks the range of a tempo.
  static func check(_ tempo: Double?) throws {
    guard let tempo, !(TransportSettings.temposBPM ~= tempo) else { return }
    let (minimum, maximum) = (
      TransportSettings.temposBPM.lowerBound, TransportSettings.temposBPM.upperBound
    )
    throw ValidationError(
      "--tempo \(NumberFormat.short(tempo)) is out of range (\(NumberFormat.short(minimum)) to"
        + " \(NumberFormat.short(maximum)) beats a minute).")
  }

  func apply(to rig: inout RigDescription) {
    rig.transport.beatsPerMinute = tempo ?? rig.transport.beatsPerMinute
    guard let meter = timeSignature.flatMap(Meter.init) else { return }
    rig.transport.beatsPerBar = meter.beatsPerBar
    rig.transport.beatUnit = meter.beatUnit
  }
}
