// ReferenceTests.swift: the same samples as lv2apply. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Renderings compared with lv2apply` {
  /// A plugin, its bundle, its inputs and values that differ from its defaults.
  struct Case: CustomTestStringConvertible, Sendable {
    let uri: String
    let bundle: String
    var channels = 2
    var values: [String: String] = [:]
    var testDescription: String { uri }
  }

  private static let mda = "http://drobilla.net/plugins/mda/"
  private static let swh = "http://plugin.org.uk/swh-plugins/"
  static let cases = [
    Case(
      uri: "http://lv2plug.in/plugins/eg-amp", bundle: "eg-amp.lv2", channels: 1,
      values: ["gain": "-7.5"]),
    Case(uri: mda + "Ambience", bundle: "mda.lv2", values: ["size": "0.4"]),
    Case(uri: mda + "Delay", bundle: "mda.lv2"),
    Case(uri: mda + "Overdrive", bundle: "mda.lv2", values: ["drive": "0.7"]),
    Case(uri: swh + "gverb", bundle: "gverb-swh.lv2", channels: 1),
    Case(uri: swh + "amp", bundle: "amp-swh.lv2", channels: 1, values: ["gain": "-4.5"]),
  ].filter { InstalledBundles.exist([$0.bundle]) }

  @Test(
    .enabled(if: Tool.exists("/usr/bin/lv2apply"), "lilv-utils are installed"), arguments: cases)
  func `a plugin gives the same samples as in the reference host`(_ example: Case) throws {
    let bundles = try InstalledBundles([example.bundle])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    try scratch.addTone(channels: example.channels)
    // lv2apply runs a frame at a time.
    try expectSuccess(
      ["render", example.uri] + example.values.map { "\($0.key)=\($0.value)" }
        + ["--block-length", "1", "--tail", "0", "-i", "in.wav", "-o", "out.wav"], in: scratch)
    let status = try Tool.run(
      "/usr/bin/lv2apply",
      ["-i", scratch.path("in.wav"), "-o", scratch.path("reference.wav")]
        + example.values.flatMap { ["-c", $0.key, $0.value] } + [example.uri])
    try #require(status == 0)
    let (output, reference) = (scratch.samples("out.wav"), scratch.samples("reference.wav"))
    #expect(output?.contains { $0.contains { $0 != 0 } } == true)
    #expect(
      output?.map { $0.map(\.bitPattern) } == reference?.map { $0.map(\.bitPattern) })
  }
}
