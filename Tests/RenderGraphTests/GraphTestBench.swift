// GraphTestBench.swift: an engine whose graph is edited while it is rendered, for tests. SPDX-License-Identifier: MIT

import PluginModel
import RealtimeKit

@testable import RenderGraph

/// Renders a signal block by block, and supervises the editor between blocks as a session does.
final class GraphTestBench {
  let engine: Engine
  let editor: GraphEditor
  /// The output so far, for each channel.
  private(set) var output: [[Float]]
  /// Nodes that were returned.
  private(set) var unused: [any Node] = []
  /// Frames rendered so far.
  private(set) var frameCount = 0
  /// Frames between two calls of the supervision.
  private static let superviseFrames = 4_800
  private let rateHz = 48_000.0

  /// Renders a graph from its first frame on, in blocks of up to 64 frames. [main]
  init(
    _ graph: Graph, guardsNodes: Bool = false, watchesDeadline: Bool = false,
    watchesOffset: Bool = false, threads: Int = 1
  ) throws {
    var use = ThreadPolicy(count: threads)
    use.isForced = true
    engine = Engine(
      Engine.Settings(
        inputChannelCount: graph.inputChannelCount, outputChannelCount: graph.outputChannelCount,
        maximumFrameCount: 64, sampleRateHz: rateHz, startsFadedOut: false,
        guardsNodes: guardsNodes, watchesDeadline: watchesDeadline, watchesOffset: watchesOffset,
        threads: use))
    editor = try GraphEditor(graph, engine)
    output = [[Float]](repeating: [], count: graph.outputChannelCount)
  }

  /// Renders a number of frames of a signal, which returns a sample for a channel and a frame.
  func render(_ frames: Int, _ signal: (Int, Int) -> Float) {
    let end = frameCount + frames
    while frameCount < end {
      let count = min(64, end - frameCount)
      for channel in 0 ..< engine.settings.inputChannelCount {
        for frame in 0 ..< count {
          engine.pointer.pointee.inputs[channel][frame] = signal(channel, frameCount + frame)
        }
      }
      renderBlock(engine.pointer, count)
      for channel in output.indices {
        for frame in 0 ..< count {
          output[channel].append(engine.pointer.pointee.outputs[channel][frame])
        }
      }
      let polls = frameCount / Self.superviseFrames
      frameCount += count
      if frameCount / Self.superviseFrames > polls { attend() }
    }
  }

  /// Renders until no edit is pending, for at most the given number of frames; returns whether none
  /// is.
  func settle(within frames: Int = 96_000, _ signal: (Int, Int) -> Float) -> Bool {
    let end = frameCount + frames
    while frameCount < end, !editor.isSettled { render(Self.superviseFrames, signal) }
    return editor.isSettled
  }

  private func attend() {
    unused += editor.advance(at: Double(frameCount) / rateHz)
  }
}
