// EngineEventsTests.swift: MIDI in, between nodes, and out, each message at its frame. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

@Suite struct EngineEventsTests {
  private static let start: UInt64 = 5_000_000_000

  private func engine(outputs: Int = 0) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: 0, outputChannelCount: outputs, maximumFrameCount: 480,
        sampleRateHz: 48_000, startsFadedOut: false))
  }

  /// An engine whose input is connected to one node.
  private func listener(sends: Bool = false) throws -> (Engine, EventNode) {
    let engine = engine()
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 0)
    let node = EventNode(sends: sends)
    let id = graph.add(node, named: "node")
    try graph.connectEvents(.input, to: .node(id))
    if sends { try graph.connectEvents(.node(id), to: .output) }
    engine.install(try GraphCompiler.compile(graph, for: engine))
    return (engine, node)
  }

  /// Renders blocks of 10 ms, the first being number `first`.
  private func play(_ engine: Engine, _ blocks: Range<UInt64>) {
    for number in blocks {
      renderBlock(engine.pointer, 480, startedAt: Self.start + number * 10_000_000)
    }
  }

  private func send(_ engine: Engine, at time: UInt64, _ bytes: [UInt8]) -> Bool {
    engine.midiInput.pointee.write(time: time, bytes)
  }

  /// Note-ons of keys at frames.
  private func notes(_ list: (UInt64, Int)...) -> [EventNode.Arrival] {
    list.map { EventNode.Arrival($0.0, note($0.1)) }
  }

  private func note(_ key: Int) -> [UInt8] { [0x90, UInt8(key), 100] }

  // MARK: - Live

  @Test func `a message takes effect one block after its arrival, to the frame`() throws {
    let (engine, node) = try listener()
    play(engine, 0 ..< 1)
    // During the first block's period: at 0, 2.5 ms and just before its end.
    for (key, time) in [UInt64(0), 2_500_000, 9_999_999].enumerated() {
      #expect(send(engine, at: Self.start + time, note(key)))
    }
    play(engine, 1 ..< 2)
    #expect(
      node.arrivals == notes((480, 0), (600, 1), (959, 2)))
  }

  @Test func `a late message takes effect at once, an early one waits, and the order is preserved`()
    throws
  {
    let (engine, node) = try listener()
    play(engine, 0 ..< 3)
    #expect(send(engine, at: Self.start, note(1)))
    #expect(send(engine, at: Self.start + 25_000_000, note(2)))
    #expect(send(engine, at: Self.start + 24_000_000, note(3)))
    #expect(send(engine, at: Self.start + 45_000_000, note(4)))
    #expect(send(engine, at: 0, note(5)))
    play(engine, 3 ..< 4)
    #expect(
      node.arrivals == notes((1_440, 1), (1_680, 2), (1_680, 3)))
    play(engine, 4 ..< 5)
    #expect(node.arrivals.count == 3)
    play(engine, 5 ..< 6)
    #expect(
      Array(node.arrivals.suffix(2)) == notes((2_640, 4), (2_640, 5)))
  }

  @Test func `messages that do not fit in a block are delivered in the next, and none is lost`()
    throws
  {
    let (engine, node) = try listener()
    play(engine, 0 ..< 1)
    for index in 0 ..< 1_500 {
      #expect(send(engine, at: 0, [0xb0, UInt8(index % 64), 100]))
    }
    play(engine, 1 ..< 4)
    let expected = (0 ..< 1_500).map { UInt8($0 % 64) }
    #expect(node.arrivals.map { $0.bytes[1] } == expected)
  }

  @Test func `a render sequence without MIDI nodes accepts messages`() {
    let engine = engine()
    #expect(send(engine, at: 0, note(1)))
    play(engine, 0 ..< 1)
    let next = engine.midiInput.pointee.nextTime()
    #expect(next == nil)
  }

  // MARK: - Out

  @Test func `an outgoing message has the time at which it is audible`() throws {
    let (engine, _) = try listener(sends: true)
    engine.schedule([
      ScheduledEvent(frame: 0, bytes: note(1)), ScheduledEvent(frame: 480 + 48, bytes: note(2)),
    ])
    play(engine, 0 ..< 2)
    var scratch = [UInt8](repeating: 0, count: engine.midiOutput.pointee.maximumByteCount)
    var times: [UInt64] = []
    while let time = engine.midiOutput.pointee.nextTime() {
      times.append(time - Self.start)
      let byteCount = engine.midiOutput.pointee.take(into: &scratch)
      #expect(byteCount == 3)
    }
    #expect(times == [10_000_000, 21_000_000])
    #expect(engine.droppedMIDICount == 0)
  }

  @Test func `a full output queue drops note-offs last`() throws {
    let (engine, _) = try listener(sends: true)
    engine.schedule((0 ..< 4_000).map { ScheduledEvent(frame: $0 * 10, bytes: note(1)) })
    play(engine, 0 ..< 84)
    #expect(engine.droppedMIDICount > 0)
    let before = engine.droppedMIDICount
    #expect(send(engine, at: 0, [0x80, 1, 0]))
    play(engine, 84 ..< 86)
    #expect(engine.droppedMIDICount == before)
  }

  // MARK: - Offline

  @Test(arguments: [[1], [7], [64], [480], [3, 1, 470, 64]])
  func `scheduled messages arrive at their frame, with any blocks`(blocks: [Int]) throws {
    let (engine, node) = try listener()
    let frames: [UInt64] = [0, 0, 1, 479, 480, 481, 1_000, 1_999]
    engine.schedule(
      frames.enumerated().reversed().map { ScheduledEvent(frame: $1, bytes: note($0)) }
        .sorted { $0.bytes[1] < $1.bytes[1] })
    var done = 0
    var turn = 0
    while done < 2_000 {
      let count = min(blocks[turn % blocks.count], 2_000 - done)
      renderBlock(engine.pointer, count)
      (done, turn) = (done + count, turn + 1)
    }
    let expected = frames.enumerated().map { EventNode.Arrival($1, note($0)) }
    #expect(node.arrivals == expected)
  }

  // MARK: - Between nodes

  @Test func `sources are merged by frame, and by the order of connections within one`() throws {
    let engine = engine()
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 0)
    let (echo, sink) = (EventNode(), EventNode())
    let last = graph.add(sink, named: "sink")
    let first = graph.add(echo, named: "echo")
    try graph.connectEvents(.node(first), to: .node(last))
    try graph.connectEvents(.input, to: .node(last))
    try graph.connectEvents(.input, to: .node(last))
    try graph.connectEvents(.input, to: .node(first))
    let compiled = try GraphCompiler.compile(graph, for: engine)
    engine.install(compiled)
    #expect(
      compiled.listing.filter { $0.hasPrefix("MIDI") }
        == ["MIDI: in -> echo", "MIDI: echo + in -> sink"])
    engine.schedule([
      ScheduledEvent(frame: 3, bytes: note(1)), ScheduledEvent(frame: 9, bytes: note(2)),
    ])
    play(engine, 0 ..< 1)
    #expect(
      sink.arrivals == notes((3, 1), (3, 1), (9, 2), (9, 2)))
  }

  @Test(arguments: [1, 100, 479, 480, 481, 1_500])
  func `MIDI has the same delay as the audio at its node`(latency: Int) throws {
    let engine = engine(outputs: 1)
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 1)
    let slow = graph.add(SumNode(inputs: 0, outputs: 1, latency: latency), named: "slow")
    let vocoder = EventNode(audioInputs: 1)
    let id = graph.add(vocoder, named: "vocoder")
    try graph.connect(.node(slow, channel: 0), to: .node(id, channel: 0))
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    try graph.connectEvents(.input, to: .node(id))
    try graph.connectEvents(.input, to: .output)
    engine.install(try GraphCompiler.compile(graph, for: engine))
    engine.schedule([
      ScheduledEvent(frame: 7, bytes: note(1)), ScheduledEvent(frame: 700, bytes: note(2)),
    ])
    play(engine, 0 ..< 6)
    let late = UInt64(latency)
    #expect(vocoder.arrivals == notes((7 + late, 1), (700 + late, 2)))
    let time = engine.midiOutput.pointee.nextTime().map { $0 - Self.start - 10_000_000 }
    let expected = UInt64(Double(7 + 480 + latency) * 1e9 / 48_000) - 10_000_000
    #expect(time == expected)
  }

  @Test func `delayed MIDI that does not fit is dropped and counted`() throws {
    let engine = engine(outputs: 1)
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 1)
    let slow = graph.add(SumNode(inputs: 0, outputs: 1, latency: 60_000), named: "slow")
    let vocoder = EventNode(audioInputs: 1)
    let id = graph.add(vocoder, named: "vocoder")
    try graph.connect(.node(slow, channel: 0), to: .node(id, channel: 0))
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    try graph.connectEvents(.input, to: .node(id))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    engine.schedule((0 ..< 4_000).map { ScheduledEvent(frame: $0 * 10, bytes: note(1)) })
    play(engine, 0 ..< 84)
    let waiting = 4_000 - engine.droppedMIDICount
    #expect(engine.droppedMIDICount > 0)
    // Messages that were not dropped arrive with their audio.
    play(engine, 84 ..< 220)
    #expect(vocoder.arrivals.count == waiting)
  }

  @Test func `a loop of MIDI is refused with the names of its nodes`() throws {
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 0)
    let (one, two) = (graph.add(EventNode(), named: "one"), graph.add(EventNode(), named: "two"))
    try graph.connectEvents(.node(one), to: .node(two))
    try graph.connectEvents(.node(two), to: .node(one))
    #expect(throws: GraphError.loop(nodes: ["one", "two"])) {
      try GraphCompiler.compile(graph, for: engine())
    }
  }

  @Test func `nodes without MIDI are refused by name`() throws {
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 0)
    let mute = graph.add(EventNode(sends: false), named: "mute")
    let deaf = graph.add(SumNode(inputs: 1, outputs: 1), named: "deaf")
    let sending = #expect(throws: GraphError.self) {
      try graph.connectEvents(.node(mute), to: .output)
    }
    #expect(sending?.description == "mute has no MIDI output. Nothing can be connected from it.")
    let taking = #expect(throws: GraphError.self) {
      try graph.connectEvents(.input, to: .node(deaf))
    }
    #expect(taking?.description == "deaf has no MIDI input. Nothing can be sent to it.")
  }
}
