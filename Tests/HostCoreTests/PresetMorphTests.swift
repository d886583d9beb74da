// PresetMorphTests.swift: presets of LV2 plugins that are loaded over time. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Testing

@testable import HostCore

@Suite(.serialized) final class `A preset of an LV2 plugin that is loaded over time` {
  private static let amplifier = "http://lv2plug.in/plugins/eg-amp"
  private let bundle = URL(fileURLWithPath: NSTemporaryDirectory())
    .appendingPathComponent("presets-\(UUID().uuidString).lv2")

  init() throws {
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    let presets = """
      @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
      @prefix pset: <http://lv2plug.in/ns/ext/presets#> .
      @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
      @prefix state: <http://lv2plug.in/ns/ext/state#> .

      <urn:outboard:test:quiet> a pset:Preset ; lv2:appliesTo <\(Self.amplifier)> ; rdfs:label "Quiet" ;
        lv2:port [ lv2:symbol "gain" ; pset:value -20.0 ] .
      <urn:outboard:test:whole> a pset:Preset ; lv2:appliesTo <\(Self.amplifier)> ; rdfs:label "Whole" ;
        lv2:port [ lv2:symbol "gain" ; pset:value -30.0 ] ; state:state [ <urn:outboard:test:key> "text" ] .
      """
    try presets.write(
      to: bundle.appendingPathComponent("manifest.ttl"), atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(at: bundle) }

  private func host() throws -> TestHost {
    try TestHost(
      """
      outboard: 1
      input: {device: in, channels: 2}
      output: {device: out, channels: 2}
      period: 64
      nodes:
        amp: {plugin: "\(Self.amplifier)"}
        other: {plugin: outboard.gain}
      connections: ["in:1 -> amp -> other", "other -> out"]
      """, bundles: ["eg-amp.lv2"], bundlePaths: [bundle.path])
  }

  private func gain(_ test: TestHost, of node: String = "amp") -> Float? {
    test.host.snapshot.state.nodes.first { $0.name == node }?.parameters
      .first { $0.symbol == "gain" }?.value
  }

  @Test func `moves to its values, as one step of the history`() throws {
    let test = try host()
    let reply = try test.reply(
      .set(.init(node: "amp", values: [.init("preset", "quiet")], over: 0.05)))
    #expect(reply.error == nil)
    while gain(test) != -20 {
      try test.turn()
      sched_yield()
    }
    _ = try test.reply(.undo)
    #expect(gain(test) == 0)
  }

  @Test func `is set together with other nodes`() throws {
    let test = try host()
    let reply = try test.reply(
      .set(.init(node: "", values: [.init("other.gain", "-3"), .init("amp.preset", "Quiet")])))
    #expect(reply.error == nil)
    #expect(gain(test) == -20 && gain(test, of: "other") == -3)
  }

  @Test func `is refused by its name if it contains more than values, and changes nothing`()
    throws
  {
    let test = try host()
    let values: [Command.Assignment] = [.init("other.gain", "-3"), .init("amp.preset", "Whole")]
    let reply = try test.reply(.set(.init(node: "", values: values, over: 0.05)))
    #expect(reply.error?.message.contains("the preset Whole contains more than values") == true)
    #expect(gain(test) == 0 && gain(test, of: "other") == 0)
  }

  @Test func `that does not exist is refused with the nearest one`() throws {
    let test = try host()
    let reply = try test.reply(
      .set(.init(node: "amp", values: [.init("preset", "Quiex")], over: 1)))
    #expect(reply.error?.message.contains("Quiet") == true)
    let none = try test.reply(
      .set(.init(node: "other", values: [.init("preset", "Quiet")], over: 1)))
    #expect(none.error != nil)
  }
}
