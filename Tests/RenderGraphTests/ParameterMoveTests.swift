// ParameterMoveTests.swift: ramps between the messages of a control, exact to the frame.
// SPDX-License-Identifier: MIT

import CRealtime
import Foundation
import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

/// A node whose first parameters are moved by controls, in an engine at 48 kHz and in virtual time.
private final class MoveTestBench {
  static let frameNanoseconds = 1e9 / 48_000

  let engine: Engine
  let node: any Node
  let automation: NodeAutomation
  let block: Int
  /// The start of the next block, in ns, and its first frame.
  private var now: UInt64 = 1_000_000_000
  private(set) var frame = 0
  private var waiting: [(frame: Int, index: Int, value: Float)] = []

  init(
    _ node: any Node, block: Int = 64, moved: [MovedParameter] = [MovedParameter(0)],
    lanes: [AutomationLane] = []
  ) throws {
    let transport = Transport(TransportSettings(), sampleRateHz: 48_000)
    (self.node, self.block) = (node, block)
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: node.audioOutputCount,
        maximumFrameCount: block, sampleRateHz: 48_000, startsFadedOut: false),
      transport: transport)
    var graph = Graph(inputChannelCount: 1, outputChannelCount: node.audioOutputCount)
    let id = graph.add(node, named: "node")
    for channel in 0 ..< node.audioOutputCount {
      try graph.connect(.node(id, channel: channel), to: .output(channel: channel))
    }
    automation = try #require(
      NodeAutomation(lanes, moving: moved, of: node, transport: transport))
    graph.automate(node, by: automation)
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// Moves a control at a frame of the stream, which takes effect one block later.
  func move(to value: Float, atFrame frame: Int, index: Int = 0) {
    waiting.append((frame, index, value))
  }

  /// Renders blocks, and returns the values of a parameter.
  func render(_ blocks: Int, channel: Int = 0) -> [Float] {
    var captured: [Float] = []
    for _ in 0 ..< blocks {
      while let next = waiting.first, next.frame <= frame {
        waiting.removeFirst()
        // Half a frame later, because a time is in whole nanoseconds.
        let distance = (Double(next.frame - frame) + 0.5) * Self.frameNanoseconds
        automation.moves[next.index].start(
          to: next.value, at: UInt64(Double(now) + distance))
        node.setParameter(automation.moves[next.index].moved.parameter, to: next.value)
      }
      renderBlock(engine.pointer, block, startedAt: now)
      now += UInt64(Double(block) * Self.frameNanoseconds)
      frame += block
      captured += (0 ..< block).map { engine.pointer.pointee.outputs[channel][$0] }
    }
    return captured
  }
}

@Suite struct `A parameter that a control moves` {
  @Test(arguments: [48, 144, 400], [16, 64, 512])
  func `never moves faster than a sweep, and has its last value in 10 ms`(distance: Int, block: Int)
    throws
  {
    let bench = try MoveTestBench(ValueNode(), block: block)
    for step in 1 ... 127 { bench.move(to: Float(step), atFrame: 1_000 + step * distance) }
    let captured = bench.render((130 * distance + 3_000) / block)
    let arrival = { (step: Int) in 1_000 + step * distance + block }
    #expect(captured[...arrival(1)].allSatisfy { $0 == 0 })
    let steps = zip(captured, captured.dropFirst()).map { $1 - $0 }
    // A block in which several messages arrive has one ramp, to the last of them.
    let slope = Float(32) / Float(distance) * (distance >= block ? 1.01 : 1.6)
    #expect(steps.allSatisfy { -0.000_1 ... slope ~= $0 })
    let end = arrival(127) + max(480, block)
    #expect(captured[end - 1] < 127 && captured[end...].allSatisfy { $0 == 127 })
  }

  @Test func `reaches a single value in 10 ms, on the grid of lanes`() throws {
    let bench = try MoveTestBench(ValueNode())
    bench.move(to: 480, atFrame: 1_000)
    let captured = bench.render(30)
    // One block after the message.
    for frame in 1_064 ..< 1_544 {
      #expect(captured[frame] == Float(max(frame / 32 * 32, 1_064) - 1_064))
    }
    #expect(captured[..<1_064].allSatisfy { $0 == 0 })
    #expect(captured[1_544...].allSatisfy { $0 == 480 })
  }

