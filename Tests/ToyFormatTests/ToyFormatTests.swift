// ToyFormatTests.swift: a whole session with a format that is not part of the program. SPDX-License-Identifier: MIT

import Foundation
import PluginCatalogue
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema
import Session
import Testing
import ToyFormat

@testable import outboard

@Suite struct ToyFormatTests {
  private static let half = "name Half\ngain 0.5\npreset Loud 2\n"

  @Test func `toys are scanned in a helper process, and listed and described`() throws {
    let toys = try Toys(["half": Self.half, "broken": "what is this\n"])
    var filter = CatalogueFilter()
    filter.kind = ToyFormat.kind
    #expect(toys.library.catalogue.entries(matching: filter).map(\.name) == ["Half"])
    let faults = toys.library.catalogue.faults
    #expect(faults.map(\.unit) == [toys.path + "/broken.toy"])
    #expect(faults[0].message.hasSuffix("\"what is this\" is not a line of a toy."))
    let report = try toys.report("half")
    #expect(report["kind"] as? String == "toy" && report["id"] as? String == "toybox.Half")
    #expect((report["presets"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Loud"])
  }

  @Test(arguments: ["Half", "half.toy", "toy:0.5"])
  func `a toy is found by its name, its extension and its scheme`(name: String) throws {
    let toys = try Toys(["half": Self.half])
    let rig = try toys.rig("a: {plugin: \"\(name)\"}", "in -> a -> out")
    #expect(rig.plugins.map(\.kind) == [ToyFormat.kind])
    #expect(rig.plugins[0].parameters[0].defaultValue == 0.5)
    #expect(toys.library.isPath(name) == name.hasSuffix(".toy"))
    try rig.checkPlugins(toys.library)
  }

  @Test func `a session plays, sets, edits and saves toys`() throws {
    let toys = try Toys(["half": Self.half])
    let driver = HandDriver()
    let session = try LiveSession(
      toys.rig("a: {plugin: Half, preset: Loud}", "in -> a -> out"), toys.library
    ) { _ in driver }
    try session.start()
    #expect(driver.play(0.125) == 0.25)
    _ = try session.set("a", to: [("gain", "4")])
    #expect(driver.play(0.125) == 0.5)
    // A second toy is inserted while the first one continues.
    _ = try session.edit(
      to: toys.rig(
        "a: {plugin: Half, preset: Loud, parameters: {gain: 4}}, b: {plugin: half.toy}",
        "in -> a -> b -> out"))
    let isAudible = try (1 ... 200).contains { _ in
      _ = try session.report()
      return driver.play(0.125) == 0.25
    }
    #expect(isAudible)
    let saved = toys.path + "/saved.yaml"
    try session.save(to: saved, replaces: true)
    session.stop()
    // The new session gets values from the rig and the last sample from the state.
    let again = HandDriver()
    let second = try LiveSession(
      PreparedRig(RigReader.read(path: saved), toys.library), toys.library
    ) { _ in again }
    let states = toys.path + "/again.yaml"
    try second.save(to: states, replaces: true)
    for (node, sample) in [("1-a", "-0.125"), ("2-b", "-0.5")] {
      let file = try #require(
        FileManager.default.enumerator(atPath: toys.path)?.compactMap { $0 as? String }
          .first { $0.contains("again") && $0.hasSuffix("\(node)/toy.state") })
      #expect(try String(contentsOfFile: "\(toys.path)/\(file)", encoding: .utf8) == sample)
    }
    try second.start()
    #expect(again.play(0.125) == 0.25)
    second.stop()
  }

  @Test func `a text property is saved as text, not as a file`() throws {
    let toys = try Toys(["half": Self.half + "label plain text\n"])
    let driver = HandDriver()
    let session = try LiveSession(
      toys.rig("a: {plugin: Half, properties: {label: two words}}", "in -> a -> out"),
      toys.library
    ) { _ in driver }
    let saved = toys.path + "/saved.yaml"
    try session.save(to: saved, replaces: true)
    #expect(
      try RigReader.read(path: saved).nodes[0].properties.map(\.text) == ["two words"])
  }

  @Test(arguments: [
    ("aborts\n", "Half aborted (signal 6) while it was created."),
    ("refuses\n", "Half refuses to run."),
  ])
  func `a toy that fails its preflight does not harm the program, and is refused`(
    line: String, message: String
  ) throws {
    let toys = try Toys(["half": Self.half + line])
    for name in ["Half", "half.toy"] {
      let rig = try toys.rig("a: {plugin: \(name)}", "in -> a -> out")
      let error = #expect(throws: PluginLibraryError.self) { try rig.checkPlugins(toys.library) }
      #expect(error?.description == message)
    }
    // A plugin that can be used in spite of it is isolated.
    let reason = toys.library.isolationReason(of: try toys.library.find("Half"))
    #expect(reason == (line == "aborts\n" ? .preflight : nil))
  }

  @Test func `a toy of an untrusted format is isolated`() throws {
    for areTrusted in [true, false] {
      let toys = try Toys(["half": Self.half], areTrusted: areTrusted)
      let plan = try toys.rig("a: {plugin: Half}", "in -> a -> out").plan()
      #expect(plan.nodes[0].isolationReason == (areTrusted ? nil : .untrustedFormat))
      #expect(plan.nodes[0].isolation == (areTrusted ? .off : .own))
    }
  }

  @Test func `a toy cannot store new presets`() throws {
    let toys = try Toys(["half": Self.half])
    let rig = try toys.rig("a: {plugin: Half}", "in -> a -> out")
    #expect(throws: PresetError.notLV2(plugin: "Half")) {
      try PresetSaving(rig, toys.library, PresetSaving.Request(name: "Quiet"))
    }
  }
}
