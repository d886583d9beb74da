// ModuleManifestReaderTests.swift: reading a module's manifest. SPDX-License-Identifier: MIT

import Manifests
import ModuleHost
import NativeModules
import PluginModel
import Testing

@Suite struct ModuleManifestReaderTests {
  private func read(
    inputs: String = "2", outputs: String = "2", _ more: String = ""
  ) throws -> PluginDescription {
    let head = "abi: 1\nid: jane.echo\nname: Echo\n"
    return try ModuleManifestReader.read(
      text: "\(head)inputs: \(inputs)\noutputs: \(outputs)\n\(more)", file: "echo.yaml")
  }

  @Test func `the manifest has the module's name, and the caller sets the library`() throws {
    let module = try read(
      "vendor: Jane\nlicense: ISC\ncategory: Delay\ndescription: An echo.\nmidi: yes\nin_place: true"
    )
    #expect(module.kind == .module)
    #expect([module.identifier, module.name, module.maker] == ["jane.echo", "Echo", "Jane"])
    #expect([module.licence, module.category, module.summary] == ["ISC", "Delay", "An echo."])
    #expect(module.acceptsMIDI)
    #expect(module.module?.canRunInPlace == true)
    #expect(module.library.isEmpty && module.location.isEmpty)
  }

  @Test func `a channel count sets the names of the channels`() throws {
    let module = try read(inputs: "1", outputs: "3")
    #expect(module.audioInputs == [AudioPort(symbol: "mono_in", name: "Mono", group: "main")])
    #expect(module.audioOutputs.map(\.symbol) == ["out_1", "out_2", "out_3"])
    #expect(try read().audioOutputs.map(\.name) == ["Left", "Right"])
    #expect(try read(inputs: "0").audioInputs.isEmpty)
  }

  @Test func `a list of channels sets names, groups and symbols`() throws {
    let module = try read(inputs: "[Left, {name: Key in, group: sidechain, symbol: key}]")
    #expect(
      module.audioInputs == [
        AudioPort(symbol: "left_in", name: "Left", group: "main"),
        AudioPort(symbol: "key", name: "Key in", group: "sidechain"),
      ])
  }

  @Test func `parameters keep their properties, and smoothing is in seconds`() throws {
    let module = try read(
      """
      parameters:
        - {symbol: decay, name: Decay, unit: s, minimum: 0.1, default: 2, maximum: 20,
           scale: logarithmic, smoothing: 20 ms}
        - {symbol: mute, name: Mute, scale: toggle, default: on}
        - {symbol: mode, name: Mode, choices: [Normal, Ping-pong], default: ping-pong}
        - {symbol: freq, name: F, minimum: 1, default: 5, maximum: 9, scale: integer, choices: {5: Mid}}
      """)
    #expect(module.module?.smoothingSeconds == [0.02, 0, 0, 0])
    let (decay, mute, mode) = (module.parameters[0], module.parameters[1], module.parameters[2])
    #expect(
      decay
        == Parameter(
          symbol: "decay", name: "Decay", unit: "s", minimum: 0.1, defaultValue: 2, maximum: 20,
          scale: .logarithmic))
    #expect(mute.scale == .toggle && mute.minimum == 0 && mute.maximum == 1)
    #expect(mute.defaultValue == 1)
    #expect(mode.scale == .integer && mode.isEnumeration && mode.maximum == 1)
    #expect(mode.defaultValue == 1)
    #expect(!module.parameters[3].isEnumeration)
    #expect(module.parameters[3].choices == [Parameter.Choice(value: 5, name: "Mid")])
  }

  @Test func `a trigger is a switch that returns to off`() throws {
    let parameter = try read("parameters: [{symbol: undo, name: Undo, scale: trigger}]").parameters[
      0]
    #expect(parameter.scale == .toggle && parameter.traits == .trigger)
    #expect(parameter.minimum == 0 && parameter.defaultValue == 0 && parameter.maximum == 1)
  }

  @Test(arguments: [
    ("", ModuleRequirements.Block.any), ("block: {fixed: 480}", .fixed(frameCount: 480)),
    ("block: {multiple_of: 64}", .multiple(of: 64)),
    ("block: {maximum: 512}", .maximum(frameCount: 512)),
  ])
  func `a block requirement is one of three`(
    line: String, block: ModuleRequirements.Block
  ) throws {
    #expect(try read(line).module?.block == block)
  }

  @Test(arguments: [
    ("", []), ("rate: 48000", [48_000]), ("rate: [48000, 16000, 48000]", [16_000, 48_000]),
  ])
  func `a rate requirement is one rate or several`(line: String, ratesHz: [Int]) throws {
    #expect(try read(line).module?.ratesHz == ratesHz)
  }

  @Test func `an unknown contract is refused with a message`() {
    let error = #expect(throws: ManifestError.self) {
      try ModuleManifestReader.read(
        text: "abi: 2\nid: a\nname: A\ninputs: 1\noutputs: 1\n", file: "a.yaml")
    }
    #expect(
      error?.description
        == "a.yaml:1: abi: the manifest says abi: 2, but this program supports only abi 1.")
  }
}
