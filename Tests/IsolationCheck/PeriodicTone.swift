// PeriodicTone.swift: renders a tone through isolated nodes as a card would. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import PluginModel
import RealtimeKit
import RenderGraph
import Synchronization

/// Renders a tone through a node that will fail and through another node, once in a period, on a thread with
/// real-time priority.
final class PeriodicTone {
  static let frameCount = 64
  /// The largest step between two frames of the tone: 1 kHz with an amplitude of 0.5.
  static let largestStep = Float(sin(Double.pi / 48))
  private static let period: [Float] = (0 ..< 48).map {
    Float(sin(Double($0) * 2 * .pi / 48)) / 2
  }

  private let engine: Engine
  private let isEnding = Atomic<Bool>(false)
  private let rendered = Atomic<Int>(0)
  private var blocksAtOnce = 0
  /// The first channel of each node.
  private(set) var outputs: [[Float]]
  /// The number of blocks that took longer than a period.
  private(set) var lateCount = 0

  /// Connects stereo nodes to two outputs each; `transport` is that of the nodes.
  init(_ nodes: [any Node], _ transport: Transport) throws {
    outputs = nodes.map { _ in
      var output: [Float] = []
      output.reserveCapacity(1 << 15)
      return output
    }
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2 * nodes.count)
    for (index, node) in nodes.enumerated() {
      let id = graph.add(node, named: "\(index)")
      for channel in 0 ..< 2 {
        try graph.connect(.input(channel: channel), to: .node(id, channel: channel))
        try graph.connect(
          .node(id, channel: channel), to: .output(channel: 2 * index + channel))
      }
    }
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 2, outputChannelCount: 2 * nodes.count,
        maximumFrameCount: Self.frameCount, sampleRateHz: 48_000, startsFadedOut: false),
      transport: transport)
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// The input at a frame.
  static func input(_ frame: Int) -> Float { period[((frame % 48) + 48) % 48] }

  /// Renders while `body` runs.
  func run(_ body: () -> Void) throws {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let thread = try RealtimeThread(entry: runPeriodicTone, context: context)
    body()
    isEnding.store(true, ordering: .relaxed)
    thread.join()
  }

  /// The number of frames that were rendered. [any]
  var renderedFrames: Int { rendered.load(ordering: .relaxed) }

  /// Waits until a number of further frames is rendered. [any, while the tone runs]
  func wait(frames: Int) {
    let end = renderedFrames + frames
    while renderedFrames < end { usleep(500) }
  }

  /// Renders a number of blocks without pauses between them, and keeps no output.
  func runAtOnce(_ blockCount: Int) throws {
    blocksAtOnce = blockCount
    let context = Unmanaged.passUnretained(self).toOpaque()
    try RealtimeThread(entry: runPeriodicTone, context: context).join()
  }

  fileprivate func render() {
    if blocksAtOnce > 0 {
      for _ in 0 ..< blocksAtOnce { renderBlock() }
      return
    }
    var next = crealtime_nanoseconds()
    var frame = 0
    while !isEnding.load(ordering: .relaxed) {
      next += PeriodicCalls.periodNanoseconds
      crealtime_sleep_until(next)
      for channel in 0 ..< 2 {
        for index in 0 ..< Self.frameCount {
          engine.pointer.pointee.inputs[channel][index] = Self.input(frame + index)
        }
      }
      frame += Self.frameCount
      renderBlock()
      for index in outputs.indices {
        outputs[index] += UnsafeBufferPointer(
          start: engine.pointer.pointee.outputs[2 * index], count: Self.frameCount)
      }
      rendered.store(frame, ordering: .relaxed)
    }
  }

  private func renderBlock() {
    let began = crealtime_nanoseconds()
    RenderGraph.renderBlock(engine.pointer, Self.frameCount)
    if crealtime_nanoseconds() - began > PeriodicCalls.periodNanoseconds { lateCount += 1 }
  }
}

nonisolated func runPeriodicTone(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<PeriodicTone>.fromOpaque(context).takeUnretainedValue().render() }
  return nil
}
