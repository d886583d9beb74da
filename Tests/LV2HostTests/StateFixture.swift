// StateFixture.swift: the fixture bundle with plugins that have a state. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import RealtimeKit

/// The bundle `state.lv2`, nodes of its plugins, and a directory for their states.
final class StateFixture {
  static let gain = 0
  static let poke = 1
  static let configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 256, isOffline: false)

  let directory: BundleDirectory

  init() throws { directory = try BundleDirectory(["state"]) }

  var bundle: String { directory.bundle("state") }

  /// A path in a directory that is removed with the fixture.
  func path(_ name: String) -> String { directory.path + "/" + name }

  /// A node of the plugin, or of the variant that can be restored while it runs.
  func node(
    isSafe: Bool = false, _ configuration: NodeConfiguration = configuration
  ) throws -> LV2Node {
    let uri = "urn:outboard:test:" + (isSafe ? "safe_state" : "state")
    return try LV2Node(LV2Scanner.plugin(uri, inBundle: bundle), configuration)
  }

  /// Writes a state of the plugin: its Turtle, and files whose content is their name.
  func write(_ name: String, _ properties: String, files: [String] = []) throws -> String {
    let directory = path(name)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try """
    @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
    @prefix pset: <http://lv2plug.in/ns/ext/presets#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    <state.ttl> a pset:Preset ; lv2:appliesTo <urn:outboard:test:state> ;
      rdfs:seeAlso <state.ttl> .
    """.write(toFile: directory + "/manifest.ttl", atomically: true, encoding: .utf8)
    try """
    @prefix atom: <http://lv2plug.in/ns/ext/atom#> .
    @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
    @prefix pset: <http://lv2plug.in/ns/ext/presets#> .
    @prefix state: <http://lv2plug.in/ns/ext/state#> .
    @prefix key: <urn:outboard:test:state:> .
    <> a pset:Preset ; lv2:appliesTo <urn:outboard:test:state> ;
      state:state [ \(properties) ] .
    """.write(toFile: directory + "/state.ttl", atomically: true, encoding: .utf8)
    for file in files {
      try file.write(toFile: directory + "/" + file, atomically: true, encoding: .utf8)
    }
    return directory
  }

  /// Every file in a directory and its directories, by its path in it, with its content.
  static func files(in directory: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for path in FileManager.default.subpaths(atPath: directory) ?? [] {
      let full = directory + "/" + path
      let kind = try FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType
      guard kind != .typeDirectory else { continue }
      found[path] =
        kind == .typeRegular
        ? String(decoding: FileManager.default.contents(atPath: full) ?? Data(), as: UTF8.self)
        : "no file"
    }
    return found
  }
}

/// The readouts of a node of the fixture after a run, and its level.
struct ShownFixture: Equatable {
  var breaches: Float
  var restores: Float
  var files: Float
  var level: Float

  init(_ node: LV2Node, _ player: Player) {
    level = player.play(4) { _, _ in 1 }[0][3]
    breaches = node.readout(0)
    restores = node.readout(1)
    files = node.readout(2)
  }

  init(breaches: Float = 0, restores: Float, files: Float, level: Float) {
    self.breaches = breaches
    self.restores = restores
    self.files = files
    self.level = level
  }
}
