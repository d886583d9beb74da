// ReferenceTests.swift: the same samples as another host. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `Comparison with lv2apply` {
  /// A plugin, its bundle, and values that differ from its defaults.
  struct Case: CustomTestStringConvertible, Sendable {
    let uri: String
    let bundle: String
    var values: [String: Float] = [:]
    var testDescription: String { uri }
  }

  private static let mda = "http://drobilla.net/plugins/mda/"
  static let cases = [
    Case(uri: "http://lv2plug.in/plugins/eg-amp", bundle: "eg-amp.lv2", values: ["gain": -7.5]),
    Case(uri: mda + "Ambience", bundle: "mda.lv2", values: ["size": 0.4]),
    Case(uri: mda + "Combo", bundle: "mda.lv2"),
    Case(uri: mda + "Delay", bundle: "mda.lv2"),
    Case(uri: mda + "Dynamics", bundle: "mda.lv2"),
    Case(uri: mda + "Leslie", bundle: "mda.lv2"),
    Case(uri: mda + "Limiter", bundle: "mda.lv2"),
    Case(uri: mda + "Overdrive", bundle: "mda.lv2"),
    Case(uri: mda + "RingMod", bundle: "mda.lv2"),
    Case(uri: mda + "Stereo", bundle: "mda.lv2"),
    Case(uri: "http://plugin.org.uk/swh-plugins/gverb", bundle: "gverb-swh.lv2"),
    Case(uri: "http://plugin.org.uk/swh-plugins/amp", bundle: "amp-swh.lv2"),
  ]

  @Test(.enabled(if: Tool.exists("/usr/bin/lv2apply")), arguments: cases)
  func `a plugin gives the same samples as in the reference host`(_ example: Case) throws {
    let plugin = try LV2Scanner.plugin(example.uri, inBundle: "/usr/lib/lv2/" + example.bundle)
    let node = try LV2Node(
      plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: false))
    let input = signal(channelCount: node.audioInputCount, frameCount: 6000)
    let expected = try reference(example, input)
    for (symbol, value) in example.values {
      let index = try #require(node.description.parameters.firstIndex { $0.symbol == symbol })
      node.setParameter(index, to: value)
    }
    try node.activate()
    // lv2apply runs a frame at a time.
    let player = Player(node)
    var output = [[Float]](repeating: [], count: node.audioOutputCount)
    for frame in 0 ..< 6000 {
      let block = player.play(1) { channel, _ in input[channel][frame] }
      for (channel, samples) in block.enumerated() { output[channel] += samples }
    }
    #expect(output.contains { $0.contains { $0 != 0 } })
    let differing = zip(output.joined(), expected.joined()).filter {
      $0.bitPattern != $1.bitPattern
    }
    #expect(differing.isEmpty, "first of \(differing.count): \(differing.first ?? (0, 0))")
    #expect(output.map(\.count) == expected.map(\.count))
  }

  private func signal(channelCount: Int, frameCount: Int) -> [[Float]] {
    (0 ..< channelCount).map { channel in
      (0 ..< frameCount).map { frame in
        0.5 * sin(Float(frame) * 0.03 * Float(channel + 1)) + (frame == 10 ? 0.4 : 0)
      }
    }
  }

  private func reference(_ example: Case, _ input: [[Float]]) throws -> [[Float]] {
    let directory = try BundleDirectory([])
    let (source, target) = (directory.path + "/in.wav", directory.path + "/out.wav")
    try FloatWave(channels: input, sampleRateHz: 48_000).write(to: source)
    let settings = example.values.flatMap { ["-c", $0.key, "\($0.value)"] }
    let status = try Tool.run(
      "/usr/bin/lv2apply", ["-i", source, "-o", target] + settings + [example.uri])
    try #require(status == 0)
    return try #require(FloatWave(path: target)).channels
  }
}
