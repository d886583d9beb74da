// AutomationTests.swift: automated parameters, exact to the frame. SPDX-License-Identifier: MIT

import CRealtime
import Foundation
import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

private typealias Point = AutomationLane.Point

/// A node with lanes in a separate engine, at 48 kHz.
private struct LaneTestBench {
  let engine: Engine
  let transport: Transport
  let automation: NodeAutomation

  /// The node's outputs are the engine's outputs; `latency` frames are between the input and the node.
  init(
    _ lanes: [AutomationLane], of node: any Node, tempo: Double = 120, maximum: Int = 1_024,
    latency: Int = 0
  ) throws {
    var settings = TransportSettings()
    settings.beatsPerMinute = tempo
    transport = Transport(settings, sampleRateHz: 48_000)
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: node.audioOutputCount,
        maximumFrameCount: maximum, sampleRateHz: 48_000, startsFadedOut: false),
      transport: transport)
    var graph = Graph(inputChannelCount: 1, outputChannelCount: node.audioOutputCount)
    let id = graph.add(node, named: "node")
    for channel in 0 ..< node.audioOutputCount {
      try graph.connect(.node(id, channel: channel), to: .output(channel: channel))
    }
    if latency > 0 {
      let late = graph.add(SumNode(inputs: 1, outputs: 1, latency: latency), named: "late")
      try graph.connect(.input(channel: 0), to: .node(late, channel: 0))
      try graph.connect(.node(late, channel: 0), to: .node(id, channel: 0))
    }
    automation = try #require(NodeAutomation(lanes, of: node, transport: transport))
    graph.automate(node, by: automation)
    if node.eventInput != nil { try graph.connectEvents(.input, to: .node(id)) }
    if node.eventOutput != nil { try graph.connectEvents(.node(id), to: .output) }
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// Renders the first output, in blocks of the given length.
  func render(_ frameCount: Int, block: Int = 64, channel: Int = 0) -> [Float] {
    var captured: [Float] = []
    while captured.count < frameCount {
      let count = min(block, frameCount - captured.count)
      renderBlock(engine.pointer, count)
      captured += (0 ..< count).map { engine.pointer.pointee.outputs[channel][$0] }
    }
    return captured
  }
}

@Suite struct `An automation lane` {
  private func render(
    _ points: [Point], clock: AutomationLane.TimeBase = .seconds, loop: Double? = nil,
    tempo: Double = 120, frames: Int, block: Int = 64
  ) throws -> [Float] {
    let lane = AutomationLane(parameter: 0, clock: clock, points: points, loop: loop)
    return try LaneTestBench([lane], of: ValueNode(), tempo: tempo).render(frames, block: block)
  }

  @Test(arguments: [1, 16, 64, 441, 1_024])
  func `jumps at the frame of its point, with any block length`(block: Int) throws {
    let captured = try render(
      [Point(time: 0, value: 1), Point(time: 0.1, value: 2, shape: .step)], frames: 5_000,
      block: block)
    #expect(captured[..<4_800].allSatisfy { $0 == 1 })
    #expect(captured[4_800...].allSatisfy { $0 == 2 })
  }

