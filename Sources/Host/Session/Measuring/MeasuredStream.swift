// MeasuredStream.swift: one measuring node on a driver, without a rig around it. SPDX-License-Identifier: MIT

package import AudioDriver
package import PluginModel
import RealtimeKit
package import RenderGraph
import Synchronization

/// A driver that runs a single node, between the first channels each way as far as the node has them.
package final class MeasuredStream<Measuring: Node> {
  /// What pulls the blocks.
  package let driver: any AudioDriver
  /// What is pulled.
  package let engine: Engine
  /// What measures.
  package let node: Measuring

  /// What was negotiated with the devices.
  package var stream: StreamDescription { driver.stream }

  /// Makes the node for an open driver and gets all ready; no sound flows yet. [main]
  package init(
    _ driver: any AudioDriver, makeNode: (NodeConfiguration) throws -> Measuring
  ) throws {
    self.driver = driver
    let stream = driver.stream
    engine = Engine(
      Engine.Settings(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        // What is measured must not be shaped by a fade.
        startsFadedOut: false))
    node = try makeNode(
      NodeConfiguration(
        sampleRateHz: stream.sampleRateHz, maximumFrameCount: stream.periodFrames))
    var graph = Graph(
      inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount)
    let id = graph.add(node, named: "measure")
    for channel in 0 ..< min(node.audioInputCount, stream.inputChannelCount) {
      try graph.connect(.input(channel: channel), to: .node(id, channel: channel))
    }
    for channel in 0 ..< min(node.audioOutputCount, stream.outputChannelCount) {
      try graph.connect(.node(id, channel: channel), to: .output(channel: channel))
    }
    try node.activate()
    engine.install(try GraphCompiler.compile(graph, for: engine))
  }

  /// Frames rendered so far. [any]
  package var renderedFrames: Int {
    Int(engine.pointer.pointee.frameCount.load(ordering: .relaxed))
  }

  /// The worst share of its time that a block took since this was last asked. [main]
  package func takeWorstLoad() -> Double { engine.pointer.pointee.load.take().worst }

  /// Why no sound flows any more, as one sentence; nil while it does. [main]
  package var failure: String? {
    let status = driver.status
    return status.failure
      ?? status.devices.first { $0.state != .running }.map {
        $0.reason ?? "The device \($0.device) was disconnected."
      }
  }
}
