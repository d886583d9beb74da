// HotSwapNodeTests.swift: nodes that are replaced while they render. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

@Suite struct HotSwapNodeTests {
  private static let configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 256)
  private static let fadeFrames = Int(HotSwapNode.fadeSeconds * 48_000)

  /// Renders a number of frames of a node with no inputs and one output.
  private func render(_ node: HotSwapNode, _ frameCount: Int, block: Int = 64) -> [Float] {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    defer { samples.deallocate() }
    var captured: [Float] = []
    while captured.count < frameCount {
      let count = min(block, frameCount - captured.count)
      samples.update(repeating: .nan, count: count)
      withUnsafePointer(to: samples) { node.step.function(node.step.context, $0, UInt32(count)) }
      captured += (0 ..< count).map { samples[$0] }
    }
    return captured
  }

  private func constant(_ value: Float, outputs: Int = 1, latency: Int = 0) -> SumNode {
    SumNode(inputs: 0, outputs: outputs, gain: value, latency: latency)
  }

  @Test func `the output of a single node passes bit for bit`() {
    let node = HotSwapNode(constant(0.3), Self.configuration)
    #expect(render(node, 300) == [Float](repeating: 0.3, count: 300))
    #expect(node.isSettled)
  }

  @Test(arguments: [1, 7, 64, 256])
  func `a new node fades in, with any block length`(block: Int) {
    let node = HotSwapNode(constant(1), Self.configuration)
    node.replace(with: constant(-1))
    let captured = render(node, Self.fadeFrames + 100, block: block)
    #expect(captured[0] < 1 && captured[0] > 0.999)
    for (one, next) in zip(captured, captured.dropFirst()) {
      #expect(next <= one && one - next < 0.002)
    }
    #expect(abs(captured[Self.fadeFrames / 2]) < 0.01)
    #expect(captured[Self.fadeFrames...].allSatisfy { $0 == -1 })
    node.collect()
    #expect(node.isSettled)
  }

  @Test func `a swap between nodes with equal output changes nothing`() {
    let node = HotSwapNode(constant(0.7), Self.configuration)
    node.replace(with: constant(0.7))
    #expect(render(node, Self.fadeFrames + 10).allSatisfy { $0 == 0.7 })
  }

  @Test func `after several swaps the last node is active, and the others are freed`() {
    weak var overtaken: SumNode?
    let node = HotSwapNode(constant(0), Self.configuration)
    node.replace(with: constant(1))
    _ = render(node, 100)
    do {
      let second = constant(2)
      overtaken = second
      node.replace(with: second)
    }
    node.replace(with: constant(3))
    #expect(overtaken == nil)
    for _ in 0 ..< 4 {
      _ = render(node, Self.fadeFrames)
      node.collect()
    }
    #expect(render(node, 10).allSatisfy { $0 == 3 })
    #expect(node.isSettled)
    #expect(node.parameter(0) == 3)
  }

  @Test func `ten thousand replacements do not leak`() {
    weak var first: SumNode?
    let node: HotSwapNode
    do {
      let one = constant(0)
      first = one
      node = HotSwapNode(one, Self.configuration)
    }
    for number in 0 ..< 10_000 {
      node.replace(with: constant(Float(number)))
      if number % 3 == 0 { _ = render(node, Self.fadeFrames, block: 256) }
    }
    for _ in 0 ..< 3 {
      _ = render(node, Self.fadeFrames + 256, block: 256)
      node.collect()
    }
    #expect(first == nil)
    #expect(node.isSettled)
  }

  @Test func `a node with other channels is refused`() {
    let node = HotSwapNode(constant(0), Self.configuration)
    #expect(node.fits(constant(1)))
    #expect(!node.fits(constant(1, outputs: 2)))
    #expect(!node.fits(constant(1, latency: 3)))
    #expect(!node.fits(SumNode(inputs: 1, outputs: 1)))
  }

  @Test func `the capabilities are those of the inner node, except parameters from any thread`() {
    let (first, second) = (AbleNode(), AbleNode())
    let node = HotSwapNode(first, Self.configuration)
    #expect(node.capabilities.state === first && node.capabilities.presets == nil)
    #expect(node.capabilities[AbleNode.self] === first)
    #expect(first.capabilities.takesParametersOnAnyThread)
    #expect(!node.capabilities.takesParametersOnAnyThread)
    #expect(node.inside === first && first.inside === first)
    node.replace(with: second)
    #expect(node.capabilities.state === second && node.inside === second)
    #expect(node.capabilities[HotSwapNode.self] === node)
    #expect(first.capabilities[HotSwapNode.self] == nil)
  }

  /// The output of a node with the detector's tone at its input, replaced after a second.
  private func toneThrough(_ old: any Node, _ new: any Node) -> [Float] {
    let node = HotSwapNode(old, Self.configuration)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 512)
    defer { samples.deallocate() }
    var captured: [Float] = []
    while captured.count < 96_000 {
      if captured.count == 48_000 / 256 * 256 { node.replace(with: new) }
      for i in 0 ..< 256 { samples[i] = ClickDetector().tone(at: captured.count + i) }
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>.self, capacity: 2) { rows in
        rows[0] = samples
        rows[1] = samples + 256
        guard let base = rows.baseAddress else { return }
        node.step.function(node.step.context, base, 256)
      }
      captured += (256 ..< 512).map { samples[$0] }
    }
    return Array(captured.dropFirst(24_000))
  }

  @Test(arguments: [0, 1, 2])
  func `nodes with delay or repetition are replaced without a click or a dip`(kind: Int) {
    let late = { SumNode(inputs: 1, outputs: 1, latency: 700) }
    let captured =
      switch kind {
      case 0: toneThrough(late(), late())
      // Longer than the fade.
      case 1:
        toneThrough(
          SumNode(inputs: 1, outputs: 1, latency: 4_000),
          SumNode(inputs: 1, outputs: 1, latency: 4_000))
      default:
        toneThrough(
          EchoNode(frames: 1_440, feedback: 0.3), EchoNode(frames: 1_200, feedback: 0.3))
      }
    var detector = ClickDetector()
    for sample in captured { detector.hear(sample) }
    #expect(detector.worstDecibels < -90, "\(detector.worst)")
    #expect(ToneTracker(captured).dipDecibels > -0.5)
  }

  @Test func `a tone through the swap has no spur above -90 dBFS`() {
    // Two nodes with the same output at different levels, as after a change of one number in a source.
    let frames = 1 << 15
    let node = HotSwapNode(SumNode(inputs: 1, outputs: 1, gain: 1), Self.configuration)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 512)
    defer { samples.deallocate() }
    var captured: [Float] = []
    while captured.count < frames {
      if captured.count == frames / 2 {
        node.replace(with: SumNode(inputs: 1, outputs: 1, gain: 0.5))
      }
      for i in 0 ..< 256 {
        samples[i] = Float(0.5 * sin(2 * Double.pi * 1_000 / 48_000 * Double(captured.count + i)))
      }
      withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>.self, capacity: 2) { rows in
        rows[0] = samples
        rows[1] = samples + 256
        guard let base = rows.baseAddress else { return }
        node.step.function(node.step.context, base, 256)
      }
      captured += (256 ..< 512).map { samples[$0] }
    }
    for spur in spurs(of: captured) { #expect(spur.decibels < -90, "\(spur)") }
  }
}

/// A silent node with a state.
private final class AbleNode: StatefulNode {
  private let sum = SumNode(inputs: 0, outputs: 1, gain: 0)
  var audioInputCount: Int { sum.audioInputCount }
  var audioOutputCount: Int { sum.audioOutputCount }
  var latencyFrames: Int { sum.latencyFrames }
  var canRunInPlace: Bool { sum.canRunInPlace }
  var step: NodeStep { sum.step }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() {}
  func deactivate() {}
  func reset() {}
  func save() -> [UInt8]? { [] }
  func restore(_ bytes: [UInt8]) {}
  var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.state = self
    capabilities.takesParametersOnAnyThread = true
    capabilities[AbleNode.self] = self
    return capabilities
  }
}
