// ParameterScaleTests.swift: positions, steps and text of values. SPDX-License-Identifier: MIT

import HostModel
import Testing

@testable import TerminalUI

@Suite struct ParameterScaleTests {
  private let gain = ParameterDescription(
    symbol: "gain", name: "Gain", minimum: -60, maximum: 0, standard: 0, unit: "dB")
  private let pitch = ParameterDescription(
    symbol: "f", name: "Frequency", minimum: 20, maximum: 20_000, unit: "Hz", scale: .logarithmic)
  private let count = ParameterDescription(
    symbol: "n", name: "Count", minimum: 1, maximum: 8, scale: .integer)

  @Test func `positions and values are inverse, and stay in the range`() {
    for parameter in [gain, pitch, count] {
      for step in 0 ... 100 {
        let value = parameter.value(at: Double(step) / 100)
        #expect(value >= parameter.minimum && value <= parameter.maximum)
        #expect(abs(parameter.position(of: value) - Double(step) / 100) < 0.08)
      }
      #expect(parameter.value(at: -3) == parameter.minimum)
      #expect(parameter.value(at: 7) == parameter.maximum)
      #expect(parameter.position(of: .nan) == 0)
    }
    #expect(pitch.value(at: 0.5) == 632)
    let fixed = ParameterDescription(symbol: "x", name: "x", minimum: 3, maximum: 3)
    #expect(fixed.position(of: 3) == 0)
    #expect(fixed.value(at: 0.5) == 3)
  }

  @Test func `a step moves every value, and whole numbers by one`() {
    for start in stride(from: 0.0, to: 0.98, by: 0.07) {
      let value = pitch.value(at: start)
      #expect(pitch.stepped(value, by: 1) > value)
      #expect(pitch.stepped(pitch.stepped(value, by: 5), by: -5) <= pitch.stepped(value, by: 1))
    }
    #expect(count.stepped(3, by: 1) == 4)
    #expect(count.stepped(3, by: 5) == 8)
    #expect(count.stepped(1, by: -1) == 1)
  }

  @Test func `choices step from one to the next`() {
    var choice = ParameterDescription(symbol: "c", name: "Type", maximum: 10, scale: .integer)
    choice.choices = [
      .init(name: "Bell", value: 0), .init(name: "Shelf", value: 4), .init(name: "Cut", value: 9),
    ]
    #expect(choice.stepped(0, by: 5) == 4)
    #expect(choice.stepped(9, by: 1) == 9)
    #expect(choice.text(4) == "Shelf")
    #expect(choice.choiceIndex(8) == 2)
  }

  @Test func `values are shown as the web page shows them`() {
    #expect(gain.text(-12.345) == "-12.3 dB")
    #expect(pitch.text(1_250) == "1.25 kHz")
    #expect(ParameterDescription(symbol: "r", name: "Ratio", unit: ":1").text(4) == "4:1")
    #expect(ParameterDescription(symbol: "t", name: "Time", unit: "ms").text(1_600) == "1.6 s")
    #expect(ParameterDescription(symbol: "s", name: "Switch", scale: .toggle).text(1) == "on")
    #expect(gain.rangeText == "-60 dB to 0 dB")
  }

  @Test func `what people type becomes a value`() {
    #expect(ParameterDescription.typed(" 1.2k ") == "1200")
    #expect(ParameterDescription.typed("−6 dB") == "-6 dB")
    #expect(ParameterDescription.typed("0,5") == "0.5")
    #expect(ParameterDescription.typed("hall") == "hall")
    #expect(ParameterDescription.typed("k") == "k")
  }

  @Test func `a description with missing and wrong parts can be read`() {
    let json = JSONValue.object(of: [
      (
        "parameters",
        .array([
          .object(of: [("name", "x")]), .integer(3),
          .object(of: [("symbol", "a"), ("maximum", "much")]),
        ])
      ),
      ("presets", "none"),
    ])
    let plugin = PluginDescription(json: json)
    #expect(plugin.parameters.map(\.symbol) == ["a"])
    #expect(plugin.presets.isEmpty)
    #expect(PluginDescription(json: .null).parameters.isEmpty)
  }

  @Test func `the gain of a connection can be off, and a wet level is in percent`() throws {
    let state = SessionState(
      rig: "r", nodes: [.init(name: "a", plugin: "mixer", wet: 0.5)],
      connections: [.init(name: "in -> a", gain: nil)])
    let slot = SignalOrder.Slot(kind: .node, name: "a")
    let rows = ControlRow.rows(of: slot, in: state, nil)
    let gain = try #require(rows.first { $0.isConnection })
    #expect(gain.text(-60) == "off")
    #expect(gain.argument(-60) == "off")
    #expect(gain.argument(-6) == "-6")
    let wet = try #require(rows.first { $0.symbol == "wet" })
    #expect(wet.text(50) == "50 %")
    #expect(wet.argument(50) == "50 %")
  }
}