  @Test func `interpolates in steps of 32 frames and reaches each point in time`()
    throws
  {
    let captured = try render(
      [Point(time: 0, value: 0), Point(time: 0.0205, value: 984)], frames: 1_100)
    // 984 frames, so that the value changes by 1 per frame.
    for frame in 0 ..< 984 { #expect(captured[frame] == Float(frame / 32 * 32)) }
    #expect(captured[984...].allSatisfy { $0 == 984 })
  }

  @Test func `interpolates by equal ratios if it is exponential, also below 0`() throws {
    for sign in [Float(1), -1] {
      let captured = try render(
        [
          Point(time: 0, value: 20 * sign),
          Point(time: 1, value: 20_000 * sign, shape: .exponential),
        ],
        frames: 48_100)
      for frame in stride(from: 0, to: 48_000, by: 4_800) {
        let wanted = 20 * sign * Float(pow(1_000, Double(frame) / 48_000))
        #expect(abs(captured[frame] / wanted - 1) < 1e-5)
      }
      #expect(captured[48_000] == 20_000 * sign)
    }
  }

  @Test func `has its first value before its first point and its last value after its last`() throws
  {
    let captured = try render(
      [Point(time: 0.01, value: 3), Point(time: 0.02, value: 7, shape: .step)], frames: 2_000)
    #expect(captured[..<960].allSatisfy { $0 == 3 })
    #expect(captured[960...].allSatisfy { $0 == 7 })
  }

  @Test(arguments: [7, 64, 441, 1_024])
  func `renders the same with any blocks`(block: Int) throws {
    let points = [
      Point(time: 0.013, value: 1), Point(time: 0.3337, value: 50, shape: .exponential),
      Point(time: 0.4, value: -2), Point(time: 0.41111, value: 5, shape: .step),
      Point(time: 0.75, value: 0.1, shape: .exponential), Point(time: 0.9, value: 8),
    ]
    for clock in AutomationLane.TimeBase.allCases {
      let whole = try render(
        points, clock: clock, loop: 0.95, tempo: 97.3, frames: 96_000, block: 16)
      let other = try render(
        points, clock: clock, loop: 0.95, tempo: 97.3, frames: 96_000, block: block)
      #expect(whole == other)
    }
  }

  @Test func `repeats as a loop, and follows the tempo if its times are in beats`() throws {
    // At 150 beats a minute a beat has 19,200 frames.
    let captured = try render(
      [Point(time: 0, value: 1), Point(time: 1, value: 2, shape: .step)], clock: .beats, loop: 1.5,
      tempo: 150, frames: 100_000)
    for (frame, value) in captured.enumerated() {
      #expect(value == (frame % 28_800 < 19_200 ? 1 : 2), "frame \(frame)")
    }
  }

  @Test func `splits blocks only if its value changes`() throws {
    let node = ValueNode()
    let lane = AutomationLane(
      parameter: 0, points: [Point(time: 0, value: 1), Point(time: 0.1, value: 2, shape: .step)])
    _ = try LaneTestBench([lane], of: node).render(10_240, block: 1_024)
    let usual = [Int](repeating: 1_024, count: 5)
    #expect(node.blocks == usual.dropLast() + [704, 320] + usual)
    #expect(
      node.arrivals == [
        ValueNode.Arrival(0, 0, 1, isJump: true), ValueNode.Arrival(4_800, 0, 2, isJump: true),
      ])
  }

  @Test func `distinguishes jumps from steps of a line`() throws {
    let node = ValueNode()
    let lane = AutomationLane(
      parameter: 0,
      points: [
        Point(time: 0, value: 1), Point(time: 0.004, value: 2), Point(time: 0.008, value: 1),
        Point(time: 0.01, value: 9, shape: .step),
      ])
    _ = try LaneTestBench([lane], of: node).render(1_000)
    let jumps = node.arrivals.filter(\.isJump).map(\.frame)
    #expect(jumps == [0, 480])
    #expect(node.arrivals.count > 10)
  }

  @Test func `interpolates each parameter separately, whole numbers in whole steps`() throws {
    let node = ValueNode(parameters: 2)
    let lanes = [
      AutomationLane(
        parameter: 1, points: [Point(time: 0, value: 0), Point(time: 0.1, value: 3)], isWhole: true),
      AutomationLane(
        parameter: 0, points: [Point(time: 0, value: 5), Point(time: 0.05, value: 6, shape: .step)]),
    ]
    let scene = try LaneTestBench(lanes, of: node)
    let captured = scene.render(5_000, block: 100, channel: 1)
    #expect(Set(captured) == [0, 1, 2, 3])
    #expect(captured[799] == 0 && captured[832] == 1 && captured[4_800] == 3)
    #expect(node.arrivals.filter { $0.parameter == 0 }.map(\.frame) == [0, 2_400])
  }

  @Test func `stops with the transport and follows its jumps`() throws {
    let node = ValueNode()
    let lane = AutomationLane(
      parameter: 0, points: [Point(time: 0, value: 0), Point(time: 1, value: 48_000)])
    let scene = try LaneTestBench([lane], of: node)
    #expect(scene.render(640).last == 608)
    scene.transport.setRolling(false)
    #expect(scene.render(640) == [Float](repeating: 640, count: 640))
    scene.transport.locate(frame: 32_000)
    #expect(scene.render(64) == [Float](repeating: 32_000, count: 64))
    scene.transport.setRolling(true)
    #expect(scene.render(64)[32] == 32_032)
    scene.transport.locate(frame: 3_200)
    #expect(scene.render(64)[0] == 3_200)
  }

  @Test func `uses the time of the audio at its node`() throws {
    let lane = AutomationLane(
      parameter: 0, points: [Point(time: 0, value: 0), Point(time: 0.01, value: 1, shape: .step)])
    let node = EventNode(takes: false, sends: false, audioInputs: 1)
    let scene = try LaneTestBench([lane], of: node, latency: 100)
    #expect(scene.automation.lanes == [lane])
    let value = ValueNode()
    let direct = try LaneTestBench([lane], of: value)
    direct.automation.setInputLatency(frameCount: 100)
    _ = direct.render(1_000)
    #expect(value.arrivals.map(\.frame) == [0, 580])
  }

