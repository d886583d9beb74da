// OfflineDriverTests.swift: positions, lengths and faults of a rendering. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import GraphTestSupport
import PluginModel
import RenderGraph
import TestWaits
import Testing

@testable import OfflineDriver

private final class ArraySource: FrameSource {
  let channelCount = 1
  var frameCount: Int? { samples.count }
  let note: String? = nil
  let samples: [Float]
  let failsAt: Int?
  private var position = 0

  init(_ samples: [Float], failsAt: Int? = nil) {
    self.samples = samples
    self.failsAt = failsAt
  }

  func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int {
    if let failsAt, position + frameCount > failsAt { throw TestFault() }
    let count = min(frameCount, samples.count - position)
    for frame in 0 ..< count { channels[0][frame] = samples[position + frame] }
    position += count
    return count
  }
}

private struct TestFault: Error {}

private final class ArraySink: FrameSink {
  let channelCount = 1
  let sampleRateHz = 1000
  let clippedSampleCount = 0
  private(set) var samples: [Float] = []
  private(set) var isFinished = false
  let failsAt: Int?

  init(failsAt: Int? = nil) { self.failsAt = failsAt }

  func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws {
    samples += UnsafeBufferPointer(start: frames, count: frameCount)
    if let failsAt, samples.count > failsAt { throw TestFault() }
  }

  func finish() throws { isFinished = true }
}

