// RigReader+Transport.swift: a rig's tempo and time signature. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension RigReader {
  private static let transportKeys = [
    "tempo", "time_signature", "rolling", "clock", "clock_output",
  ]

  /// Reads `transport`; the default is 120 beats a minute, 4/4, rolling.
  static func readTransport(
    _ cursor: ManifestCursor
  ) -> (settings: TransportSettings, clock: RigClock) {
    let expected = ExpectedValue(
      what: "a mapping of tempo, time_signature, rolling, clock and clock_output",
      example: "transport: {tempo: 96, time_signature: 3/4}")
    var transport = TransportSettings()
    var clock = RigClock()
    guard let fields = cursor.fields(known: transportKeys, expected) else {
      return (transport, clock)
    }
    let tempo = ExpectedValue(what: "a tempo in beats per minute", example: "tempo: 96")
    if let cursor = fields["tempo"], let number = cursor.number(tempo) {
      if TransportSettings.temposBPM ~= number {
        transport.beatsPerMinute = number
      } else {
        cursor.report(
          .outOfRange(
            found: plain(number), minimum: plain(TransportSettings.temposBPM.lowerBound),
            maximum: plain(TransportSettings.temposBPM.upperBound)))
      }
    }
    let meter = ExpectedValue(what: "a time signature", example: "time_signature: 6/8")
    if let cursor = fields["time_signature"], let text = cursor.text(meter) {
      if let meter = Meter(text) {
        transport.beatsPerBar = meter.beatsPerBar
        transport.beatUnit = meter.beatUnit
      } else {
        cursor.report(.broken(rule: Meter.rule(text)))
      }
    }
    transport.isRolling = fields["rolling"]?.boolean(example: "rolling: false") ?? true
    let device = ExpectedValue(
      what: "the name of a MIDI device, or link", example: "clock: Digitakt")
    clock.input = fields["clock"]?.text(device)
    clock.outputs = fields.field("clock_output").map(readDeviceNames) ?? []
    return (transport, clock)
  }
}

/// A time signature: `3/4`.
package struct Meter: Sendable, Equatable {
  /// Beats in a bar.
  package let beatsPerBar: Int
  /// The note value that counts as one.
  package let beatUnit: Int

  /// Parses a text; returns nil if it is not a time signature. [any]
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map {
      Int(String($0).trimmed)
    }
    guard parts.count == 2, let beats = parts[0], TransportSettings.barBeats ~= beats,
      let unit = parts[1], TransportSettings.beatUnits.contains(unit)
    else { return nil }
    beatsPerBar = beats
    beatUnit = unit
  }

  /// Returns the message about an invalid text. [any]
  package static func rule(_ text: String) -> String {
    "\"\(text.shortened)\" is not a time signature. Write beats per bar and beat unit,"
      + " as in 3/4 or 6/8."
  }
}