  @Test func `keeps a manual value until its next point`() throws {
    let node = ValueNode()
    let lane = AutomationLane(
      parameter: 0,
      points: [
        Point(time: 0, value: 0), Point(time: 0.1, value: 10), Point(time: 0.2, value: 20),
      ])
    let scene = try LaneTestBench([lane], of: node)
    _ = scene.render(1_024)
    #expect(scene.automation.overrideUntilNextPoint(0))
    #expect(!scene.automation.overrideUntilNextPoint(1))
    node.setParameter(0, to: 99)
    let captured = scene.render(6_000)
    #expect(captured[..<(4_800 - 1_024)].allSatisfy { $0 == 99 })
    #expect(captured[4_800 - 1_024] == 10)
    #expect(node.arrivals.filter(\.isJump).map(\.frame) == [0, 4_800])
    _ = scene.render(4_000)
    #expect(scene.automation.overrideUntilNextPoint(0))
    node.setParameter(0, to: 42)
    #expect(scene.render(20_000).allSatisfy { $0 == 42 })
  }

  @Test(arguments: [64, 96])
  func `gives a node that collects blocks one value per block`(block: Int) throws {
    let node = ValueNode(unitFrameCount: 256)
    let lane = AutomationLane(
      parameter: 0, points: [Point(time: 0, value: 0), Point(time: 0.1, value: 4_800)])
    let captured = try LaneTestBench([lane], of: node).render(5_000, block: block)
    for frame in 0 ..< 4_864 { #expect(captured[frame] == Float(frame / 256 * 256)) }
    #expect(captured[4_865] == 4_800 || captured[4_865] == 4_608)
  }

  @Test func `does not change the frame of MIDI messages`() throws {
    let node = EventNode()
    let lane = AutomationLane(
      parameter: 0, points: [Point(time: 0, value: 0), Point(time: 1, value: 1)])
    let scene = try LaneTestBench([lane], of: node)
    let notes = [0, 1, 31, 32, 100, 1_023, 1_024, 2_000].map {
      ScheduledEvent(frame: UInt64($0), bytes: [0x90, UInt8($0 % 100), 100])
    }
    scene.engine.schedule(notes)
    _ = scene.render(3_072, block: 1_024)
    #expect(node.arrivals == notes.map { EventNode.Arrival($0.frame, $0.bytes) })
    var sent: [UInt64] = []
    var scratch = [UInt8](
      repeating: 0, count: scene.engine.midiOutput.pointee.maximumByteCount)
    while scene.engine.midiOutput.pointee.nextTime() != nil {
      sent.append(UInt64(scene.engine.midiOutput.pointee.take(into: &scratch)))
    }
    #expect(sent.count == notes.count)
  }
}

@Suite struct `Automation lanes in an edit` {
  private func graph(_ node: any Node, _ automation: NodeAutomation?) throws -> Graph {
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 1)
    let id = graph.add(node, named: "node")
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    if let automation { graph.automate(node, by: automation) }
    return graph
  }

  @Test func `can be added, changed and removed without a new node, and has no cost after its end`()
    throws
  {
    let node = ValueNode()
    let transport = Transport(sampleRateHz: 48_000)
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 0, outputChannelCount: 1, maximumFrameCount: 64,
        sampleRateHz: 48_000, startsFadedOut: false), transport: transport)
    func render(_ blocks: Int) -> Float {
      for _ in 0 ..< blocks { renderBlock(engine.pointer, 64) }
      return engine.pointer.pointee.outputs[0][63]
    }
    func automation(_ value: Float) throws -> NodeAutomation {
      let lane = AutomationLane(parameter: 0, points: [Point(time: 0, value: value)])
      return try #require(NodeAutomation([lane], of: node, transport: transport))
    }
    let editor = try GraphEditor(graph(node, nil), engine)
    func settle() {
      var seconds = 0.0
      while !editor.isSettled {
        _ = render(1)
        seconds += 0.1
        for given in editor.advance(at: seconds) { Issue.record("\(given) was given up") }
      }
    }
    #expect(render(2) == 0)
    let plain = engine.pointer.pointee.current?.pointee.steps.pointee.context
    #expect(plain == node.step.context)
    try editor.edit(to: graph(node, automation(5)))
    settle()
    #expect(render(2) == 5)
    try editor.edit(to: graph(node, automation(6)))
    settle()
    #expect(render(2) == 6)
    try editor.edit(to: graph(node, nil))
    settle()
    #expect(render(2) == 6)
    #expect(engine.pointer.pointee.current?.pointee.steps.pointee.context == plain)
  }
}
