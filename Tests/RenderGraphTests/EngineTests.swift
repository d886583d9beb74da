// EngineTests.swift: fades, silence, and render sequences that change during rendering. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginModel
import RealtimeKit
import Synchronization
import TestWaits
import Testing

@testable import RenderGraph

@Suite struct EngineTests {
  private func engine(
    inputs: Int = 0, outputs: Int = 1, rate: Double = 48_000, startsFadedOut: Bool = false
  ) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: inputs, outputChannelCount: outputs, maximumFrameCount: 256,
        sampleRateHz: rate, startsFadedOut: startsFadedOut))
  }

  /// A render sequence that outputs a constant.
  private func constant(_ value: Float, _ engine: Engine) throws -> CompiledGraph {
    var graph = Graph(
      inputChannelCount: engine.settings.inputChannelCount,
      outputChannelCount: engine.settings.outputChannelCount)
    let node = graph.add(SumNode(inputs: 0, outputs: 1, gain: value), named: "constant")
    for channel in 0 ..< graph.outputChannelCount {
      try graph.connect(.node(node, channel: 0), to: .output(channel: channel))
    }
    return try GraphCompiler.compile(graph, for: engine)
  }

  private func render(_ engine: Engine, _ frameCount: Int, channel: Int = 0) -> [Float] {
    renderBlock(engine.pointer, frameCount)
    return (0 ..< frameCount).map { engine.pointer.pointee.outputs[channel][$0] }
  }

  private func isSilent(_ engine: Engine) -> Bool { engine.pointer.pointee.fade.isSilent }

  // MARK: - Silence

  @Test func `before a render sequence is installed the outputs are silent`() {
    let engine = engine(outputs: 2)
    for channel in 0 ..< 2 {
      for frame in 0 ..< 256 { engine.pointer.pointee.outputs[channel][frame] = .nan }
    }
    for channel in 0 ..< 2 {
      #expect(render(engine, 100, channel: channel) == [Float](repeating: 0, count: 100))
    }
    // Nothing is written beyond the block.
    #expect(engine.pointer.pointee.outputs[0][100].isNaN)
  }

  @Test func `an engine without channels renders and counts its frames`() throws {
    let engine = engine(outputs: 0)
    engine.install(
      try GraphCompiler.compile(Graph(inputChannelCount: 0, outputChannelCount: 0), for: engine))
    renderBlock(engine.pointer, 256)
    renderBlock(engine.pointer, 1)
    #expect(engine.pointer.pointee.frameCount.load(ordering: .relaxed) == 257)
  }

  // MARK: - Fades

  @Test(arguments: [8_000.0, 48_000, 192_000], [1, 37, 256])
  func `a fade has equal steps from silence to unity, and back`(rate: Double, block: Int) throws {
    let engine = engine(rate: rate, startsFadedOut: true)
    engine.install(try constant(1, engine))
    #expect(render(engine, 10) == [Float](repeating: 0, count: 10))
    engine.pointer.pointee.fade.open()
    let frames = Int(Engine.fadeSeconds * rate) + 2 * block
    var rise: [Float] = [0]
    while rise.count <= frames { rise += render(engine, block) }
    check(rise, step: Float(1 / (Engine.fadeSeconds * rate)))
    #expect(rise.last == 1)
    engine.pointer.pointee.fade.close()
    var fall: [Float] = [1]
    while fall.count <= frames { fall += render(engine, block) }
    check(fall.reversed(), step: Float(1 / (Engine.fadeSeconds * rate)))
    #expect(fall.last == 0)
  }

  private func check(_ rise: [Float], step: Float) {
    let steps = zip(rise, rise.dropFirst()).map { $1 - $0 }
    #expect((steps.min() ?? -1) >= 0)
    #expect((steps.max() ?? 1) <= step * 1.01)
  }

  @Test func `a fade that is reversed in the middle continues from its current gain`() throws {
    let engine = engine(startsFadedOut: true)
    engine.install(try constant(1, engine))
    engine.pointer.pointee.fade.open()
    var output = render(engine, 256)
    engine.pointer.pointee.fade.close()
    output += render(engine, 100)
    engine.pointer.pointee.fade.open()
    for _ in 0 ..< 5 { output += render(engine, 256) }
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) <= 1.01 / 960)
    #expect(output.last == 1)
  }

  @Test func `a fade at unity changes no bit`() throws {
    let engine = engine(inputs: 1, startsFadedOut: true)
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    try graph.connect(.input(channel: 0), to: .output(channel: 0))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    engine.pointer.pointee.fade.open()
    for _ in 0 ..< 5 { renderBlock(engine.pointer, 256) }
    let input: [Float] = [-0.0, .leastNonzeroMagnitude, .nan, .infinity, 3]
    for (frame, sample) in input.enumerated() {
      engine.pointer.pointee.inputs[0][frame] = sample
    }
    #expect(render(engine, input.count).map(\.bitPattern) == input.map(\.bitPattern))
  }

  @Test func `only a completed fade-out is reported as silent`() throws {
    let engine = engine(startsFadedOut: true)
    engine.install(try constant(1, engine))
    renderBlock(engine.pointer, 8)
    #expect(isSilent(engine))
    engine.pointer.pointee.fade.open()
    #expect(!isSilent(engine))
    for _ in 0 ..< 5 { renderBlock(engine.pointer, 256) }
    // It was silent before it was opened. If that counted, a listener would get a cut.
    engine.pointer.pointee.fade.close()
    renderBlock(engine.pointer, 8)
    #expect(!isSilent(engine))
    for _ in 0 ..< 5 { renderBlock(engine.pointer, 256) }
    #expect(isSilent(engine))
  }

  // MARK: - Programs

  @Test func `a render sequence that was replaced before its first block is freed at once`() throws
  {
    let engine = engine()
    weak var first: CompiledGraph?
    do {
      let compiled = try constant(1, engine)
      first = compiled
      engine.install(compiled)
    }
    engine.install(try constant(2, engine))
    #expect(first == nil)
    #expect(render(engine, 4) == [2, 2, 2, 2])
  }

  @Test
  func `a render sequence waits until the one before last has been collected, and is not lost`()
    throws
  {
    let engine = engine()
    for value in 1 ... 3 {
      engine.install(try constant(Float(value), engine))
      renderBlock(engine.pointer, 4)
    }
    #expect(render(engine, 1) == [2])
    engine.collectRetired()
    #expect(render(engine, 1) == [3])
    engine.collectRetired()
    engine.collectRetired()
    #expect(render(engine, 1) == [3])
  }

  @Test func `a node in both render sequences keeps its state`() throws {
    let engine = engine(inputs: 1)
    let node = SumNode(inputs: 1, outputs: 1, latency: 3)
    func program(gain: Float) throws -> CompiledGraph {
      var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
      let id = graph.add(node, named: "late")
      try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
      try graph.connect(.node(id, channel: 0), to: .output(channel: 0), gain: gain)
      return try GraphCompiler.compile(graph, for: engine)
    }
    engine.install(try program(gain: 1))
    for frame in 0 ..< 4 { engine.pointer.pointee.inputs[0][frame] = Float(frame + 1) }
    #expect(render(engine, 4) == [0, 0, 0, 1])
    engine.install(try program(gain: 2))
    for frame in 0 ..< 4 { engine.pointer.pointee.inputs[0][frame] = Float(frame + 5) }
    #expect(render(engine, 4) == [4, 6, 8, 10])
  }

  @Test func `a thread may install render sequences while another renders`()
    throws
  {
    let engine = engine()
    let renderer = Renderer(engine)
    weak var last: CompiledGraph?
    var weak: [() -> Bool] = []
    for value in 1 ... 300 {
      let compiled = try constant(Float(value), engine)
      last = compiled
      weak.append { [weak compiled] in compiled == nil }
      engine.install(compiled)
      engine.collectRetired()
      if value % 50 == 0 { renderer.wait(for: Float(value), collecting: engine) }
    }
    renderer.stop()
    engine.collectRetired()
    #expect(renderer.isMonotonous)
    #expect(last != nil)
    #expect(weak.dropLast().allSatisfy { $0() })
  }

  @Test func `a render sequence that is installed twice traps`() async {
    await #expect(processExitsWith: .failure) {
      let engine = Engine(
        Engine.Settings(
          inputChannelCount: 0, outputChannelCount: 0, maximumFrameCount: 8,
          sampleRateHz: 48_000, startsFadedOut: false))
      let graph = Graph(inputChannelCount: 0, outputChannelCount: 0)
      let compiled = try GraphCompiler.compile(graph, for: engine)
      engine.install(compiled)
      engine.install(compiled)
    }
  }

  // MARK: - Size

  @Test func `a chain of a thousand nodes is compiled, and its output is correct`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var last = Graph.Source.input(channel: 0)
    for index in 0 ..< 1_000 {
      let node = graph.add(
        SumNode(inputs: 1, outputs: 1, gain: index % 2 == 0 ? 2 : 0.5), named: "\(index)")
      try graph.connect(last, to: .node(node, channel: 0))
      last = .node(node, channel: 0)
    }
    try graph.connect(last, to: .output(channel: 0))
    let engine = engine(inputs: 1)
    let compiled = try GraphCompiler.compile(graph, for: engine)
    #expect(compiled.listing.count == 1_000)
    #expect(compiled.bufferCount == 2)
    engine.install(compiled)
    for frame in 0 ..< 16 { engine.pointer.pointee.inputs[0][frame] = Float(frame) }
    #expect(render(engine, 16) == (0 ..< 16).map(Float.init))
  }

  @Test func `a thousand nodes side by side are summed in one step`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    for index in 0 ..< 1_000 {
      let node = graph.add(
        SumNode(inputs: 1, outputs: 1, latency: index % 3), named: "\(index)")
      try graph.connect(.input(channel: 0), to: .node(node, channel: 0))
      try graph.connect(.node(node, channel: 0), to: .output(channel: 0))
    }
    let engine = engine(inputs: 1)
    let compiled = try GraphCompiler.compile(graph, for: engine)
    #expect(compiled.latencyFrames == 2)
    engine.install(compiled)
    for frame in 0 ..< 8 { engine.pointer.pointee.inputs[0][frame] = 1 }
    #expect(render(engine, 8) == [0, 0] + [Float](repeating: 1_000, count: 6))
  }
}

/// Renders on a separate thread and checks the output.
private final class Renderer: Sendable {
  private let latest = Atomic<UInt32>(0)
  private let hasFallen = Atomic<Bool>(false)
  private let isStopped = Atomic<Bool>(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ engine: Engine) {
    nonisolated(unsafe) let pointer = engine.pointer
    let thread = Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        renderBlock(pointer, 16)
        let first = pointer.pointee.outputs[0][0]
        if first.bitPattern < latest.load(ordering: .relaxed)
          || first != pointer.pointee.outputs[0][15]
        {
          hasFallen.store(true, ordering: .relaxed)
        }
        latest.store(first.bitPattern, ordering: .relaxed)
      }
      hasEnded.signal()
    }
    thread.start()
  }

  /// Whether no older render sequence was active after a newer one, nor two in one block.
  var isMonotonous: Bool { !hasFallen.load(ordering: .relaxed) }

  func wait(for value: Float, collecting engine: Engine) {
    let deadline = Deadline()
    while Float(bitPattern: latest.load(ordering: .relaxed)) != value {
      engine.collectRetired()
      deadline.restOrTrap(0.0001)
    }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    hasEnded.waitOrTrap()
  }
}
