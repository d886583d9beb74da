// LV2SamplerTests.swift: the state of the sampler of LV2's examples. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import Testing

/// It plays the sample that its state names, which its worker loads.
@Suite final class `The example sampler` {
  private static let uri = "http://lv2plug.in/plugins/eg-sampler"
  private let scratch = NSTemporaryDirectory() + "outboard-sampler-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: scratch) }

  private func node(isOffline: Bool) throws -> LV2Node {
    try LV2Node(
      LV2Scanner.plugin(Self.uri, inBundle: "/usr/lib/lv2/eg-sampler.lv2"),
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 256, isOffline: isOffline))
  }

  /// A state with a sample of a constant value.
  private func state(_ value: Float) throws -> String {
    let directory = scratch + "/given"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FloatWave(
      channels: [[Float](repeating: value, count: 48_000)], sampleRateHz: 48_000
    ).write(to: directory + "/flat.wav")
    try """
    <state.ttl> a <http://lv2plug.in/ns/ext/presets#Preset> ;
      <http://lv2plug.in/ns/lv2core#appliesTo> <\(Self.uri)> ;
      <http://lv2plug.in/ns/ext/state#state> [ <\(Self.uri)#sample> <flat.wav> ] .
    """.write(toFile: directory + "/manifest.ttl", atomically: true, encoding: .utf8)
    return directory
  }

  private func playNote(_ node: LV2Node) throws -> [Float] {
    let input = try #require(node.eventInput)
    input.function(input.context, 0, [0x90, 60, 100], 3)
    return Player(node).play(256) { _, _ in 0 }[0]
  }

  @Test func `the default sample plays from the first note on`() throws {
    let node = try node(isOffline: true)
    try node.activate()
    #expect(try playNote(node).contains { abs($0) > 0.01 })
    node.deactivate()
  }

  @Test func `values from before a state are not reported to it`() throws {
    let node = try node(isOffline: true)
    try node.activate()
    let click = PropertyValue.path("/usr/lib/lv2/eg-sampler.lv2/click.wav")
    let sample = try #require(
      node.description.properties.firstIndex { $0.uri == Self.uri + "#sample" })
    try node.setProperty(sample, to: click)
    _ = try playNote(node)
    #expect(node.property(sample) == click)
    try node.restoreState(from: state(0.25))
    #expect(node.property(sample) == nil)
    // Twice, because the worker replies in the first block to the message of the second.
    for _ in 0 ..< 2 { _ = try playNote(node) }
    guard case .path(let reported)? = node.property(sample) else {
      Issue.record("the plugin has not told its sample")
      return
    }
    #expect(reported.hasSuffix("/flat.wav"))
    node.deactivate()
  }

  @Test(arguments: [false, true])
  func `a sample in a state plays at once, and is copied with the state`(isOffline: Bool) throws {
    let node = try node(isOffline: isOffline)
    try node.restoreState(from: state(0.25))
    try node.activate()
    #expect(try playNote(node)[200] == 0.25)
    #expect(try node.saveState(to: scratch + "/kept"))
    node.deactivate()
    try FileManager.default.removeItem(atPath: scratch + "/given")
    try FileManager.default.moveItem(atPath: scratch + "/kept", toPath: scratch + "/moved")
    #expect(FileManager.default.fileExists(atPath: scratch + "/moved/flat.wav"))
    let other = try self.node(isOffline: isOffline)
    try other.activate()
    _ = Player(other).play(256) { _, _ in 0 }
    try other.restoreState(from: scratch + "/moved")
    #expect(try playNote(other)[200] == 0.25)
    other.deactivate()
  }
}
