// RigWriterTests.swift: rigs that are written and read again. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import LV2Host
import PluginModel
import Testing

@testable import Manifests
@testable import RigSchema

@Suite struct `A rig that is written` {
  /// Without locations, which differ in another text.
  private func bare(_ rig: RigDescription) -> RigDescription {
    var rig = rig
    rig.notes = []
    for index in rig.nodes.indices {
      rig.nodes[index].position = .unknown
      rig.nodes[index].sourcePosition = .unknown
      rig.nodes[index].preset?.position = .unknown
      for place in rig.nodes[index].parameters.indices {
        rig.nodes[index].parameters[place].position = .unknown
        rig.nodes[index].parameters[place].location = nil
      }
      for place in rig.nodes[index].settings.indices {
        rig.nodes[index].settings[place].position = .unknown
      }
    }
    for index in rig.inputs.indices { rig.inputs[index].position = .unknown }
    for index in rig.outputs.indices { rig.outputs[index].position = .unknown }
    for index in rig.connections.indices {
      rig.connections[index].from.position = .unknown
      rig.connections[index].to.position = .unknown
      rig.connections[index].keyPath = ""
    }
    for index in rig.scenes.indices {
      rig.scenes[index].position = .unknown
      for place in rig.scenes[index].values.indices {
        rig.scenes[index].values[place].position = .unknown
      }
    }
    for index in rig.automation.indices {
      rig.automation[index].position = .unknown
      for point in rig.automation[index].points.indices {
        rig.automation[index].points[point].position = .unknown
      }
    }
    return rig
  }

  private func again(_ rig: RigDescription) throws -> RigDescription {
    let text = RigWriter.text(of: rig, heading: "Once more,\nand again.")
    do {
      return try RigReader.read(text: text, file: rig.file)
    } catch {
      Issue.record("\(error)\n\(text)")
      throw error
    }
  }

  @Test(arguments: Fixtures.names(in: "manifests/rigs"))
  func `is equal when it is read`(name: String) throws {
    let rig = try RigReader.read(path: Fixtures.path("manifests/rigs/\(name)"))
    #expect(bare(try again(rig)) == bare(rig))
  }

  @Test func `preserves every key`() throws {
    let text = """
      outboard: 1
      name: "Odd: \\"names\\", # and\\ttabs \\\\ \\u0007 ü"
      description: "yes"
      rate: 44100
      period: 96
      periods: 3
      wait: true
      dither: true
      feedback_suppression: off
      overload_protection: off
      dc_protection: off
      midi: {input: [Keystation 49, "a: b"], output: none}
      input: ["hw:1,0:3-4", {device: "hw:CARD=USB", channels: 1, format: S24_3, clock: independent, fallback: [default, pulse]}]
      output: {device: default, channels: [2, 1]}
      nodes:
        gate: {plugin: outboard.gate, instances: 2, isolate: {group: band, latency: block}}
        re.verb_1: {plugin: "http://example.org/p#1?x=%20", parameters: {mix: 30 %, "true": on, "1": "off", mode: "Ping: pong"}}
        desk: {builtin: mixer, channels: 4, parameters: {gain_1: -6 dB}}
      connections:
        - in:2,1 -> gate
        - {from: gate, to: "re.verb_1:left in", gain: -4.5}
        - {from: gate, to: "desk:1,2", gain: off}
        - re.verb_1:out -> desk:3
        - in:midi -> re.verb_1
        - desk -> out
      """
    let rig = try RigReader.read(text: text, file: "odd.yaml")
    #expect(bare(try again(rig)) == bare(rig))
  }

  @Test func `writes names that connections can use`() throws {
    var plugins = ["Reverb", "Reverb", "3 Band EQ", "C* Plate - ü"].map {
      PluginDescription(kind: .lv2, identifier: "urn:\($0)", name: $0)
    }
    for index in plugins.indices {
      plugins[index].audioInputs = [AudioPort(symbol: "in", name: "In")]
      plugins[index].audioOutputs = [AudioPort(symbol: "out", name: "Out")]
    }
    let links = plugins.map { ChainLink(plugin: $0.identifier, assignments: []) }
    let rig = try again(RigDescription(chain: links, plugins: plugins))
    #expect(rig.nodes.map(\.name) == ["Reverb", "reverb-2", "node-3-band-eq", "c-plate-ü"])
    #expect(
      rig.connections.map { [$0.from.nodeName, $0.to.nodeName] } == [
        [nil, "Reverb"], ["Reverb", "reverb-2"], ["reverb-2", "node-3-band-eq"],
        ["node-3-band-eq", "c-plate-ü"], ["c-plate-ü", nil],
      ])
  }
}

@Suite struct `A parameter's value that is written` {
  @Test(arguments: [
    Parameter(symbol: "a", name: "A", unit: "dB", minimum: -60, maximum: 6),
    Parameter(
      symbol: "b", name: "B", unit: "1/oct", minimum: 0.001, maximum: 1e6, scale: .logarithmic),
    Parameter(symbol: "c", name: "C", unit: "%", minimum: 0, maximum: 100),
    Parameter(symbol: "d", name: "D", minimum: 0, maximum: 5, scale: .integer),
    Parameter(symbol: "e", name: "E", minimum: 0, maximum: 1, scale: .toggle),
    Parameter(
      symbol: "f", name: "F", minimum: 0, maximum: 2,
      choices: [
        .init(value: 0, name: "1"), .init(value: 1, name: "0"), .init(value: 2, name: "off"),
      ],
      isEnumeration: true),
  ])
  func `is read as the same value`(parameter: Parameter) throws {
    for step in 0 ... 97 {
      let share = Float(step) / 97
      let value = parameter.nearestValid(
        to: parameter.minimum + (parameter.maximum - parameter.minimum) * share)
      let text = parameter.spelling(of: value)
      #expect(
        ParameterValue.parse(text, for: parameter) == .success(ParameterValue(value: value)),
        "\(text)")
    }
  }
}
