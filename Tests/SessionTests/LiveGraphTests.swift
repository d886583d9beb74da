// LiveGraphTests.swift: state that a graph takes from the previous one. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import PluginLoading
import PluginModel
import RigPlanning
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite struct LiveGraphTests {
  private static let sampler = "http://lv2plug.in/plugins/eg-sampler"

  @Test func `an LV2 plugin keeps its state at another rate`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-sampler.lv2"])
    try workshop.write(
      """
      <state.ttl> a <http://lv2plug.in/ns/ext/presets#Preset> ;
        <http://lv2plug.in/ns/lv2core#appliesTo> <\(Self.sampler)> ;
        <http://lv2plug.in/ns/ext/state#state> [ <\(Self.sampler)#sample> <mine.wav> ] .
      """, as: "given/manifest.ttl")
    try FileManager.default.copyItem(
      atPath: "/usr/lib/lv2/eg-sampler.lv2/click.wav", toPath: workshop.path + "/given/mine.wav")
    let rig = try PreparedRig(
      workshop.rig(
        "output: default\nnodes: {a: {plugin: \"\(Self.sampler)\"}}\nconnections: [a -> out]"),
      workshop.library)
    let first = try graph(rig, workshop.library, rateHz: 44_100)
    let node = try #require(first.members[0].nodes[0] as? any DirectoryStateNode)
    try node.restoreState(from: workshop.path + "/given")
    try play(node, untilItKeeps: "mine.wav", in: workshop)
    let second = try graph(rig, workshop.library, rateHz: 48_000)
    second.adopt(first)
    first.deactivate()
    let heir = try #require(second.members[0].nodes[0] as? any DirectoryStateNode)
    try play(heir, untilItKeeps: "mine.wav", in: workshop)
    second.deactivate()
  }

  @Test func `a source module starts with its preset`() throws {
    let workshop = try RigTestEnvironment(modules: [])
    let source = """
      // outboard: {inputs: 1, outputs: 1, parameters: [{symbol: gain, name: Gain, minimum: 0, \
      default: 1, maximum: 4}], presets: [{name: Loud, parameters: {gain: 2}}]}
      void process(void *s, const float **i, float **o, const float *p, unsigned n) {
        for (unsigned k = 0; k < n; k++) o[0][k] = i[0][k] * p[0];
      }
      """
    try workshop.write(source, as: "loud.c")
    let rig = try PreparedRig(
      workshop.rig(
        "output: default\nnodes: {a: {plugin: loud.c, preset: Loud}}\nconnections: [a -> out]"),
      workshop.library)
    let graph = try graph(rig, workshop.library, rateHz: 48_000)
    #expect(graph.members[0].hotSwapNodes.count == 1)
    #expect(graph.members[0].nodes[0].parameter(0) == 2)
    graph.deactivate()
  }

  private func graph(
    _ rig: PreparedRig, _ library: PluginLibrary, rateHz: Double
  ) throws -> LiveGraph {
    let output = DeviceStream(
      device: "default", name: "Some card", channelCount: 2, format: "FLOAT", sampleRateHz: rateHz,
      periodFrames: 256, bufferFrames: 512)
    return try LiveGraph(
      rig, library,
      for: StreamDescription(
        inputs: [], outputs: [output], sampleRateHz: rateHz, periodFrames: 256, isLinked: false))
  }

  /// Runs the plugin until its worker has loaded a sample.
  private func play(
    _ node: any DirectoryStateNode, untilItKeeps sound: String, in workshop: RigTestEnvironment
  ) throws {
    let end = ContinuousClock.now + .seconds(patienceSeconds)
    repeat {
      usleep(1_000)
      run(node)
      #expect(try node.saveState(to: workshop.path + "/kept"))
      try #require(ContinuousClock.now < end, "the plugin has not loaded \(sound)")
    } while !FileManager.default.fileExists(atPath: workshop.path + "/kept/" + sound)
    try FileManager.default.removeItem(atPath: workshop.path + "/kept")
  }

  /// Renders a block, in which the plugin receives the result of its worker.
  private func run(_ node: any Node) {
    var samples = [Float](repeating: 0, count: 256)
    samples.withUnsafeMutableBufferPointer { samples in
      guard var buffer = samples.baseAddress else { return }
      node.step.function(node.step.context, &buffer, 256)
    }
  }
}
