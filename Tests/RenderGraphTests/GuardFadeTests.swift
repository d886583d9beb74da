// GuardFadeTests.swift: a tone through a faulty node, without clicks. SPDX-License-Identifier: MIT

import CRealtime
import Foundation
import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

/// 1 kHz at half of full scale.
private func tone(_ channel: Int, _ frame: Int) -> Float {
  Float(0.5 * sin(2 * Double.pi * 1_000 * Double(frame) / 48_000))
}

/// The greatest step from one of its samples to the next.
private let toneStep: Float = 0.5 * 2 * .pi / 48

@Suite struct GuardFadeTests {
  private func largestStep(_ samples: ArraySlice<Float>) -> Float {
    zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  /// The highest spur of a tone, measured at the worst time.
  private func highestSpur(_ samples: ArraySlice<Float>) -> Double {
    spurs(of: Array(samples)).map(\.decibels).max() ?? 0
  }

  // The fault occurs at the worst phase of the tone, and at others.
  @Test(arguments: [(Float.nan, 0), (.infinity, 12), (2_000, 24), (.nan, 31), (1e30, 47)])
  func `a faulty node causes a short gap with soft ends`(gain: Float, phase: Int) throws {
    let node = SumNode(inputs: 1, outputs: 1)
    let scene = try GraphTestBench(chain([node]), guardsNodes: true)
    let shifted: (Int, Int) -> Float = { tone($0, $1 + phase) }
    scene.render(48_000, shifted)
    node.setParameter(0, to: gain)
    scene.render(48_000, shifted)
    let output = scene.output[0]
    let (step, spur) = (largestStep(output[...]), highestSpur(output[31_616 ..< 64_384]))
    // Two blocks until the node is identified, and two fades.
    let gap = output.indices.filter { abs(output[$0] - shifted(0, $0)) > 1e-6 }
    let length = (gap.last ?? 0) - (gap.first ?? 0) + 1
    #expect(step < toneStep * 1.05, "\(step / toneStep)")
    #expect(spur < -70, "\(spur)")
    #expect((gap.first ?? 0) >= 48_000 && length <= 2 * 64 + 481, "\(length)")
    let far = highestSpur(output[50_000 ..< 82_768])
    #expect(far < -120, "\(far)")
  }

  @Test func `a node that is too slow is bypassed without a click`() throws {
    for phase in [0, 12, 30] {
      let node = SumNode(inputs: 1, outputs: 1, gain: 0.25)
      let engine = try GuardedProgram(chain([node]))
      var output = engine.render(500, share: { _ in 0.1 }) { tone(0, $0 + phase) }
      output += engine.render(500, share: { _ in 1.6 }) { tone(0, $0 + phase) }
      #expect(largestStep(output[...]) < toneStep * 1.05)
      let spur = highestSpur(output[15_616 ..< 48_384])
      #expect(spur < -80, "\(spur)")
      #expect(output.last == tone(0, output.count - 1 + phase))
      let found = engine.takeFaults()
      #expect(found.map(\.fault) == [.overload] && found.first?.node === node)
      // One block first, and then as many as needed.
      #expect(output[500 * 64 ..< 504 * 64].allSatisfy { abs($0) <= 0.126 })
      #expect(output[506 * 64 ..< 520 * 64].contains { abs($0) > 0.45 })
    }
  }

  @Test func `a node that adds an offset is bypassed without a click`() throws {
    let node = OffsetNode()
    let scene = try GraphTestBench(chain([node]), guardsNodes: true, watchesOffset: true)
    scene.render(48_000, tone)
    node.setParameter(0, to: 0.6)
    // The step of the fault itself is not measured here.
    scene.render(64, tone)
    let begin = scene.frameCount
    scene.render(48_000 * 6, tone)
    let output = scene.output[0]
    let found = scene.editor.takeFaults()
    #expect(found.map(\.fault) == [.dcOffset] && found.first?.node === node)
    #expect(abs((found.first?.measure ?? 0) - 0.6) < 0.01)
    #expect(largestStep(output[begin...]) < toneStep * 1.05)
    #expect(output.last == tone(0, output.count - 1))
    #expect(abs(output[begin + 48_000 * 4]) > 0.05)
  }

  @Test func `a fault during a fade-out is found, and so is the next one`() throws {
    let nodes = [OffsetNode(0.6), OffsetNode()]
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let ids = nodes.map { graph.add($0, named: "n") }
    try graph.connect(.input(channel: 0), to: .node(ids[0], channel: 0))
    try graph.connect(.node(ids[0], channel: 0), to: .node(ids[1], channel: 0))
    try graph.connect(.node(ids[1], channel: 0), to: .output(channel: 0))
    let scene = try GraphTestBench(graph, guardsNodes: true, watchesOffset: true)
    scene.render(48_000 * 5) { _, _ in 0 }
    while scene.output[0].last ?? 0 > 0.5, scene.frameCount < 48_000 * 7 {
      scene.render(64) { _, _ in 0 }
    }
    nodes[0].setParameter(0, to: .nan)
    scene.render(48_000) { _, _ in 0 }
    var found = scene.editor.takeFaults()
    #expect(found.map(\.fault) == [.invalidSamples] && found.first?.node === nodes[0])
    nodes[1].setParameter(0, to: 0.6)
    scene.render(48_000 * 6) { _, _ in 0 }
    found = scene.editor.takeFaults()
    #expect(found.map(\.fault) == [.dcOffset] && found.first?.node === nodes[1])
    #expect(scene.output[0].last == 0)
    let isSound = scene.output[0].allSatisfy { abs($0) <= 0.601 }
    #expect(isSound)
  }
}

/// Adds an offset to its input.
private final class OffsetNode: Node {
  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames = 0
  let canRunInPlace = true
  private let offset = UnsafeMutablePointer<Float>.allocate(capacity: 1)

  init(_ value: Float = 0) { offset.initialize(to: value) }
  deinit { offset.deallocate() }

  var step: NodeStep {
    NodeStep(function: offsetNodeStep, context: UnsafeMutableRawPointer(offset))
  }
  func setParameter(_ index: Int, to value: Float) { offset.pointee = value }
  func parameter(_ index: Int) -> Float { offset.pointee }
  func activate() throws {}
  func deactivate() {}
  func reset() {}
}

@c(test_offset_node_step)
private func offsetNodeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let offset = context.assumingMemoryBound(to: Float.self).pointee
  for frame in 0 ..< Int(frameCount) { buffers[1][frame] = buffers[0][frame] + offset }
}