@Suite struct OfflineDriverTests {
  private func engine(_ node: SumNode) throws -> Engine {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: node.audioInputCount, outputChannelCount: 1, maximumFrameCount: 4096,
        sampleRateHz: 1000, startsFadedOut: false))
    var graph = Graph(inputChannelCount: node.audioInputCount, outputChannelCount: 1)
    let id = graph.add(node, named: "node")
    for input in 0 ..< node.audioInputCount {
      try graph.connect(.input(channel: input), to: .node(id, channel: input))
    }
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    return engine
  }

  private func settings(
    block: Int, latency: Int = 0, tail: RenderSettings.Tail, seconds: Double? = nil
  ) -> RenderSettings {
    var settings = RenderSettings()
    settings.blockFrames = block
    settings.latencyFrames = latency
    settings.tail = tail
    settings.seconds = seconds
    return settings
  }

  private func render(
    _ settings: RenderSettings, _ engine: Engine, from source: ArraySource?, to sink: ArraySink
  ) throws -> RenderReport {
    try OfflineDriver(settings, from: source, to: sink).render(engine.renderer)
  }

  private let quiet = RenderSettings.Tail.untilSilent(
    threshold: 0.01, holdSeconds: 0.5, maximumSeconds: 3)

  @Test(arguments: [1, 64, 333, 4096])
  func `latency is trimmed and the output as long as the input`(block: Int) throws {
    let input = (1 ... 10_000).map { Float($0) }
    let sink = ArraySink()
    let report = try render(
      settings(block: block, latency: 777, tail: .seconds(0)),
      engine(SumNode(inputs: 1, outputs: 1, latency: 777)), from: ArraySource(input), to: sink)
    #expect(sink.samples == input)
    #expect(sink.isFinished)
    #expect(report.frameCount == 10_000 && report.seconds == 10)
    #expect(report.peaks == [10_000])
  }

  @Test(arguments: [1, 7, 64, 4096])
  func `samples that are not finite are silent and counted, and the first position is reported`(
    block: Int
  ) throws {
    var input = (1 ... 10_000).map { Float($0) }
    for place in [1_234, 1_235, 9_999] { input[place] = .nan }
    input[5_000] = -.infinity
    let sink = ArraySink()
    let report = try render(
      settings(block: block, tail: .seconds(0)), engine(SumNode(inputs: 1, outputs: 1)),
      from: ArraySource(input), to: sink)
    #expect(sink.samples == input.map { $0.isFinite ? $0 : 0 })
    #expect(report.faultySampleCount == 4)
    #expect(report.firstFaultSeconds == 1.234)
    #expect(report.peaks == [9_999])
  }

  @Test(arguments: [1, 64, 333, 4096], [0, 1, 500, 4095, 4096, 4097])
  func `a fixed tail has the given length`(block: Int, length: Int) throws {
    let input = [Float](repeating: 1, count: length)
    let sink = ArraySink()
    _ = try render(
      settings(block: block, tail: .seconds(0.25)), engine(SumNode(inputs: 1, outputs: 1)),
      from: ArraySource(input), to: sink)
    #expect(sink.samples == input + [Float](repeating: 0, count: 250))
  }

  @Test(arguments: [1, 64, 333, 4096])
  func `a tail ends with its last frame above the threshold, with any blocks`(block: Int) throws {
    // Delayed by 300 frames that are not declared: the tail contains the last 300 of the input.
    let input = (0 ..< 1000).map { Float($0 == 950 ? 0.5 : $0 < 700 ? 1 : 0.001) }
    let sink = ArraySink()
    let report = try render(
      settings(block: block, tail: quiet), engine(SumNode(inputs: 1, outputs: 1, latency: 300)),
      from: ArraySource(input), to: sink)
    #expect(sink.samples.count == 1251 && report.cutTailSeconds == nil)
    #expect(sink.samples.last == 0.5)
    #expect(sink.samples == [Float](repeating: 0, count: 300) + input.prefix(951))
  }

  @Test(arguments: [1, 64, 333, 4096])
  func `audio after a long enough silence is omitted`(block: Int) throws {
    let input = (0 ..< 1000).map { Float($0 == 100 || $0 == 900 ? 0.5 : 0) }
    let sink = ArraySink()
    // Late by 1000: one frame is loud 100 frames after the end, the next one 800 later.
    _ = try render(
      settings(block: block, tail: quiet), engine(SumNode(inputs: 1, outputs: 1, latency: 1000)),
      from: ArraySource(input), to: sink)
    #expect(sink.samples.count == 1101)
  }

  @Test(arguments: [1, 64, 333, 4096])
  func `a tail that never ends is cut at the maximum`(block: Int) throws {
    let sink = ArraySink()
    _ = try render(
      settings(block: block, tail: quiet), engine(SumNode(inputs: 1, outputs: 1, latency: 3000)),
      from: ArraySource([Float](repeating: 1, count: 400) + [Float](repeating: 0, count: 1)),
      to: sink)
    #expect(sink.samples.count == 401)
    let endless = ArraySink()
    _ = try render(
      settings(block: block, tail: quiet, seconds: 1),
      engine(SumNode(inputs: 1, outputs: 1, latency: 200)),
      from: ArraySource([Float](repeating: 1, count: 9000)), to: endless)
    #expect(endless.samples.count == 1200)
    let loud = ArraySink()
    let cut = try render(
      settings(block: block, tail: quiet), engine(SumNode(inputs: 1, outputs: 1, latency: 3100)),
      from: ArraySource([Float](repeating: 1, count: 4000)), to: loud)
    #expect(loud.samples.count == 7000 && cut.cutTailSeconds == 3)
  }

  @Test(arguments: [1, 64, 333, 4096])
  func `a graph without input has the given length`(block: Int) throws {
    let sink = ArraySink()
    let generator = try engine(SumNode(inputs: 0, outputs: 1, gain: 0.5))
    let report = try render(
      settings(block: block, tail: quiet, seconds: 2.5), generator, from: nil, to: sink)
    #expect(sink.samples == [Float](repeating: 0.5, count: 2500))
    #expect(abs(report.peakDecibels + 6.0206) < 0.001)
    #expect(throws: OfflineError.lengthUnknown) {
      try render(settings(block: block, tail: quiet), generator, from: nil, to: sink)
    }
  }

  @Test func `an error of the source or sink, or a cancellation, leaves the output incomplete`()
    throws
  {
    let long = [Float](repeating: 0.5, count: 1_000_000)
    let faulty = ArraySource(long, failsAt: 500_000)
    let sinks = [ArraySink(), ArraySink(failsAt: 100_000), ArraySink()]
    let settings = settings(block: 1024, tail: quiet)
    let sum = { [self] in try engine(SumNode(inputs: 1, outputs: 1)) }
    #expect(throws: TestFault.self) { try render(settings, sum(), from: faulty, to: sinks[0]) }
    #expect(throws: TestFault.self) {
      try render(settings, sum(), from: ArraySource(long), to: sinks[1])
    }
    let driver = OfflineDriver(settings, from: ArraySource(long), to: sinks[2])
    driver.cancel()
    #expect(throws: OfflineError.cancelled(seconds: 1.024)) {
      try driver.render(sum().renderer)
    }
    #expect(sinks.allSatisfy { !$0.isFinished })
  }

  @Test(arguments: [64, 1024])
  func `the driver starts, ends automatically and reports its end`(block: Int) throws {
    let input = (1 ... 10_000).map { Float($0) }
    let sink = ArraySink()
    let driver: any AudioDriver = OfflineDriver(
      settings(block: block, tail: .seconds(0)), from: ArraySource(input), to: sink)
    #expect(driver.stream.inputChannelCount == 1 && driver.stream.outputChannelCount == 1)
    #expect(driver.stream.sampleRateHz == 1000 && !driver.stream.isRealTime)
    #expect(!driver.status.isRunning && !driver.status.hasEnded)
    try driver.start(engine(SumNode(inputs: 1, outputs: 1, latency: 777)).renderer)
    let deadline = Deadline()
    while driver.status.isRunning { try deadline.rest(0.001) }
    #expect(driver.status.hasEnded && driver.status.failure == nil)
    driver.stop()
    // The latency is the renderer's, which is cut off.
    #expect(sink.samples == input)
    #expect(sink.isFinished)
  }

  @Test func `as a driver it can be stopped, and reports an error`() throws {
    let sink = ArraySink()
    let endless = OfflineDriver(settings(block: 64, tail: quiet, seconds: 1e9), from: nil, to: sink)
    try endless.start(engine(SumNode(inputs: 0, outputs: 1, gain: 0.5)).renderer)
    endless.stop()
    #expect(!endless.status.isRunning && !endless.status.hasEnded)
    #expect(endless.status.failure == nil && sink.isFinished)
    let faulty = OfflineDriver(
      settings(block: 64, tail: quiet), from: ArraySource([1, 1, 1], failsAt: 1), to: ArraySink())
    try faulty.start(engine(SumNode(inputs: 1, outputs: 1)).renderer)
    let deadline = Deadline()
    while faulty.status.isRunning { try deadline.rest(0.001) }
    #expect(faulty.status.failure == "TestFault()" && faulty.status.isStreamFailure)
  }

  @Test func `channel counts must agree`() throws {
    let settings = settings(block: 64, tail: quiet)
    let two = try engine(SumNode(inputs: 2, outputs: 1))
    #expect(throws: OfflineError.inputMismatch(sourceChannelCount: 1, engineChannelCount: 2)) {
      try render(settings, two, from: ArraySource([1]), to: ArraySink())
    }
    #expect(
      OfflineError.inputMismatch(sourceChannelCount: 1, engineChannelCount: 2).description
        == "The input has 1 channel but the graph takes 2 channels. Connect each of them or"
        + " choose another file.")
  }
}
