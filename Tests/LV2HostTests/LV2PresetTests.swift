// LV2PresetTests.swift: tests of LV2Presets.swift, and of presets loaded and saved. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `LV2 presets` {
  private static let uri = "urn:outboard:test:state"
  private static let rooms = PluginPreset.Bank(identifier: uri + ":rooms", name: "Rooms")
  private let fixture: StateFixture

  init() throws { fixture = try StateFixture() }

  private func presets() throws -> [PluginPreset] {
    try LV2Presets.find(
      of: Self.uri, home: fixture.bundle,
      in: LV2Directories.content(of: fixture.directory.path, isNamed: true).bundles)
  }

  private func preset(_ name: String) throws -> PluginPreset {
    try #require(try presets().first { $0.fullName == name })
  }

  @Test func `presets are found with their banks, and not those of other plugins`() throws {
    #expect(
      try presets() == [
        PluginPreset(identifier: Self.uri + ":small", name: "Small", location: fixture.bundle),
        PluginPreset(
          identifier: Self.uri + ":hall", name: "Large hall", bank: Self.rooms,
          location: fixture.bundle),
        PluginPreset(
          identifier: Self.uri + ":room", name: "Small", bank: Self.rooms, location: fixture.bundle),
      ])
  }

  @Test func `a preset sets ports and state`() throws {
    let node = try fixture.node()
    try node.load(preset("Rooms/Large hall"))
    #expect(node.parameter(StateFixture.gain) == 0.25)
    try node.activate()
    #expect(ShownFixture(node, Player(node)) == ShownFixture(restores: 2, files: 1, level: 0.25))
  }

  @Test
  func `a preset with whole numbers, or values of unknown ports, is applied`()
    throws
  {
    let node = try fixture.node()
    try node.load(preset("Small"))
    #expect(node.parameter(StateFixture.gain) == 0.75)
    try node.load(preset("Rooms/Small"))
    #expect(node.parameter(StateFixture.gain) == 1)
  }

  @Test func `a preset with only port values keeps the state, before activation and after`()
    throws
  {
    let node = try fixture.node()
    try node.load(preset("Small"))
    try node.activate()
    let player = Player(node)
    // `restore` was called once, for the default state, whose level is 0.5.
    #expect(ShownFixture(node, player) == ShownFixture(restores: 1, files: 1, level: 0.375))
    try node.load(preset("Rooms/Small"))
    #expect(ShownFixture(node, player) == ShownFixture(restores: 1, files: 1, level: 0.5))
  }

  @Test func `a deleted preset is named`() throws {
    let node = try fixture.node()
    var gone = try preset("Small")
    gone.identifier += "er"
    #expect(
      throws: LV2StateError.noPreset(identifier: gone.identifier, path: fixture.bundle)
    ) { try node.load(gone) }
  }

  @Test func `a saved preset is found and sets its values`() throws {
    let node = try fixture.node()
    try node.load(preset("Rooms/Large hall"))
    node.setParameter(StateFixture.gain, to: 0.5)
    let directory = fixture.path("mine.preset.lv2")
    let bank = PluginPreset.Bank(identifier: "urn:outboard:bank:mine", name: "My \"own\"")
    try node.savePreset(named: "Größer", inBank: bank, to: directory, replacing: false)
    let saved = try #require(try presets().first { $0.bank == bank })
    #expect(saved.name == "Größer")
    #expect(saved.location == directory)
    let other = try fixture.node()
    try other.load(saved)
    #expect(other.parameter(StateFixture.gain) == 0.5)
    try other.activate()
    #expect(ShownFixture(other, Player(other)) == ShownFixture(restores: 2, files: 3, level: 0.5))
    #expect(throws: LV2StateError.directoryExists(path: directory)) {
      try node.savePreset(named: "Größer", inBank: nil, to: directory, replacing: false)
    }
  }

  @Test func `a plugin without a state has presets of its ports`() throws {
    let directory = try BundleDirectory(["witness"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:witness", inBundle: directory.bundle("witness"))
    let node = try LV2Node(plugin, StateFixture.configuration)
    node.setParameter(0, to: 0.375)
    try node.savePreset(
      named: "Some", inBank: nil, to: directory.path + "/some.lv2", replacing: false)
    let found = try LV2Presets.find(
      of: "urn:outboard:test:witness", home: directory.bundle("witness"),
      in: LV2Directories.content(of: directory.path, isNamed: true).bundles)
    #expect(found.map(\.name) == ["Some"])
    let other = try LV2Node(plugin, StateFixture.configuration)
    try other.load(found[0])
    #expect(other.parameter(0) == 0.375)
  }
}