  @Test func `moves by equal ratios if its curve is logarithmic`() throws {
    let node = ValueNode()
    node.setParameter(0, to: 100)
    let bench = try MoveTestBench(node, moved: [MovedParameter(0, isLogarithmic: true)])
    bench.move(to: 1_600, atFrame: 960)
    let captured = bench.render(30)
    for frame in stride(from: 1_024, to: 1_504, by: 32) {
      let wanted = 100 * pow(16, Double(frame - 1_024) / 480)
      #expect(abs(Double(captured[frame]) / wanted - 1) < 1e-5)
    }
    #expect(captured[1_504] == 1_600)
  }

  @Test func `continues from its present value if the control turns back`() throws {
    let bench = try MoveTestBench(ValueNode())
    bench.move(to: 480, atFrame: 1_000)
    bench.move(to: 0, atFrame: 1_200)
    let captured = bench.render(40)
    let steps = zip(captured, captured.dropFirst()).map { abs($1 - $0) }
    #expect(captured.max() == 200)
    #expect(steps.allSatisfy { $0 <= 32.01 })
    #expect(captured[1_743] > 0 && captured[1_744...].allSatisfy { $0 == 0 })
  }

  @Test func `takes a value that another client sets at once, also during a ramp`() throws {
    let node = ValueNode()
    let bench = try MoveTestBench(node)
    bench.move(to: 480, atFrame: 1_000)
    var captured = bench.render(20)
    #expect(captured.last.map { (1 ..< 480).contains($0) } == true)
    node.setParameter(0, to: 7)
    captured = bench.render(20)
    #expect(captured.allSatisfy { $0 == 7 })
    // The value that the ramp began with is no exception.
    bench.move(to: 480, atFrame: bench.frame)
    _ = bench.render(3)
    node.setParameter(0, to: 7)
    #expect(bench.render(20).suffix(64).allSatisfy { $0 == 7 })
    bench.move(to: 487, atFrame: bench.frame)
    captured = bench.render(20)
    #expect(captured.first == 7 && captured.last == 487)
    #expect(zip(captured, captured.dropFirst()).allSatisfy { 0 ... 32.01 ~= $1 - $0 })
  }

  @Test func `splits no block while it rests, and leaves the stored value to others`() throws {
    let node = ValueNode()
    let bench = try MoveTestBench(node)
    bench.move(to: 480, atFrame: 1_000)
    _ = bench.render(60)
    #expect(node.blocks.prefix(16).allSatisfy { $0 == 64 })
    #expect(node.blocks.contains { $0 < 64 })
    #expect(node.blocks.suffix(30).allSatisfy { $0 == 64 })
    #expect(node.arrivals.isEmpty && node.parameter(0) == 480)
    #expect(node.held == [nil])
  }

  @Test func `moves together with a lane of another parameter, in whole blocks of its node`()
    throws
  {
    let lane = AutomationLane(
      parameter: 1, clock: .seconds,
      points: [.init(time: 0, value: 1), .init(time: 0.025, value: 2, shape: .step)])
    let node = ValueNode(parameters: 2, unitFrameCount: 48)
    let bench = try MoveTestBench(node, lanes: [lane])
    bench.move(to: 480, atFrame: 1_000)
    let captured = bench.render(60)
    #expect(captured.last == 480)
    var place = 0
    for block in node.blocks {
      place += block
      #expect(place % 64 == 0 || place % 48 == 0)
    }
    #expect(node.parameter(1) == 2)
  }

  @Test func `continues in a node that is replaced`() throws {
    let (old, new) = (ValueNode(), ValueNode())
    let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    let swap = HotSwapNode(old, configuration)
    let bench = try MoveTestBench(swap)
    bench.move(to: 480, atFrame: 1_000)
    _ = bench.render(17)
    new.setParameter(0, to: 480)
    swap.replace(with: new)
    let captured = bench.render(4)
    #expect(new.blocks.count > 4)
    #expect(zip(captured, captured.dropFirst()).allSatisfy { 0 ... 32.01 ~= $1 - $0 })
    #expect(bench.render(60).last == 480)
  }
}
