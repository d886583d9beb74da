// DCOffsetDetectorTests.swift: detection of constant offsets and their origin. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

/// The signal of an output, by the second, and whether it is a constant offset.
private enum Carried: CaseIterable {
  case silence, little, constant, beneath, withTone, toneAround, tone, blockTone, pulse, slow
  case noise, ending

  var isOffset: Bool {
    switch self {
    case .constant, .beneath, .withTone: true
    default: false
    }
  }

  func sample(_ seconds: Double) -> Double {
    func tone(_ hertz: Double) -> Double { sin(2 * Double.pi * hertz * seconds) }
    return switch self {
    case .silence: 0
    case .little: 0.09
    case .constant: 0.11
    case .beneath: -0.8
    case .withTone: 0.4 + 0.3 * tone(440)
    // It crosses zero, like audio, at any distance of its centre.
    case .toneAround: 0.4 + 0.5 * tone(30)
    case .tone: 0.9 * tone(20)
    // The first sample of each block is the same: a rate of 8 kHz, and blocks of 64 frames.
    case .blockTone: 0.9 * sin(2 * Double.pi * 125 * seconds + 1)
    case .pulse: (seconds * 40).truncatingRemainder(dividingBy: 1) < 0.1 ? -1 : 1
    // Half of its period is almost five seconds.
    case .slow: 0.9 * tone(0.11)
    case .noise: sin(seconds * 1e7)
    case .ending: seconds.truncatingRemainder(dividingBy: 4.5) < 4.4 ? 0.5 : 0
    }
  }
}

@Suite struct DCOffsetDetectorTests {
  @Test(arguments: Carried.allCases)
  private func `only a signal on one side of zero for seconds is an offset`(
    carried: Carried
  ) {
    let rateHz = 8_000.0
    var watch = DCOffsetDetector(channelCount: 2, sampleRateHz: rateHz)
    let buffer = PlanarBuffer(channelCount: 2, frameCapacity: 64)
    var frame = 0
    var foundAt: Double?
    while frame < 20 * 8_000, foundAt == nil {
      for index in 0 ..< 64 {
        buffer[1][index] = Float(carried.sample(Double(frame + index) / rateHz))
      }
      if watch.check(at: buffer, 64) { foundAt = Double(frame) / rateHz }
      frame += 64
    }
    #expect((foundAt != nil) == carried.isOffset)
    if let foundAt { #expect(4.9 ... 5.1 ~= foundAt) }
  }

  /// Renders a chain from input to output for the given duration.
  private func render(
    _ nodes: [any Node], input: Float = 0, seconds: Int = 7
  ) throws -> (GraphTestBench, [DetectedFault]) {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var last = Graph.Source.input(channel: 0)
    for (index, node) in nodes.enumerated() {
      let id = graph.add(node, named: "n\(index)")
      if node.audioInputCount > 0 { try graph.connect(last, to: .node(id, channel: 0)) }
      last = .node(id, channel: 0)
    }
    try graph.connect(last, to: .output(channel: 0))
    let scene = try GraphTestBench(graph, guardsNodes: true, watchesOffset: true)
    scene.render(seconds * 48_000) { _, _ in input }
    return (scene, scene.editor.takeFaults())
  }

  @Test func `the first node with the offset is reported, and not the nodes after it`() throws {
    let source = ConstantNode(0.5)
    let (scene, found) = try render([
      source, SumNode(inputs: 1, outputs: 1), SumNode(inputs: 1, outputs: 1),
    ])
    #expect(found.map(\.fault) == [.dcOffset] && found.first?.node === source)
    #expect(found.first?.measure == 0.5)
    // A node without inputs has no bypass signal.
    #expect(scene.output[0].last == 0)
    #expect(scene.output[0][48_000 * 5] == 0.5)
    #expect(scene.editor.takeUnattributedOffsets() == 0)
  }

  @Test func `a constant control voltage is not reported`() throws {
    let (scene, found) = try render([
      ConstantNode(0.5, voltages: 1), SumNode(inputs: 1, outputs: 1),
    ])
    #expect(found.isEmpty)
    #expect(scene.output[0].last == 0.5)
    #expect(scene.editor.takeUnattributedOffsets() == 0)
  }

  @Test func `an offset of the input is reported and passes`() throws {
    let (scene, found) = try render([SumNode(inputs: 1, outputs: 1)], input: 0.3)
    #expect(found.isEmpty)
    #expect(scene.output[0].last == 0.3)
    #expect(scene.editor.takeUnattributedOffsets() == 1)
  }
}

/// Outputs one value, as audio or as a control voltage.
private final class ConstantNode: Node {
  let audioInputCount = 0
  let audioOutputCount = 1
  let voltageOutputCount: Int
  let latencyFrames = 0
  let canRunInPlace = false
  private let inner: SumNode

  init(_ value: Float, voltages: Int = 0) {
    voltageOutputCount = voltages
    inner = SumNode(inputs: 0, outputs: 1, gain: value)
  }

  var step: NodeStep { inner.step }
  func setParameter(_ index: Int, to value: Float) { inner.setParameter(index, to: value) }
  func parameter(_ index: Int) -> Float { inner.parameter(index) }
  func activate() throws {}
  func deactivate() {}
  func reset() {}
}
