// ParameterValueTests.swift: parameter values in the forms that people write. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import Testing

private let decay = Parameter(
  symbol: "decay", name: "Decay", unit: "s", minimum: 0.1, defaultValue: 2, maximum: 20,
  scale: .logarithmic)
private let mix = Parameter(
  symbol: "mix", name: "Mix", unit: "%", minimum: 0, defaultValue: 30, maximum: 100)
private let cutoff = Parameter(
  symbol: "cutoff", name: "Cutoff", unit: "Hz", minimum: 20, defaultValue: 1000, maximum: 20_000)
private let gain = Parameter(
  symbol: "gain", name: "Gain", unit: "dB", minimum: -90, defaultValue: 0, maximum: 24)
private let size = Parameter(symbol: "size", name: "Size")
private let mute = Parameter(symbol: "mute", name: "Mute", scale: .toggle)
private let voices = Parameter(
  symbol: "voices", name: "Voices", minimum: 1, defaultValue: 1, maximum: 8, scale: .integer)
private let ratio = Parameter(
  symbol: "ratio", name: "Ratio", unit: ":1", minimum: 1, defaultValue: 4, maximum: 20)
private let mode = Parameter(
  symbol: "mode", name: "Mode", scale: .integer,
  choices: [.init(value: 0, name: "Off"), .init(value: 1, name: "Ping-pong")],
  isEnumeration: true)

@Suite struct ParameterValueTests {
  @Test(
    arguments: [
      ("2.5", decay, 2.5), ("2.5 s", decay, 2.5), ("250ms", decay, 0.25), ("0.05 min", decay, 3),
      ("1.2 kHz", cutoff, 1200), ("1e3", cutoff, 1000), ("-6 dB", gain, -6),
      ("\u{2212}6", gain, -6),
      ("+3", gain, 3), ("30 %", mix, 30), ("30 %", size, 0.3), (".5", size, 0.5), ("010", mix, 10),
      ("on", mute, 1), ("No", mute, 0), ("TRUE", mute, 1), ("1", mute, 1),
      ("ping-PONG", mode, 1), ("off", mode, 0), ("1", mode, 1), (" 4 ", voices, 4),
      ("4:1", ratio, 4),
      ("4", ratio, 4),
    ] as [(String, Parameter, Float)])
  func `a value is read with its unit, name or switch`(
    text: String, parameter: Parameter, value: Float
  ) throws {
    let parsed = try ParameterValue.parse(text, for: parameter).get()
    #expect(abs(parsed.value - value) < 1e-5)
    #expect(parsed.note == nil)
  }

  @Test(
    arguments: [
      ("130", mix, 100, "mix = 130 is above the maximum. Using 100 %."),
      ("1e300", mix, 100, "mix = 1e300 is above the maximum. Using 100 %."),
      ("10 ms", decay, 0.1, "decay = 10 ms is below the minimum. Using 0.1 s."),
      ("2.4", voices, 2, "voices = 2.4 is not a whole number. Using 2."),
      ("7", mode, 1, "mode = 7 is above the maximum. Using Ping-pong."),
      ("0.6", mode, 1, "mode = 0.6 is not an allowed value. Using Ping-pong."),
      ("0.6", mute, 1, "mute = 0.6 is neither on nor off. Using on."),
    ] as [(String, Parameter, Float, String)])
  func `an invalid value is changed to a valid one, with a note`(
    text: String, parameter: Parameter, value: Float, note: String
  ) throws {
    let parsed = try ParameterValue.parse(text, for: parameter).get()
    #expect(parsed == ParameterValue(value: value, note: note))
  }

  @Test(arguments: [
    ("abc", decay, "decay = abc is not a number. Allowed: 0.1 to 20 s."),
    ("nan", mix, "mix = nan is not a number. Allowed: 0 to 100 %."),
    ("inf", mix, "mix = inf is not a number. Allowed: 0 to 100 %."),
    ("1e999", mix, "mix = 1e999 is not a number. Allowed: 0 to 100 %."),
    ("0x10", mix, "mix = 0x10 is not a number. Allowed: 0 to 100 %."),
    ("1.2.3", mix, "mix = 1.2.3 is not a number. Allowed: 0 to 100 %."),
    ("", mix, "mix = nothing is not a number. Allowed: 0 to 100 %."),
    ("5 Hz", decay, "decay = 5 Hz is in Hz, but its unit is s. Allowed: 0.1 to 20 s."),
    ("5 ms", size, "size = 5 ms is in ms, but it has no unit. Allowed: 0 to 1."),
    ("pingpong", mode, "mode = pingpong is not a valid choice. Did you mean \"Ping-pong\"?"),
    ("tape", mode, "mode = tape is not an allowed value. Allowed: Off, Ping-pong."),
    ("maybe", mute, "mute = maybe is not a switch position. Allowed: on or off."),
  ])
  func `a wrong text is refused with the accepted forms`(
    text: String, parameter: Parameter, message: String
  ) {
    #expect(throws: ParameterValueError.self) {
      try ParameterValue.parse(text, for: parameter).get()
    }
    guard case .failure(let error) = ParameterValue.parse(text, for: parameter) else { return }
    #expect(error.description == message)
  }
}
